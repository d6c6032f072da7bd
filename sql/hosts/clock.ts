import { type Db, value } from '../db.ts'

const MEASURE_MS = 10_000
/** Clocks that are this near are left alone, so that times do not jump by what a round trip took. */
const NEAR_MS = 500

/** `onDifference` is told when the clock of this host is found to be wrong, or right again. */
export async function openClock(db: Db, onDifference: (aheadMs: number) => void): Promise<DatabaseClock> {
  const clock = new DatabaseClock(db, onDifference)
  await clock.measure()
  return clock
}

/** The clock of the database, which all hosts share: the clock of this host, less what it is ahead. */
export class DatabaseClock {
  readonly #db: Db
  readonly #onDifference: (aheadMs: number) => void
  readonly #timer: NodeJS.Timeout
  /** How much the clock of this host is ahead. */
  aheadMs = 0

  constructor(db: Db, onDifference: (aheadMs: number) => void) {
    this.#db = db
    this.#onDifference = onDifference
    // Without the database, what was measured last applies.
    this.#timer = setInterval(() => void this.measure().catch(() => undefined), MEASURE_MS).unref()
  }

  now(): number {
    return Date.now() - this.aheadMs
  }

  async measure(): Promise<void> {
    const askedAt = performance.now()
    const databaseMs = await value<number>(this.#db, 'select extract(epoch from clock_timestamp())::float8 * 1000')
    const halfTripMs = (performance.now() - askedAt) / 2
    const aheadMs = Math.round(Date.now() - halfTripMs - databaseMs)
    if (Math.abs(aheadMs - this.aheadMs) <= NEAR_MS + halfTripMs) return
    this.aheadMs = Math.abs(aheadMs) <= NEAR_MS + halfTripMs ? 0 : aheadMs
    this.#onDifference(this.aheadMs)
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
