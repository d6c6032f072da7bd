import { type CoinopError, ConnectionError, errorOf, isFields } from './errors.ts'
import type { Charge } from './types.ts'

/** A request that can be sent again as it is. */
export interface Prepared {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Blob | undefined
  /** A second try does nothing twice. */
  isRepeatable: boolean
}

export interface Attempts {
  fetch: typeof fetch
  timeoutMs: number
  maxRetries: number
  signal: AbortSignal | undefined
  /** Further headers, once the service has asked for a payment or a signed-in wallet; undefined if there is no answer to that. */
  respond(error: CoinopError, headers: Headers): Promise<Record<string, string> | undefined>
}

export interface Reply {
  status: number
  headers: Headers
  /** Parsed if it is JSON, a text if it is one, else bytes. */
  content: unknown
}

/** Longer waits are left to the caller. */
const MAX_WAIT_MS = 30_000
const FIRST_WAIT_MS = 250

/** Sends a request until it is answered, and throws what the service refuses. */
export async function send(request: Prepared, attempts: Attempts): Promise<Reply> {
  let headers = request.headers
  const responded = new Set<number>()
  const errors: CoinopError[] = []
  for (;;) {
    const outcome = await attempt({ ...request, headers }, attempts)
    if (!('error' in outcome)) return outcome
    const { error } = outcome
    const answer = responded.has(error.status) ? undefined : await attempts.respond(error, outcome.headers)
    if (answer) {
      responded.add(error.status)
      headers = { ...headers, ...answer }
      continue
    }
    const waitMs = errors.length < attempts.maxRetries ? waitBefore(error, request, errors.length) : undefined
    errors.push(error)
    if (waitMs === undefined) throw chooseError(errors)
    await sleep(waitMs, attempts.signal)
  }
}

/** The last one; but that the first try still runs is no news to who has given it too little time. */
function chooseError(errors: readonly CoinopError[]): CoinopError {
  const last = errors.at(-1)!
  const late = errors.find(error => error instanceof ConnectionError && error.isLate)
  return last.code === 'IDEMPOTENCY_IN_FLIGHT' && late ? late : last
}

async function attempt(
  { method, url, headers, body }: Prepared,
  { fetch: request, timeoutMs, signal }: Attempts,
): Promise<Reply | { error: CoinopError; headers: Headers }> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    const content = await readContent(response)
    if (response.ok) return { status: response.status, headers: response.headers, content }
    const { status, headers: received } = response
    return { error: errorOf({ status, headers: received, body: content }), headers: received }
  } catch (cause) {
    signal?.throwIfAborted()
    const sentence = timeout.aborted
      ? `There was no answer within ${timeoutMs} ms; the call may go on.`
      : `${url} cannot be reached.`
    const key = headers['idempotency-key']
    const hints = key === undefined ? {} : { idempotencyKey: key }
    return { error: new ConnectionError(sentence, cause, { isLate: timeout.aborted, hints }), headers: new Headers() }
  }
}

async function readContent(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  if (type.startsWith('text/') || type.includes('ndjson')) return response.text()
  return new Uint8Array(await response.arrayBuffer())
}

/** How long to wait before another try; undefined if none would help or be safe. */
function waitBefore(error: CoinopError, { isRepeatable }: Prepared, failed: number): number | undefined {
  const { status, code, retryAfterSeconds } = error
  // It was refused before anything was done.
  const isRefused = status === 429 || (status === 503 && retryAfterSeconds !== undefined)
  const isInFlight = code === 'IDEMPOTENCY_IN_FLIGHT'
  // Without a code of the service it is what stands before it that finds it unavailable.
  const isUnavailable = status === 503 && code === 'HTTP_503'
  const isBroken = status === 0 || status === 500 || status === 502 || status === 504
  if (!isRefused && !isInFlight && !((isBroken || isUnavailable) && isRepeatable)) return undefined
  return backOff(error, failed)
}

export function backOff({ retryAfterSeconds }: CoinopError, failed: number): number | undefined {
  // Of many callers that fail together, few return together.
  const backOffMs = FIRST_WAIT_MS * 2 ** failed * (0.5 + Math.random())
  const waitMs = Math.max(backOffMs, (retryAfterSeconds ?? 0) * 1_000)
  return waitMs > MAX_WAIT_MS ? undefined : waitMs
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

export function chargeOf({ status, headers }: Reply): Charge {
  const micros = headers.get('x-service-charged-micros')
  return {
    status,
    chargedMicros: micros === null ? undefined : BigInt(micros),
    jobId: headers.get('x-service-job-id') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    isReplay: headers.get('idempotency-replayed') === 'true',
    headers,
  }
}

/** The ticket of an answer that says that the call goes on in the background. */
export function ticketOf({ status, content }: Reply): string | undefined {
  return status === 202 && isFields(content) && typeof content.ticket === 'string' ? content.ticket : undefined
}
