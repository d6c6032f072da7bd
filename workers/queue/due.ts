import type { Lane } from '#kit'
import type { Db } from '../../sql/db.ts'
import { countDueJobs } from '../../sql/lane.ts'

/** How often a queue is looked into for what is due, because notifications may be missed and times come without one. */
export const LOOK_MS = 1_000

/** Each loop of a queue polls by itself, so one looks for all of them, and this only limits the damage of a bug (Decision 0842). */
export const POLL_QUEUE_MS = 30_000

/** Wakes as many loops of a queue as it has jobs that are due. */
export class DueJobs {
  readonly #db: Db
  readonly #queue: Lane | 'step'
  readonly #nudge: (jobs: number) => void
  #isLooking = false

  constructor(db: Db, queue: Lane | 'step', nudge: (jobs: number) => void) {
    this.#db = db
    this.#queue = queue
    this.#nudge = nudge
  }

  /** What fails now is tried at the next look. */
  async wake(idleLoops: number): Promise<void> {
    if (idleLoops <= 0 || this.#isLooking) return
    this.#isLooking = true
    const woken = countDueJobs(this.#db, this.#queue, idleLoops).then(due => due > 0 && this.#nudge(due))
    await woken.catch(() => undefined)
    this.#isLooking = false
  }
}
