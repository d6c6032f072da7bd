import { DestinationRefused } from '../../../tasks/formats/web-address/destination.ts'
import type { Notifier, Post } from './contract.ts'

const TIMEOUT_MS = 15_000

/** Posts the whole as JSON. The key is in the header by which receivers of webhooks tell repeats. */
export function openWebhook(post: Post): Notifier {
  return {
    send: (to, { key, body }, signal) => postJson(post, to, { body, headers: { 'webhook-id': key }, signal }),
  }
}

/** A receiver that refuses a message refuses it the next time too, unless it was busy or is broken for a while. */
export async function postJson(
  post: Post,
  url: string,
  { body, headers = {}, signal }: { body: object; headers?: Record<string, string>; signal: AbortSignal },
): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const message = { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    const { status } = await post(url, { ...message, signal: limit })
    if (status >= 200 && status < 300) return undefined
    const refusal = `The receiver answered ${status}.`
    if (status >= 500 || status === 408 || status === 425 || status === 429) throw new Error(refusal)
    return refusal
  } catch (error) {
    if (error instanceof DestinationRefused) return `Nothing was sent: ${error.message}.`
    throw error
  }
}
