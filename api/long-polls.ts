import { Problem } from '#kit'
import type { AnswerSink } from './intake/reply/sink.ts'

/** What was found, whether there is more to wait for, and when it changes at the latest without a notification. */
interface Finding<Found> {
  found: Found
  isFinal: boolean
  changesInMs: number
}

/** One call that waits: over when its time is up, its caller is gone, or the process stops. */
class Wait {
  isOver = false
  isGone = false
  readonly #over = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout

  constructor(seconds: number) {
    this.#timer = setTimeout(() => this.end(), seconds * 1_000)
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  end(): void {
    this.isOver = true
    clearTimeout(this.#timer)
    this.#over.resolve()
  }

  leave(): void {
    this.isGone = true
    this.end()
  }
}

/** When to ask again if the moment of a change has passed here: the clock of the database may be behind ours. */
const LATE_MS = 100

interface WaitOptions {
  accountId: string
  seconds: number
  /** How many calls of the account may wait at once. */
  max: number
  reply: AnswerSink
}

/** The calls of this process that wait for a change. What they wait for is in the database, which notifies `long_polls`. */
export class LongPolls {
  readonly #alarms = new Map<string, Set<() => void>>()
  readonly #open = new Map<string, Set<Wait>>()
  readonly #lines = new Map<string, Promise<unknown>>()

  /** Something of this key has changed. */
  wake(key: string): void {
    for (const ring of [...(this.#alarms.get(key) ?? [])]) ring()
  }

  /** Notifications may have been missed. */
  wakeAll(): void {
    for (const key of [...this.#alarms.keys()]) this.wake(key)
  }

  /** The process stops: each call gets the state of now. */
  endAll(): void {
    for (const waits of this.#open.values()) for (const wait of [...waits]) wait.end()
  }

  /** Asks until the answer is final or the wait is over, first at once and then at each change. */
  async until<Found>(key: string, options: WaitOptions, ask: () => Promise<Finding<Found>>): Promise<Found> {
    if (options.seconds === 0) return (await ask()).found
    return this.#during(options, wait => this.#askRepeatedly(key, wait, ask))
  }

  /** The same, but of the calls with one key only the first asks; the others follow in the order in which they came. */
  async inTurnUntil<Found>(key: string, options: WaitOptions, ask: () => Promise<Finding<Found>>): Promise<Found> {
    if (options.seconds === 0) return (await ask()).found
    return this.#during(options, async wait => {
      const done = Promise.withResolvers<void>()
      const before = this.#lines.get(key)
      const line = Promise.all([before, done.promise])
      this.#lines.set(key, line)
      try {
        if (before) await Promise.race([before, wait.over])
        return await this.#askRepeatedly(key, wait, ask)
      } finally {
        done.resolve()
        if (this.#lines.get(key) === line) this.#lines.delete(key)
      }
    })
  }

  async #during<Found>(options: WaitOptions, work: (wait: Wait) => Promise<Found>): Promise<Found> {
    const { accountId, seconds, max, reply } = options
    const waits = this.#open.get(accountId) ?? new Set()
    if (waits.size >= max) throw new Problem('TOO_MANY_WAITS', { max })
    const wait = new Wait(seconds)
    this.#open.set(accountId, waits.add(wait))
    reply.raw.once('close', () => wait.leave())
    try {
      return await work(wait)
    } finally {
      wait.end()
      waits.delete(wait)
      if (waits.size === 0) this.#open.delete(accountId)
    }
  }

  async #askRepeatedly<Found>(key: string, wait: Wait, ask: () => Promise<Finding<Found>>): Promise<Found> {
    for (;;) {
      // Nobody is there to get what the next attempt would take.
      if (wait.isGone) throw new Problem('TIME_LIMIT_EXCEEDED')
      // Set before asking, because the change may come while the answer is under way.
      using alarm = this.#setAlarm(key)
      const { found, isFinal, changesInMs } = await ask()
      if (isFinal || wait.isOver) return found
      alarm.ringAfter(changesInMs)
      await Promise.race([alarm.rung, wait.over])
      if (wait.isOver && !wait.isGone) return found
    }
  }

  #setAlarm(key: string) {
    const { promise: rung, resolve: ring } = Promise.withResolvers<void>()
    const alarms = this.#alarms.get(key) ?? new Set()
    this.#alarms.set(key, alarms.add(ring))
    let timer: NodeJS.Timeout | undefined
    return {
      rung,
      ringAfter: (ms: number) => {
        timer = setTimeout(ring, ms > 0 ? ms : LATE_MS)
      },
      [Symbol.dispose]: () => {
        clearTimeout(timer)
        alarms.delete(ring)
        if (alarms.size === 0 && this.#alarms.get(key) === alarms) this.#alarms.delete(key)
      },
    }
  }
}
