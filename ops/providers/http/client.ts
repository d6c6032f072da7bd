import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import { currentTraceparent, trace } from '../../tracing/trace.ts'
import { Circuit } from './circuit.ts'
import { countCall } from './counts.ts'

interface ProviderOptions {
  /** How problems name it. */
  provider: string
  baseUrl: string
  /** Of every call, such as credentials. They never appear in a problem. */
  headers?: Readonly<Record<string, string>>
  timeoutMs?: number
  /** Of an answer, decompressed. */
  maxBytes?: number
}

interface ProviderCall {
  /** POST with a body and GET without one, unless it is given. */
  method?: 'PUT' | 'PATCH' | 'DELETE'
  /** Appended to the base address. */
  path: string
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Makes it a POST of JSON. */
  json?: unknown
  /** Makes it a POST of what is not JSON; its content type belongs into `headers` where fetch does not know it. */
  body?: string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams
  headers?: Readonly<Record<string, string>>
  timeoutMs?: number
  signal?: AbortSignal
  /** Gives this header of the answer instead of its body. */
  answerHeader?: string
  /** Gives the body of the answer as it comes, of any size. */
  isStream?: boolean
  /** A call that changes nothing is sent once more after a failure that may pass. */
  isRepeatable?: boolean
}

/** Calls one provider over HTTP and returns its JSON. */
export type ProviderClient = (call: ProviderCall) => Promise<unknown>

/** The provider understood the call and refuses it: what a status of 400 to 499 means unless it is about credentials or rates. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly status: number
  /** Parsed JSON, or text. */
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`the provider refused with status ${status}`)
    this.status = status
    this.body = body
  }
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 8 * 2 ** 20
const REPEAT_AFTER_MS = 200
/** About our credentials, our rate or the moment, not about the call. */
const UNAVAILABLE_STATUSES = [401, 402, 403, 407, 408, 425, 429]

/**
 * Calls a provider with limits of time and size. Whatever is wrong with the provider is PROVIDER_UNAVAILABLE; a refusal of
 * the call itself is thrown as ProviderRefusal, because only the adapter knows what it means. Its addresses come from the
 * operator, so private ones are fine; redirects are not followed, because credentials must not travel with them.
 */
export function openProviderClient(options: ProviderOptions): ProviderClient {
  const circuit = new Circuit()
  return async call => {
    const { signal } = call
    if (!circuit.isClosed()) throw unavailable(options, { retryAfterSeconds: circuit.retryAfterSeconds() })
    const attempt = () => trace(`provider ${options.provider}`, undefined, () => sendOnce(options, call), 'client')
    try {
      const answer = await (call.isRepeatable ? attempt().catch(error => repeat(error, attempt, signal)) : attempt())
      circuit.succeeded()
      countCall(options.provider, 'ok')
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ProviderRefusal) circuit.succeeded()
      else circuit.failed()
      countCall(options.provider, error instanceof ProviderRefusal ? 'refused' : 'failed')
      throw error
    }
  }
}

/** What a provider asks to wait for, or refuses for good, is not repeated. */
async function repeat(error: unknown, attempt: () => Promise<unknown>, signal: AbortSignal | undefined) {
  const status = error instanceof Problem ? error.hints.providerStatus : undefined
  const mayPass = error instanceof Problem && (status === undefined || Number(status) >= 500) && !error.hints.isLate
  if (!mayPass || signal?.aborted) throw error
  await sleep(REPEAT_AFTER_MS, undefined, { signal })
  return attempt()
}

async function sendOnce(options: ProviderOptions, call: ProviderCall): Promise<unknown> {
  const { maxBytes = MAX_BYTES } = options
  try {
    const response = await fetch(buildUrl(options.baseUrl, call), buildFetchOptions(options, call))
    const { status } = response
    if (response.ok && call.isStream && response.body) return response.body
    const text = await readText(response, maxBytes)
    if (status === 204) return undefined
    if (response.ok) return call.answerHeader ? response.headers.get(call.answerHeader) : parseAnswer(text)
    if (status >= 500 || status < 400 || UNAVAILABLE_STATUSES.includes(status))
      throw unavailable(options, { providerStatus: status, ...readRetryAfter(response) })
    throw new ProviderRefusal(status, parseLeniently(text))
  } catch (error) {
    if (error instanceof ProviderRefusal || error instanceof Problem) throw error
    throw describeFailure(options, error as Error)
  }
}

function buildUrl(baseUrl: string, { path, query = {} }: ProviderCall): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

function buildFetchOptions(
  { headers, timeoutMs = TIMEOUT_MS }: ProviderOptions,
  { json, body = json === undefined ? undefined : JSON.stringify(json), ...call }: ProviderCall,
): RequestInit {
  const timeout = AbortSignal.timeout(call.timeoutMs ?? timeoutMs)
  return {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      'user-agent': 'coinop',
      ...currentTraceparent(),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...call.headers,
    },
    body,
    redirect: 'manual',
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
  }
}

/** In the encoding that the answer declares, UTF-8 by default. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const charset = /charset=["']?([\w-]+)/i.exec(response.headers.get('content-type') ?? '')?.[1] ?? 'utf-8'
  return createDecoder(charset).decode(Buffer.concat(chunks))
}

function createDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('its answer is not JSON')
  }
}

function parseLeniently(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1_000)
  }
}

function readRetryAfter({ headers }: Response): { retryAfterSeconds?: number } {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? { retryAfterSeconds: Math.min(3_600, Math.ceil(seconds)) } : {}
}

/** Network errors name addresses inside, so callers get their code alone. */
function describeFailure(options: ProviderOptions, { name, message, cause }: Error): Problem {
  if (name === 'TimeoutError' || name === 'AbortError')
    return unavailable(options, { reason: 'no complete answer in time', isLate: true })
  const { code } = (cause ?? {}) as { code?: unknown }
  if (name === 'TypeError') return unavailable(options, typeof code === 'string' ? { reason: code } : {})
  return unavailable(options, { reason: message.slice(0, 200) })
}

function unavailable({ provider }: ProviderOptions, hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider, ...hints })
}
