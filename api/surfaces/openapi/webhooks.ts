import { WEBHOOK_EVENTS, type WebhookEvent } from '#kit'
import { type Plain, toPlainSchema } from './plain-schema.ts'

/** The `webhooks` section: what is sent for each event, and how it is signed. */
export function buildWebhooks(): Plain {
  return Object.fromEntries(
    Object.entries<WebhookEvent>(WEBHOOK_EVENTS).map(([name, event]) => [name, { post: buildDelivery(name, event) }]),
  )
}

function buildDelivery(name: string, { summary, payload, example }: WebhookEvent): Plain {
  const body = { type: name, timestamp: '2026-11-22T09:00:00.000Z', sequence: 1, ...example }
  return {
    operationId: `on_${name.replaceAll('.', '_')}`,
    summary,
    tags: ['webhooks'],
    security: [],
    parameters: HEADERS.map(([header, description, value]) => ({
      name: header,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string', examples: [value] },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toPlainSchema(payload), examples: { event: { value: body } } } },
    },
    responses: {
      '2XX': { description: 'Any success within 15 seconds. Everything else, redirects included, is tried again.' },
      '410': { description: 'Disables the webhook.' },
    },
  }
}

const HEADERS: readonly [name: string, description: string, example: string][] = [
  [
    'webhook-id',
    'The same in every attempt: ignore what you have already seen.',
    '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  ],
  ['webhook-timestamp', 'When this attempt was made, in seconds.', '1795170982'],
  [
    'webhook-signature',
    'Signatures by Standard Webhooks, separated by spaces: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, keyed with the bytes after `whsec_` in the secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
  ['X-Service-Event', 'The name of the event.', 'job.completed'],
  ['X-Service-Delivery-Id', 'The same as `webhook-id`.', '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071'],
  ['X-Service-Timestamp', 'The same as `webhook-timestamp`.', '1795170982'],
  [
    'X-Service-Signature',
    '`sha256=` and the hexadecimal HMAC-SHA256 of `<X-Service-Timestamp>.<body>`, keyed with the whole secret.',
    'sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
]
