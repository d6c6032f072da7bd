import type { Folders } from '../folders.ts'
import type { SandboxLevel } from '../programs/sandbox.ts'
import type { WorkerKind, WorkerStats } from './worker-kind.ts'
import { WorkerPool } from './worker-pool.ts'

/** The pools of one lane by the name of what they keep. A pool is opened by its first call. */
export class WorkerPools {
  readonly #pools = new Map<string, WorkerPool<unknown>>()
  readonly #folders: Folders
  #concurrency: number

  constructor(folders: Folders, concurrency: number) {
    this.#folders = folders
    this.#concurrency = concurrency
  }

  open<Session>(name: string, level: SandboxLevel, createKind: () => WorkerKind<Session>): WorkerPool<Session> {
    let pool = this.#pools.get(name) as WorkerPool<Session> | undefined
    if (!pool) {
      this.#forgetUnused()
      pool = new WorkerPool(createKind(), level, this.#folders, this.#concurrency)
      this.#pools.set(name, pool as WorkerPool<unknown>)
    }
    return pool
  }

  #forgetUnused(): void {
    for (const [name, pool] of this.#pools) {
      if (!pool.isForgettable) continue
      pool.close()
      this.#pools.delete(name)
    }
  }

  resize(concurrency: number): void {
    this.#concurrency = concurrency
    for (const pool of this.#pools.values()) pool.resize(concurrency)
  }

  stats(): WorkerStats {
    const all = [...this.#pools.values()].map(pool => pool.stats())
    const sum = (figure: keyof WorkerStats) => all.reduce((total, stats) => total + stats[figure], 0)
    return {
      processes: sum('processes'),
      rssBytes: sum('rssBytes'),
      recycled: sum('recycled'),
      crashed: sum('crashed'),
    }
  }

  close(): void {
    for (const pool of this.#pools.values()) pool.close()
  }
}
