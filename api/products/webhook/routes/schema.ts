import { Type } from 'typebox'
import { Choice, isUuid, Problem } from '#kit'

/** Those that read. What changes a webhook can also be called with a wallet's payment signature, which is not charged. */
export const READER_AUTH = ['key', 'wallet'] as const
export const MANAGER_AUTH = ['key', 'wallet', 'x402'] as const

export const WebhookId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
export const DeliveryId = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  deliveryId: Type.String({ minLength: 1, maxLength: 64 }),
})

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    "An https address of a public web server. Test keys may use http. Private addresses, such as localhost, need the operator's WEBHOOK_NETWORKS.",
})
/** Names are checked by the handler, whose answer lists the ones that there are. */
export const EventNames = Type.Array(Type.String({ maxLength: 100, examples: ['job.completed'] }), {
  maxItems: 100,
  description: 'Names from webhooks.events (GET /v1/webhooks/events).',
})
export const WebhookDescription = Type.Union([Type.String({ maxLength: 500 }), Type.Null()])

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const NullableTime = Type.Union([Time, Type.Null()])
const NullableText = Type.Union([Type.String(), Type.Null()])

const WEBHOOK_FIELDS = {
  id: Uuid,
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: NullableText,
  active: Type.Boolean(),
  consecutiveFailures: Type.Integer({ description: 'Failed attempts since the last success.' }),
  disabledReason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it was disabled, if its failures were the reason.',
  }),
  formerSecretUntil: Type.Union([Time, Type.Null()], {
    description: 'Until then the secret before the last rotation signs as well.',
  }),
  createdAt: Time,
  updatedAt: Time,
}
export const Webhook = Type.Object(WEBHOOK_FIELDS)
export const WebhookWithSecret = Type.Object({
  ...WEBHOOK_FIELDS,
  secret: Type.String({ description: 'Signs every delivery. It is never shown again.' }),
})

export const DELIVERY_STATUSES = ['PENDING', 'SUCCESS', 'FAILED'] as const

export const DELIVERY_FIELDS = {
  id: Uuid,
  webhookId: Uuid,
  event: Type.String(),
  subjectId: Type.Union([Uuid, Type.Null()], { description: 'What the event is about, for example the job.' }),
  sequence: Type.Integer({ description: 'Counts the deliveries of the webhook in the order of their events.' }),
  status: Choice(DELIVERY_STATUSES),
  attempts: Type.Integer(),
  responseCode: Type.Union([Type.Integer(), Type.Null()]),
  errorMessage: NullableText,
  nextAttemptAt: NullableTime,
  createdAt: Time,
  finishedAt: NullableTime,
}
export const Delivery = Type.Object(DELIVERY_FIELDS)

export function requireId(...ids: string[]): void {
  if (!ids.every(isUuid)) throw new Problem('NOT_FOUND')
}
