const MAX_FAILURES = 5
const OPEN_MS = 30_000

/** Spares a provider that has failed five times in a row: for 30 seconds it is not called, then one call tries it. */
export class Circuit {
  #failures = 0
  #openUntilMs = 0

  isClosed(nowMs = performance.now()): boolean {
    if (this.#failures < MAX_FAILURES) return true
    if (nowMs < this.#openUntilMs) return false
    this.#openUntilMs = nowMs + OPEN_MS
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(nowMs = performance.now()): void {
    this.#failures += 1
    if (this.#failures >= MAX_FAILURES) this.#openUntilMs = nowMs + OPEN_MS
  }

  retryAfterSeconds(nowMs = performance.now()): number {
    return Math.max(1, Math.ceil((this.#openUntilMs - nowMs) / 1_000))
  }
}
