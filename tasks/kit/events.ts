import { type TProperties, type TSchema, Type } from 'typebox'
import { Choice } from './schema.ts'

/** An event that webhooks can be sent. */
export interface WebhookEvent {
  summary: string
  /**
   * Whose events these are: of an account, whose registry names them, of one object, whose own triggers do, or of one webhook, which
   * is sent them whatever it is registered for.
   */
  of: 'account' | 'object' | 'webhook'
  /** What a delivery has besides the fields that all of them have. */
  payload: TSchema
  example: Record<string, unknown>
}

export function event<Properties extends TProperties>(
  declared: Omit<WebhookEvent, 'payload'> & { payload: Properties },
): WebhookEvent {
  return { ...declared, payload: Type.Object({ ...COMMON_FIELDS, ...declared.payload }) }
}

const Uuid = Type.String({ format: 'uuid' })

/** The fields of every delivery. */
const COMMON_FIELDS = {
  type: Type.String({ description: 'The name of the event.' }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  sequence: Type.Integer({
    description:
      'Counts the deliveries of this webhook in the order of their events; they may arrive in another order.',
  }),
}

/**
 * Every event there is: those of the platform, and those that products declare once they are loaded. An event is emitted by
 * `webhook.emit` in the transaction in which it happens.
 */
export const WEBHOOK_EVENTS: Record<string, WebhookEvent> = {
  'job.completed': event({
    of: 'account',
    summary: 'A job has reached `succeeded`, `failed` or `expired`, also one that was answered at once.',
    payload: {
      jobId: Uuid,
      serviceKey: Type.String({ description: 'The operation, for example `pdf.merge`.' }),
      status: Choice(['succeeded', 'failed', 'expired']),
      actualMicros: Type.Optional(Type.String({ description: 'What it was charged, in millionths of a US dollar.' })),
      result: Type.Optional(
        Type.Unknown({
          description:
            'The result as GET /v1/jobs/{jobId} has it, with files as `outputUrl`. Left out if it has more than 64 KiB or is no longer kept.',
        }),
      ),
      errorReason: Type.Optional(Type.String({ description: 'The code of the problem, if it did not succeed.' })),
    },
    example: {
      jobId: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
      serviceKey: 'text.slugify',
      status: 'succeeded',
      actualMicros: '1000',
      result: { slug: 'hello-world' },
    },
  }),
}

/** Adds the events of a product. A name has one meaning, so it can be declared once only. */
export function addEvents(events: Readonly<Record<string, WebhookEvent>>): void {
  for (const name of Object.keys(events)) {
    if (Object.hasOwn(WEBHOOK_EVENTS, name)) throw new Error(`the event ${name} is declared twice`)
  }
  Object.assign(WEBHOOK_EVENTS, events)
}

/** The names that the triggers of a baton can have. */
export function listBatonEvents(): string[] {
  return Object.entries(WEBHOOK_EVENTS).flatMap(([name, { example }]) => ('baton_id' in example ? [name] : []))
}

/** The names that a webhook of an account can register for. */
export function listAccountEvents(): string[] {
  return Object.entries(WEBHOOK_EVENTS).flatMap(([name, { of }]) => (of === 'account' ? [name] : []))
}
