import { pause } from '../../sql/connection.ts'
import type { Db } from '../../sql/db.ts'
import { type JobOutcome, type JobStatus, readOutcomes } from '../../sql/job.ts'

/** How a job ended. */
export interface JobEnd {
  id: string
  status: JobStatus
  chargedMicros: bigint
  /** The result of a job that succeeded, else the problem. */
  content: unknown
}

interface Waiter {
  /** Resolves with the job's end, or undefined when the time is up or the wait was given up. */
  end: Promise<JobEnd | undefined>
  giveUp(): void
}

type Listener = (end: JobEnd) => void

/** The requests of this process that wait for jobs. Start waiting before enqueueing, because a fast job ends sooner. */
export class JobWaiters {
  readonly #db: Db
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #open = new Set<() => void>()
  #pendingIds = new Set<string>()

  constructor(db: Db) {
    this.#db = db
  }

  get size(): number {
    return this.#listeners.size
  }

  wait(id: string, ms: number): Waiter {
    let giveUp = (): void => undefined
    const end = new Promise<JobEnd | undefined>(resolve => {
      const timer = setTimeout(() => finish(undefined), ms)
      const finish = (outcome: JobEnd | undefined): void => {
        clearTimeout(timer)
        this.#open.delete(giveUp)
        this.#remove(id, listener)
        resolve(outcome)
      }
      const listener: Listener = finish
      giveUp = () => finish(undefined)
      this.#open.add(giveUp)
      const others = this.#listeners.get(id)
      if (others) others.add(listener)
      else this.#listeners.set(id, new Set([listener]))
    })
    return { end, giveUp }
  }

  /** Ends every wait, so that each caller gets its ticket. */
  giveUpAll(): void {
    for (const waiter of [...this.#open]) waiter()
  }

  /** Handles a notification. Complete outcomes are delivered at once; bare ids are read together in one query. */
  onNotify(notification: string): void {
    for (const outcome of JSON.parse(notification) as [string] | JobOutcome[]) {
      const [id, status] = outcome as JobOutcome
      if (!this.#listeners.has(id)) continue
      if (status === undefined) this.#readLater(id)
      else this.#deliver(outcome as JobOutcome)
    }
  }

  /** Reads every job that is waited for, because notifications may have been missed. */
  readMissed(): void {
    for (const id of this.#listeners.keys()) this.#readLater(id)
  }

  #readLater(id: string): void {
    if (this.#pendingIds.size === 0) setImmediate(() => void this.#readPending())
    this.#pendingIds.add(id)
  }

  async #readPending(): Promise<void> {
    const ids = [...this.#pendingIds]
    this.#pendingIds = new Set()
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        for (const outcome of await readOutcomes(this.#db, ids)) this.#deliver(outcome)
        return
      } catch {
        await pause(200 * 2 ** attempt)
      }
    }
  }

  #deliver([id, status, charged, content]: JobOutcome): void {
    for (const listener of this.#listeners.get(id) ?? []) {
      listener({ id, status, chargedMicros: BigInt(charged ?? 0), content })
    }
  }

  #remove(id: string, listener: Listener): void {
    const all = this.#listeners.get(id)
    all?.delete(listener)
    if (all?.size === 0) this.#listeners.delete(id)
  }
}
