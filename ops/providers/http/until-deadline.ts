import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import type { ProviderClient } from './client.ts'

interface Patience {
  /** Named in the problem that no time is left. */
  capability: string
  /** Of one attempt. */
  attemptMs: number
}

const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const REFUSED_CREDENTIALS = [401, 402, 403, 407]

/**
 * What may pass is tried again until the deadline, but not an answer that came too late: the provider has worked on it and
 * would take as long again.
 */
export async function callUntilDeadline(
  client: ProviderClient,
  call: Parameters<ProviderClient>[0],
  limits: CallLimits,
  { capability, attemptMs }: Patience,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(attemptMs, limits.deadlineMs - performance.now())
    if (timeoutMs <= 0) throw new Problem('PROVIDER_UNAVAILABLE', { capability, detail: 'no time is left' })
    try {
      return await client({ ...call, timeoutMs: Math.ceil(timeoutMs), signal: limits.signal })
    } catch (error) {
      await waitForNext(error, attempt, limits)
    }
  }
}

async function waitForNext(error: unknown, attempt: number, { signal, deadlineMs }: CallLimits): Promise<void> {
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
