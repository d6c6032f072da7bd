import { availableParallelism } from 'node:os'
import type { Lane } from '#kit'
import { pause } from '../sql/connection.ts'
import { unlockPools } from '../sql/lane.ts'
import type { WorkerContext } from './context.ts'
import { LaneRunner } from './lane-runner.ts'

const RETRY_DELAY_MS = 1_000

/** The queues that this worker takes jobs from, one runner a lane. To change a lane, a new runner replaces the old one. */
export class Lanes {
  readonly #context: WorkerContext
  readonly #running = new Map<Lane, LaneRunner>()
  readonly #draining = new Set<LaneRunner>()
  readonly #onPoolsChanged: (poolIds: string[]) => void
  #lastChange: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(context: WorkerContext, onPoolsChanged: (poolIds: string[]) => void) {
    this.#context = context
    this.#onPoolsChanged = onPoolsChanged
  }

  /** Changes every lane to the size that its setting asks for. */
  resize(): Promise<void> {
    return this.#serialize(async () => {
      for (const lane of this.#context.config.lanes) await this.#resizeLane(lane)
    })
  }

  sizes(): Partial<Record<Lane, number>> {
    return Object.fromEntries([...this.#running].map(([lane, { concurrency }]) => [lane, concurrency]))
  }

  poolIds(): string[] {
    return [...this.#running.values(), ...this.#draining].flatMap(({ poolIds }) => [...poolIds])
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#lastChange
    await Promise.all([...this.#running.values(), ...this.#draining].map(runner => runner.stop()))
    this.#running.clear()
  }

  #serialize(change: () => Promise<void>): Promise<void> {
    this.#lastChange = this.#lastChange.then(change)
    return this.#lastChange
  }

  async #resizeLane(lane: Lane): Promise<void> {
    const size = laneSize(this.#context, lane)
    const current = this.#running.get(lane)
    if (current?.concurrency === size) return
    await this.#replace(lane, size)
    if (current) this.#context.log.info({ lane, from: current.concurrency, to: size }, 'lane resized')
  }

  /**
   * A runner that lost its connection may have locked jobs without learning of them, or may have stopped silently. A new
   * runner replaces it, and the jobs that the old one had not begun go back to the queue.
   */
  async #replaceFailed(failed: LaneRunner): Promise<void> {
    await pause(RETRY_DELAY_MS)
    await this.#serialize(async () => {
      if (this.#running.get(failed.lane) === failed) await this.#replace(failed.lane, failed.concurrency)
    })
  }

  async #replace(lane: Lane, concurrency: number): Promise<void> {
    const old = this.#running.get(lane)
    this.#context.pools.resize(lane, concurrency)
    const next = concurrency > 0 ? await this.#start(lane, concurrency) : undefined
    if (next) this.#running.set(lane, next)
    else this.#running.delete(lane)
    if (old) void this.#drain(old)
    this.#onPoolsChanged(this.poolIds())
  }

  /** Retries until the database is reachable. */
  async #start(lane: Lane, concurrency: number): Promise<LaneRunner | undefined> {
    while (!this.#isStopped) {
      try {
        return await LaneRunner.start(this.#context, lane, concurrency, failed => void this.#replaceFailed(failed))
      } catch (error) {
        this.#context.log.warn({ lane, err: error }, 'a lane could not be started; retrying')
        await pause(RETRY_DELAY_MS)
      }
    }
    return undefined
  }

  async #drain(old: LaneRunner): Promise<void> {
    this.#draining.add(old)
    await old.stop()
    while (!this.#isStopped && !(await this.#unlockJobs(old))) await pause(RETRY_DELAY_MS)
    this.#draining.delete(old)
    if (!this.#isStopped) this.#onPoolsChanged(this.poolIds())
  }

  async #unlockJobs({ lane, poolIds }: LaneRunner): Promise<boolean> {
    try {
      await unlockPools(this.#context.db, [...poolIds])
      return true
    } catch (error) {
      this.#context.log.warn({ lane, err: error }, 'the jobs of an old runner are not unlocked yet; retrying')
      return false
    }
  }
}

/** More jobs than cores, because they also wait for the disk and the database. */
const SIZES_BY_CORES: Partial<Record<Lane, (cores: number) => number>> = {
  native: cores => cores * 2,
  program: cores => cores + 2,
}

export function laneSize(context: Pick<WorkerContext, 'settings'>, lane: Lane): number {
  const cores = availableParallelism()
  return context.settings.get(`lane.${lane}.concurrency`) || (SIZES_BY_CORES[lane]?.(cores) ?? cores)
}
