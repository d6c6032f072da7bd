import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import { parseRetryAfter } from '../../../tasks/formats/webhooks/retry-after.ts'
import type { CompletionLimits } from './contract.ts'

const ATTEMPT_MS = 60_000
const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const MAX_BYTES = 4 * 2 ** 20
const RETRIED = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529])

/** The provider refuses the request as it is; the text is for the adapter, never for callers. */
export class RequestRefused extends Error {
  readonly status: number

  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** A failure that may pass. */
class Unavailable extends Error {
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(detail: string, status?: number, retryAfterMs?: number) {
    super(detail)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  toProblem(): Problem {
    const { message: detail, status: providerStatus, retryAfterMs } = this
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000)
    return unavailable({ detail, providerStatus, retryAfterSeconds })
  }
}

interface Message {
  url: string
  headers: Record<string, string>
  body: object
}

/**
 * Posts to the provider that the operator named, and gives its answer. What may pass is tried again until the deadline,
 * but not an answer that came too late: the provider has worked on it and would take as long again.
 */
export async function postJson(message: Message, limits: CompletionLimits): Promise<unknown> {
  const { signal, deadlineMs } = limits
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(ATTEMPT_MS, deadlineMs - performance.now())
    if (timeoutMs <= 0) throw unavailable({ detail: 'no time is left' })
    try {
      return await send(message, AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))]))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Unavailable)) throw error
      await waitForNext(error, attempt, limits)
    }
  }
}

async function waitForNext(
  error: Unavailable,
  attempt: number,
  { signal, deadlineMs }: CompletionLimits,
): Promise<void> {
  const delayMs = error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1)
  if (attempt === MAX_ATTEMPTS || performance.now() + delayMs >= deadlineMs) throw error.toProblem()
  await sleep(delayMs, undefined, { signal })
}

async function send({ url, headers, body }: Message, signal: AbortSignal): Promise<unknown> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    text = await readText(response)
  } catch (error) {
    if (error instanceof Problem) throw error
    if ((error as Error).name === 'TimeoutError') throw unavailable({ detail: 'no answer in time' })
    throw new Unavailable('the connection failed')
  }
  const { status } = response
  if (response.ok) return parse(text)
  if (!RETRIED.has(status)) throw new RequestRefused(status, text)
  const seconds = parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now())
  throw new Unavailable('the provider is busy or failing', status, seconds === undefined ? undefined : seconds * 1000)
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_BYTES) throw unavailable({ detail: 'the answer is too large' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unavailable('the answer is not JSON')
  }
}

export function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'llm', ...hints })
}

const TOO_LONG = /context.{0,20}(length|window)|maximum context|too (long|many tokens)|prompt is too long/i

/** What a refusal means for the caller. Wrong credentials and unknown models are for the operator to see. */
export function toProblem({ status, message }: RequestRefused): Problem {
  if (status === 413 || TOO_LONG.test(message)) return new Problem('CONTEXT_TOO_LONG', { providerStatus: status })
  const detail =
    status === 401 || status === 403 ? 'the provider refuses our credentials' : 'the provider refuses the request'
  return unavailable({ detail, providerStatus: status })
}
