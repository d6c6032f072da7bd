import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 200
const LONGEST_MS = 10_000
const HEALTHY_MS = 30_000

/** How long to wait before the next try: twice as long each time, and short again after a healthy while. */
export class BackOff {
  #nextMs = FIRST_MS
  #startedAt = 0

  started(nowMs = Date.now()): void {
    this.#startedAt = nowMs
  }

  failed(nowMs = Date.now()): number {
    if (this.#startedAt > 0 && nowMs - this.#startedAt >= HEALTHY_MS) this.#nextMs = FIRST_MS
    const waitMs = this.#nextMs
    this.#nextMs = Math.min(LONGEST_MS, waitMs * 2)
    return waitMs
  }
}

/** Asks again and again until the answer is there, or undefined when the time is over. */
export async function until<Answer>(
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
