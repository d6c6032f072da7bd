import type { ProbeOutcome } from './tool-reports.ts'

interface ProbeOptions {
  /** Tries one engine. */
  probe(engine: string): Promise<ProbeOutcome>
  /** Called when it becomes known whether an engine works, and when that changes. */
  onOutcome(engine: string, outcome: ProbeOutcome): void
  timing?: Partial<typeof TIMING>
}

const TIMING = {
  /** How long the answer of an engine that works is believed. */
  recheckMs: 300_000,
  firstRetryMs: 1_000,
  maxRetryMs: 30_000,
}
/** More at once would make each of them late on a machine that is busy. */
const MAX_AT_ONCE = 2
/** An engine that fails may have been unlucky; one that fails this often in a row does not work. */
const MAX_FAILURES = 3

interface EngineState {
  known: 'works' | 'broken' | undefined
  version?: string
  /** What was last reported to be missing. */
  lack?: string
  failures: number
  retryMs: number
}

/**
 * Finds out which engines work by trying each, a few at once, and tries them again for as long as the worker runs: what
 * was installed later is found, what has vanished is noticed, and lateness proves nothing.
 */
export class ToolProbes {
  readonly #options: ProbeOptions
  readonly #timing: typeof TIMING
  readonly #states: Map<string, EngineState>
  readonly #due: string[]
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #firstRound = Promise.withResolvers<void>()
  readonly #untried: Set<string>
  #probing = 0
  #isStopped = false

  constructor(engines: readonly string[], options: ProbeOptions) {
    this.#options = options
    this.#timing = { ...TIMING, ...options.timing }
    const fresh = () => ({ known: undefined, failures: 0, retryMs: this.#timing.firstRetryMs })
    this.#states = new Map(engines.map(engine => [engine, fresh()]))
    this.#due = [...engines]
    this.#untried = new Set(engines)
    this.#fill()
  }

  /** Resolves when every engine has been tried once. */
  get firstRound(): Promise<void> {
    return this.#firstRound.promise
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#firstRound.resolve()
  }

  #fill(): void {
    while (!this.#isStopped && this.#probing < MAX_AT_ONCE && this.#due.length > 0) void this.#probe(this.#due.shift()!)
  }

  async #probe(engine: string): Promise<void> {
    this.#probing += 1
    const outcome = await this.#options.probe(engine)
    this.#probing -= 1
    this.#untried.delete(engine)
    if (this.#isStopped) return
    this.#schedule(engine, this.#judge(engine, this.#states.get(engine)!, outcome))
    if (this.#untried.size === 0) this.#firstRound.resolve()
    this.#fill()
  }

  /** Returns the time until the next try. */
  #judge(engine: string, state: EngineState, outcome: ProbeOutcome): number {
    if (outcome.kind === 'works') {
      const isChanged = state.known !== 'works' || state.version !== outcome.version
      Object.assign(state, { known: 'works', version: outcome.version, failures: 0 })
      state.retryMs = this.#timing.firstRetryMs
      if (isChanged) this.#options.onOutcome(engine, outcome)
      return this.#timing.recheckMs
    }
    if (outcome.kind === 'failed') state.failures += 1
    const isProven = outcome.kind === 'absent' || (outcome.kind === 'failed' && state.failures >= MAX_FAILURES)
    const lack = describeLack(outcome.error)
    if (isProven && (state.known !== 'broken' || state.lack !== lack)) {
      Object.assign(state, { known: 'broken', lack })
      this.#options.onOutcome(engine, outcome)
    }
    const waitMs = state.retryMs
    state.retryMs = Math.min(waitMs * 2, this.#timing.maxRetryMs)
    return waitMs
  }

  #schedule(engine: string, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#due.push(engine)
      this.#fill()
    }, delayMs).unref()
    this.#timers.add(timer)
  }
}

function describeLack(error: unknown): string {
  return String((error as { hints?: { install?: unknown } }).hints?.install)
}
