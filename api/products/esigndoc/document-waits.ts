import { Problem } from '#kit'
import type { DbPool } from '../../../sql/db.ts'

/** A notification that was lost is made up for by another look after so long. */
const LOOK_MS = 2_000
const LIMIT_MS = 20_000

/** Calls that wait for what a worker does; the database notifies `envelope_documents`. */
export class DocumentWaits {
  readonly db: DbPool
  readonly #alarms = new Map<string, Set<() => void>>()

  constructor(db: DbPool) {
    this.db = db
  }

  wake(key: string): void {
    for (const ring of [...(this.#alarms.get(key) ?? [])]) ring()
  }

  wakeAll(): void {
    for (const key of [...this.#alarms.keys()]) this.wake(key)
  }

  /** Looks until there is something. Throws BUSY if no worker has done it in time; it may be there for the next call. */
  async until<Found>(key: string, look: (db: DbPool) => Promise<Found | undefined>): Promise<Found> {
    const endsMs = performance.now() + LIMIT_MS
    for (;;) {
      // Set before looking, because the notification may come while the answer is under way.
      const alarm = this.#setAlarm(key)
      try {
        const found = await look(this.db)
        if (found !== undefined) return found
        const leftMs = endsMs - performance.now()
        if (leftMs <= 0) throw new Problem('BUSY', { retryAfterSeconds: 5 })
        await alarm.rings(Math.min(LOOK_MS, leftMs))
      } finally {
        alarm.drop()
      }
    }
  }

  #setAlarm(key: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const alarms = this.#alarms.get(key) ?? new Set()
    this.#alarms.set(key, alarms.add(resolve))
    let timer: NodeJS.Timeout | undefined
    return {
      rings(ms: number): Promise<void> {
        timer = setTimeout(resolve, ms)
        return promise
      },
      drop: () => {
        clearTimeout(timer)
        alarms.delete(resolve)
        if (alarms.size === 0 && this.#alarms.get(key) === alarms) this.#alarms.delete(key)
      },
    }
  }
}
