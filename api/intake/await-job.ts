import type { Db } from '../../sql/db.ts'
import { type JobStatus, type Outcome, readOutcomes } from '../../sql/job.ts'
import { pause } from '../../sql/line.ts'

/** How a job ended. */
export interface JobEnd {
  id: string
  status: JobStatus
  chargedMicros: bigint
  /** The result of a job that succeeded, else the problem. */
  content: unknown
}

export interface Waiter {
  /** Resolves with the end, or with nothing when the time is up or the wait was given up. */
  end: Promise<JobEnd | undefined>
  giveUp(): void
}

type Listener = (end: JobEnd) => void

/** Whoever waits for jobs in this process. Start waiting before the job is enqueued: a fast one ends sooner. */
export class JobWaiters {
  readonly #db: Db
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #open = new Set<() => void>()
  #asked = new Set<string>()

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

  /** Ends every wait without an end: each caller gets its ticket. */
  dismiss(): void {
    for (const waiter of [...this.#open]) waiter()
  }

  /** News of the database: ends that are whole are told at once, bare ids are read together in one query. */
  hear(news: string): void {
    for (const outcome of JSON.parse(news) as [string] | Outcome[]) {
      const [id, status] = outcome as Outcome
      if (!this.#listeners.has(id)) continue
      if (status === undefined) this.#ask(id)
      else this.#tell(outcome as Outcome)
    }
  }

  /** Asks for everything that is waited for, because news may have been missed. */
  catchUp(): void {
    for (const id of this.#listeners.keys()) this.#ask(id)
  }

  #ask(id: string): void {
    if (this.#asked.size === 0) setImmediate(() => void this.#readAsked())
    this.#asked.add(id)
  }

  async #readAsked(): Promise<void> {
    const ids = [...this.#asked]
    this.#asked = new Set()
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        for (const outcome of await readOutcomes(this.#db, ids)) this.#tell(outcome)
        return
      } catch {
        await pause(200 * 2 ** attempt)
      }
    }
  }

  #tell([id, status, charged, content]: Outcome): void {
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
