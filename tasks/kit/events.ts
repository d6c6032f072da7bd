import { type TProperties, type TSchema, Type } from 'typebox'
import { Choice } from './schema.ts'

/** An event that webhooks can be sent. */
export interface WebhookEvent {
  summary: string
  /** Whose events these are: of an account, whose registry names them, or of one object, whose own triggers do. */
  of: 'account' | 'object'
  /** What a delivery has besides the fields that all of them have. */
  payload: TSchema
  example: Record<string, unknown>
}

function define<Properties extends TProperties>(
  event: Omit<WebhookEvent, 'payload'> & { payload: Properties },
): WebhookEvent {
  return { ...event, payload: Type.Object({ ...COMMON_FIELDS, ...event.payload }) }
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

const BATON_FIELDS = { baton_id: Uuid }
const BATON_EXAMPLE = { baton_id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071' }
const TOKEN_FIELDS = {
  token_id: Type.String({ format: 'uuid', description: 'Names the token without revealing it.' }),
  use: Choice(['read', 'write']),
}
const TOKEN_EXAMPLE = { token_id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6072', use: 'read' }

/**
 * Every event there is. A product adds one by naming it here, and emits it by `webhook.emit` in the transaction in which it
 * happens.
 */
export const WEBHOOK_EVENTS = {
  'job.completed': define({
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
  'mailbox.message': define({
    of: 'object',
    summary:
      'A message has arrived in a mailbox. It is sent to the `X-Webhook-Url` of the mailbox, with `X-Mailbox-Signature`: the hexadecimal HMAC-SHA256 of the body, keyed with the secret of the mailbox.',
    payload: {
      event: Type.Literal('mailbox.message'),
      lease_id: Type.String(),
      message_id: Type.String(),
      received_at: Type.String({ format: 'date-time' }),
      size_bytes: Type.Integer(),
      content_type: Type.String(),
      filename: Type.Union([Type.String(), Type.Null()]),
      sha256: Type.String(),
      used_bytes: Type.Integer({ description: 'What the messages in the mailbox take together.' }),
      capacity_bytes: Type.Integer(),
    },
    example: {
      event: 'mailbox.message',
      lease_id: 'lse_019ab3c45d6e7f809a1b2c3d4e5f6071',
      message_id: 'msg_00000001e29b41d4a716446655440000',
      received_at: '2026-11-22T09:00:00.000Z',
      size_bytes: 5,
      content_type: 'text/plain',
      filename: null,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      used_bytes: 5,
      capacity_bytes: 1_048_576,
    },
  }),
  'baton.written': define({
    of: 'object',
    summary: 'Something was appended to a baton, or has replaced its content.',
    payload: { ...BATON_FIELDS, seq: Type.Integer(), writer: Type.String(), sizeBytes: Type.Integer() },
    example: { ...BATON_EXAMPLE, seq: 3, writer: 'owner', sizeBytes: 42 },
  }),
  'token.used': define({
    of: 'object',
    summary: 'A token has read a baton or written to it.',
    payload: { ...BATON_FIELDS, ...TOKEN_FIELDS },
    example: { ...BATON_EXAMPLE, ...TOKEN_EXAMPLE },
  }),
  'token.exhausted': define({
    of: 'object',
    summary: 'A token has made the last of its reads or writes.',
    payload: { ...BATON_FIELDS, ...TOKEN_FIELDS },
    example: { ...BATON_EXAMPLE, ...TOKEN_EXAMPLE },
  }),
  'pass.all_tokens_consumed': define({
    of: 'object',
    summary: 'Every token that could read a baton has made its last read.',
    payload: BATON_FIELDS,
    example: BATON_EXAMPLE,
  }),
} as const satisfies Record<string, WebhookEvent>

/** The names that the triggers of a baton can have. */
export function listBatonEvents(): string[] {
  return Object.entries(WEBHOOK_EVENTS).flatMap(([name, { example }]) => ('baton_id' in example ? [name] : []))
}

/** The names that a webhook of an account can register for. */
export function listAccountEvents(): string[] {
  return Object.entries(WEBHOOK_EVENTS).flatMap(([name, { of }]) => (of === 'account' ? [name] : []))
}
