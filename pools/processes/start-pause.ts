import { Problem } from '#kit'
import { ToolLost } from '../tool-crashed.ts'

export interface PauseOptions {
  firstMs: number
  maxMs: number
}

/** The program may be broken, or the machine busy. */
export class StartedTooLate extends ToolLost {}

/** A start that fails sooner may have been unlucky, and is repeated once at once. */
const QUICK_MS = 10_000

/**
 * Remembers that a program cannot be started, so that calls are refused at once instead of waiting for the next start to
 * fail. After a pause, which doubles, one more start is tried, for no call.
 */
export class StartPause {
  readonly #tool: string
  readonly #options: PauseOptions | undefined
  #failures = 0
  #endsAtMs = 0

  constructor(tool: string, options: PauseOptions | undefined) {
    this.#tool = tool
    this.#options = options
  }

  get isOn(): boolean {
    return this.#endsAtMs > 0
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAtMs
  }

  noteSuccess(): void {
    this.#failures = 0
    this.#endsAtMs = 0
  }

  /** After a first start that failed quickly, the calls that wait may wait for another. */
  get allowsAnotherStart(): boolean {
    return this.#options !== undefined && this.#failures === 1 && !this.isOn
  }

  /** Returns the problem for the calls that wait. A process that was killed from outside says nothing about the program. */
  noteFailure(error: unknown, tookMs: number): Problem | undefined {
    if (!this.#options || (error instanceof ToolLost && !(error instanceof StartedTooLate))) return undefined
    this.#failures += 1
    if (this.#failures === 1 && tookMs < QUICK_MS) return undefined
    const pauseMs = Math.min(this.#options.maxMs, this.#options.firstMs * 2 ** Math.max(0, this.#failures - 2))
    this.#endsAtMs = performance.now() + pauseMs
    return this.createProblem()
  }

  createProblem(): Problem {
    const leftMs = Math.max(1000, this.#endsAtMs - performance.now())
    const retryAfterSeconds = Math.ceil(leftMs / 1000)
    return new Problem('PROVIDER_UNAVAILABLE', {
      capability: this.#tool,
      detail: 'it does not start here',
      retryAfterSeconds,
    })
  }
}
