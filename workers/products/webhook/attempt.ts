import type { OutboundPost, PostReply } from '../../../pools/fetch/post.ts'
import type { AttemptEnd } from '../../../sql/webhook/index.ts'
import { DestinationRefused } from '../../../tasks/formats/web-address/destination.ts'
import { parseRetryAfter } from '../../../tasks/products/webhook/index.ts'

export type AttemptResult = Omit<AttemptEnd, 'id' | 'attempt'>

/** Sends a message once. Whatever happens is a result. */
export async function attemptDelivery(
  post: OutboundPost,
  url: string,
  message: { headers: Record<string, string>; body: string },
  timeoutMs: number,
): Promise<AttemptResult> {
  const startedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  try {
    const reply = await post(url, { ...message, signal: AbortSignal.timeout(timeoutMs) })
    return { ...judgeReply(reply), ms: elapsedMs() }
  } catch (error) {
    return { ok: false, error: explain(error, timeoutMs), ms: elapsedMs() }
  }
}

/** Statuses with which a receiver asks for fewer messages. */
const BUSY_STATUSES = [429, 502, 503, 504]

function judgeReply({ status, headers, body }: PostReply): Omit<AttemptResult, 'ms'> {
  const seen = { code: status, body }
  if (status >= 200 && status < 300) return { ok: true, ...seen }
  const wanted = headers['webhook-delivery']
  const retryAfter = BUSY_STATUSES.includes(status) ? parseRetryAfter(headers['retry-after'], Date.now()) : undefined
  return {
    ok: false,
    ...seen,
    error: explainStatus(status),
    ...(retryAfter !== undefined && { retryAfter }),
    ...((status === 410 || wanted === 'disable') && { verdict: 'disable' as const }),
    ...(status !== 410 && wanted === 'abort-message' && { verdict: 'abort' as const }),
  }
}

function explainStatus(status: number): string {
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`
  return `The receiver answered ${status}.`
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The receiver closed the connection.',
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
}

/** The message of a network error names inner addresses, so only its code is kept. */
function explain(error: unknown, timeoutMs: number): string {
  if (error instanceof DestinationRefused) return `Nothing was sent: ${error.message}.`
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError') return `No answer within ${timeoutMs / 1_000} seconds.`
  return (typeof code === 'string' && (REASONS[code] ?? `The connection failed: ${code}.`)) || 'The connection failed.'
}
