import type { Lane } from '#kit'
import type { Logger } from '../../ops/log.ts'
import { Connection } from '../../sql/db.ts'
import { vacuumLane } from '../../sql/lane.ts'

const CHECK_INTERVAL_MS = 2_000
/** After this many jobs the dead entries in a queue's index slow the next fetch down. */
const MIN_JOBS = 2_000

/**
 * Vacuums the queues that are busy. Fetching the next job walks over all entries deleted since the last vacuum, and
 * Postgres checks by itself only once a minute.
 */
export class QueueVacuum {
  readonly #connection: Connection
  readonly #log: Logger
  readonly #jobsSinceVacuum = new Map<Lane, number>()
  readonly #timer: NodeJS.Timeout
  #isVacuuming = false

  constructor(url: string, log: Logger) {
    this.#connection = new Connection(url, 'vacuum')
    this.#log = log
    this.#timer = setInterval(() => void this.#vacuumBusyLanes(), CHECK_INTERVAL_MS).unref()
  }

  countJob(lane: Lane): void {
    this.#jobsSinceVacuum.set(lane, (this.#jobsSinceVacuum.get(lane) ?? 0) + 1)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#connection.close()
  }

  async #vacuumBusyLanes(): Promise<void> {
    if (this.#isVacuuming) return
    this.#isVacuuming = true
    try {
      for (const [lane, jobs] of this.#jobsSinceVacuum) {
        if (jobs < MIN_JOBS) continue
        this.#jobsSinceVacuum.set(lane, 0)
        await vacuumLane(this.#connection, lane)
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'queues not vacuumed')
    } finally {
      this.#isVacuuming = false
    }
  }
}
