import { concat, fromBase64, hmacSha256, isSameText, toBase64, toHex, utf8 } from './bytes.ts'

/** A delivery that was signed with the secret. */
export interface WebhookEvent {
  /** Such as `job.completed`. */
  type: string
  /** The same for every try of a delivery: a receiver that knows it already has nothing to do. */
  id: string
  body: Record<string, unknown>
}

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const TOLERANCE_SECONDS = 300

/**
 * Checks a delivery and returns its event. `body` is the body as it came, before anything has parsed it. A delivery that
 * was signed more than five minutes ago is refused, because anyone who has seen it could send it again.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderValues,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures) throw new WebhookError('the headers of a delivery are missing')
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!(ageSeconds <= toleranceSeconds)) throw new WebhookError('the delivery was signed too long ago')
  const bytes = typeof body === 'string' ? utf8(body) : body
  const expected = `v1,${toBase64(await hmacSha256(keyOf(secret), concat(utf8(`${id}.${timestamp}.`), bytes)))}`
  const isSigned = signatures.split(' ').map(signature => isSameText(signature, expected))
  if (!isSigned.includes(true)) throw new WebhookError('the delivery was signed with another secret')
  const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
  return { type: headerOf(headers, 'x-service-event') ?? String(parsed.type), id, body: parsed }
}

/** Checks a message that a mailbox passed on, whose signature is the `X-Mailbox-Signature`. */
export async function verifyMailboxMessage(
  body: string | Uint8Array,
  signature: string,
  secret: string,
): Promise<boolean> {
  const bytes = typeof body === 'string' ? utf8(body) : concat(body)
  return isSameText(signature, toHex(await hmacSha256(utf8(secret), bytes)))
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : utf8(secret)
}

function headerOf(headers: HeaderValues, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}
