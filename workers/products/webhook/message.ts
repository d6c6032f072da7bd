import { ID_PREFIX } from '#kit'
import { withEnvelopes } from '../../../ops/providers/storage/envelope.ts'
import { unseal } from '../../../ops/secrets.ts'
import type { TakenDelivery } from '../../../sql/webhook/index.ts'
import { signByStandard, signMailboxMessage, signWithTimestamp } from '../../../tasks/products/webhook/index.ts'
import type { WorkerContext } from '../../context.ts'

type MessageContext = Pick<WorkerContext, 'config' | 'store' | 'operations'>

/** The body and the headers of one attempt. The body stays the same in every attempt, except for links that expire. */
export async function buildMessage(
  context: MessageContext,
  delivery: TakenDelivery,
): Promise<{ headers: Record<string, string>; body: string }> {
  const { id, event, sequence, createdAt, takenAtMs, payload } = delivery
  const result = await readResult(context, delivery)
  const timestamp = new Date(createdAt).toISOString()
  const body = JSON.stringify({ type: event, timestamp, sequence, ...payload, ...result })
  const message = { id, atSeconds: Math.floor(takenAtMs / 1_000), body }
  const [secret, ...formerSecrets] = [delivery.secret, delivery.formerSecret]
    .filter(sealed => sealed !== null)
    .map(sealed => unseal(context.config.secret, sealed, delivery.endpointId)) as [string, ...string[]]
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `${ID_PREFIX}-webhooks/1.0`,
      'x-service-signature': signWithTimestamp(message, secret),
      'x-service-timestamp': String(message.atSeconds),
      'x-service-event': event,
      'x-service-delivery-id': id,
      'webhook-id': id,
      'webhook-timestamp': String(message.atSeconds),
      'webhook-signature': signByStandard(message, [secret, ...formerSecrets]),
      ...(event === 'mailbox.message' && { 'x-mailbox-signature': signMailboxMessage(body, secret) }),
    },
  }
}

/** The result of the job that the event is about, with its files as links. */
async function readResult(
  { operations, store }: MessageContext,
  { serviceKey, result }: TakenDelivery,
): Promise<{ result?: unknown }> {
  if (result === null || result === undefined) return {}
  const schema = serviceKey === null ? undefined : operations.get(serviceKey)?.output
  return { result: schema ? await withEnvelopes(schema, result, { store, inlineOutput: 'never' }) : result }
}
