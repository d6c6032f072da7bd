import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import { openProviderClient, type ProviderRefusal } from '../http/client.ts'
import type { CompletionLimits, LanguageModelConfig } from './contract.ts'

const ATTEMPT_MS = 60_000
const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const MAX_BYTES = 4 * 2 ** 20
const REFUSED_CREDENTIALS = [401, 402, 403, 407]

/** Posts to the provider that the operator named, and gives its answer. */
type Poster = (path: string, body: object, limits: CompletionLimits) => Promise<unknown>

/**
 * What may pass is tried again until the deadline, but not an answer that came too late: the provider has worked on it and
 * would take as long again.
 */
export function openPoster(
  { provider, url: baseUrl }: Pick<LanguageModelConfig, 'provider' | 'url'>,
  headers: Record<string, string>,
): Poster {
  const call = openProviderClient({ provider, baseUrl, headers, maxBytes: MAX_BYTES })
  return async (path, json, limits) => {
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = Math.min(ATTEMPT_MS, limits.deadlineMs - performance.now())
      if (timeoutMs <= 0) throw unavailable({ detail: 'no time is left' })
      try {
        return await call({ path, json, timeoutMs: Math.ceil(timeoutMs), signal: limits.signal })
      } catch (error) {
        await waitForNext(error, attempt, limits)
      }
    }
  }
}

async function waitForNext(error: unknown, attempt: number, { signal, deadlineMs }: CompletionLimits): Promise<void> {
  signal.throwIfAborted()
  if (!mayPass(error) || attempt === MAX_ATTEMPTS) throw error
  const { retryAfterSeconds } = error.hints
  const delayMs =
    typeof retryAfterSeconds === 'number' ? retryAfterSeconds * 1_000 : FIRST_DELAY_MS * 2 ** (attempt - 1)
  if (performance.now() + delayMs >= deadlineMs) throw error
  await sleep(delayMs, undefined, { signal })
}

/** A provider that was not asked at all, because it keeps failing, is not asked again either. */
function mayPass(error: unknown): error is Problem {
  if (!(error instanceof Problem)) return false
  const { isLate, providerStatus, reason } = error.hints
  const wasAsked = providerStatus !== undefined || reason !== undefined
  return wasAsked && !isLate && !REFUSED_CREDENTIALS.includes(Number(providerStatus))
}

export function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'llm', ...hints })
}

/** What the provider said; it is for the adapter, never for callers. */
export function readRefusal({ body }: ProviderRefusal): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const TOO_LONG = /context.{0,20}(length|window)|maximum context|too (long|many tokens)|prompt is too long/i

/** What a refusal means for the caller. An unknown model is for the operator to see. */
export function toProblem(refusal: ProviderRefusal): Problem {
  const { status: providerStatus } = refusal
  if (providerStatus === 413 || TOO_LONG.test(readRefusal(refusal)))
    return new Problem('CONTEXT_TOO_LONG', { providerStatus })
  return unavailable({ detail: 'the provider refuses the request', providerStatus })
}
