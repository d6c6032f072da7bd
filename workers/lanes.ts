import { availableParallelism } from 'node:os'
import type { Lane } from '#kit'
import { pause } from '../sql/connection.ts'
import { unlockPools, unlockUnbegun } from '../sql/lane.ts'
import type { WorkerContext } from './context.ts'
import { LaneRunner, type LaneSize } from './lane-runner.ts'

const RETRY_DELAY_MS = 1_000

interface LanesEvents {
  /** Called before a new pool fetches its first job, and when one is gone. */
  onPools(poolIds: string[]): void
  onResized(): void
}

/** The queues that this worker takes jobs from, one runner a lane. To change a lane, a new runner replaces the old one. */
export class Lanes {
  readonly #context: WorkerContext
  readonly #running = new Map<Lane, LaneRunner>()
  readonly #draining = new Set<LaneRunner>()
  readonly #events: LanesEvents
  /** The pools that may have jobs locked. */
  readonly #pools = new Set<string>()
  #lastChange: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(context: WorkerContext, events: LanesEvents) {
    this.#context = context
    this.#events = events
  }

  /** Changes every lane to the size that its setting asks for. */
  resize(): Promise<void> {
    return this.#serialize(async () => {
      for (const lane of this.#context.config.lanes) await this.#resizeLane(lane)
    })
  }

  /** Fetches at once in a lane to which jobs were added. */
  nudge(lane: Lane, jobs: number): void {
    this.#running.get(lane)?.nudge(jobs)
  }

  sizes(): Partial<Record<Lane, number>> {
    return Object.fromEntries([...this.#running].map(([lane, { size }]) => [lane, size.concurrency]))
  }

  poolIds(): string[] {
    return [...this.#pools]
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
    const size = { concurrency: laneSize(this.#context, lane), spare: sparePlaces(this.#context, lane) }
    const current = this.#running.get(lane)?.size
    if (current?.concurrency === size.concurrency && current.spare === size.spare) return
    await this.#replace(lane, size)
    if (current) this.#context.log.info({ lane, from: current, to: size }, 'lane resized')
  }

  /**
   * A runner that lost its connection may have locked jobs without learning of them, or may have stopped silently. A new
   * runner replaces it, and the jobs that the old one had not begun go back to the queue.
   */
  async #replaceFailed(failed: LaneRunner): Promise<void> {
    await pause(RETRY_DELAY_MS)
    await this.#serialize(async () => {
      if (this.#running.get(failed.lane) === failed) await this.#replace(failed.lane, failed.size)
    })
  }

  async #replace(lane: Lane, size: LaneSize): Promise<void> {
    const old = this.#running.get(lane)
    const isOpen = size.concurrency > 0
    // Jobs that still run need what they run in.
    if (isOpen) this.#context.pools.resize(lane, size.concurrency + size.spare)
    const next = isOpen ? await this.#start(lane, size) : undefined
    if (next) this.#running.set(lane, next)
    else this.#running.delete(lane)
    if (old) void this.#drain(old)
    this.#events.onResized()
  }

  /** Retries until the database is reachable. */
  async #start(lane: Lane, size: LaneSize): Promise<LaneRunner | undefined> {
    while (!this.#isStopped) {
      const opened: string[] = []
      try {
        return await LaneRunner.start(this.#context, lane, size, {
          onPool: poolId => {
            opened.push(poolId)
            this.#pools.add(poolId)
            this.#events.onPools(this.poolIds())
          },
          onFailed: failed => void this.#replaceFailed(failed),
        })
      } catch (error) {
        this.#forgetPools(opened)
        this.#context.log.warn({ lane, err: error }, 'a lane could not be started; retrying')
        await pause(RETRY_DELAY_MS)
      }
    }
    return undefined
  }

  /** The jobs that the old runner has fetched but not begun are free at once, the others when they have ended. */
  async #drain(old: LaneRunner): Promise<void> {
    this.#draining.add(old)
    const stopped = old.stop()
    await this.#tryUnlock(old, () => unlockUnbegun(this.#context.db, old.lane, [...old.poolIds], old.performing()))
    await stopped
    const unlock = () => unlockPools(this.#context.db, [...old.poolIds])
    while (!this.#isStopped && !(await this.#tryUnlock(old, unlock))) await pause(RETRY_DELAY_MS)
    this.#draining.delete(old)
    if (!this.#isStopped) this.#forgetPools(old.poolIds)
  }

  async #tryUnlock({ lane }: LaneRunner, unlock: () => Promise<void>): Promise<boolean> {
    try {
      await unlock()
      return true
    } catch (error) {
      this.#context.log.warn({ lane, err: error }, 'the jobs of an old runner are not unlocked yet')
      return false
    }
  }

  #forgetPools(poolIds: Iterable<string>): void {
    for (const poolId of poolIds) this.#pools.delete(poolId)
    this.#events.onPools(this.poolIds())
  }
}

/** More jobs than cores, because they also wait for the disk and the database. */
const SIZES_BY_CORES: Partial<Record<Lane, (cores: number) => number>> = {
  native: cores => cores * 2,
  program: cores => cores + 2,
}

export function laneSize(context: Pick<WorkerContext, 'settings' | 'isDraining'>, lane: Lane): number {
  if (context.isDraining) return 0
  const cores = availableParallelism()
  return context.settings.get(`lane.${lane}.concurrency`) || (SIZES_BY_CORES[lane]?.(cores) ?? cores)
}

/** Jobs of the thread lane are short, and it has many places. */
function sparePlaces({ settings }: Pick<WorkerContext, 'settings'>, lane: Lane): number {
  return lane === 'thread' ? 0 : settings.get('queue.spare_places')
}
