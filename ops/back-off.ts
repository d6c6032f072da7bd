import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 200
const MAX_MS = 5_000
const HEALTHY_MS = 30_000

/** The delay before each retry: doubled after every failure, and reset after a healthy period. */
export class BackOff {
  #nextMs = FIRST_MS
  #startedAt = 0

  markStarted(nowMs = Date.now()): void {
    this.#startedAt = nowMs
  }

  nextDelayMs(nowMs = Date.now()): number {
    if (this.#startedAt > 0 && nowMs - this.#startedAt >= HEALTHY_MS) this.#nextMs = FIRST_MS
    const waitMs = this.#nextMs
    this.#nextMs = Math.min(MAX_MS, waitMs * 2)
    return waitMs
  }
}

/**
 * Reads again what has changed, one reading after the other. One that fails is repeated until one succeeds, so that a process
 * does not keep what is out of date. The promise is of the first try. `onError` is told of the first failure in a row.
 */
export function createRefresh(read: () => Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  let retry: NodeJS.Timeout | undefined
  let backOff: BackOff | undefined
  const tryToRead = async (): Promise<void> => {
    clearTimeout(retry)
    try {
      await read()
      backOff = undefined
    } catch (error) {
      if (!backOff) onError(error)
      backOff ??= new BackOff()
      retry = setTimeout(() => void refresh(), backOff.nextDelayMs()).unref()
    }
  }
  const refresh = (): Promise<void> => {
    last = last.then(tryToRead)
    return last
  }
  return refresh
}

/** Calls `ask` until it returns a value; gives undefined when the time is over. */
export async function pollUntil<Answer>(
  ask: () => Answer | undefined | Promise<Answer | undefined>,
  options: { withinMs: number; everyMs?: number },
): Promise<Answer | undefined> {
  const deadline = Date.now() + options.withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() >= deadline) return undefined
    await sleep(options.everyMs ?? 20)
  }
}
