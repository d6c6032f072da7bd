import { availableParallelism } from 'node:os'
import type { Lane } from '#kit'
import { unlockPools } from '../sql/lane.ts'
import { pause } from '../sql/line.ts'
import type { WorkFloor } from './floor.ts'
import { LaneRunner } from './lane-runner.ts'

const MEND_AFTER_MS = 1_000

/** The queues this worker takes from, one runner a lane; a lane is changed by a new runner while the old one drains. */
export class Lanes {
  readonly #floor: WorkFloor
  readonly #running = new Map<Lane, LaneRunner>()
  readonly #draining = new Set<LaneRunner>()
  readonly #onPools: (poolIds: string[]) => void
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(floor: WorkFloor, onPools: (poolIds: string[]) => void) {
    this.#floor = floor
    this.#onPools = onPools
  }

  /** Brings every lane to the size of its setting. */
  resize(): Promise<void> {
    return this.#inTurn(async () => {
      for (const lane of this.#floor.config.lanes) await this.#resizeLane(lane)
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
    await this.#turn
    await Promise.all([...this.#running.values(), ...this.#draining].map(runner => runner.stop()))
    this.#running.clear()
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(change)
    return this.#turn
  }

  async #resizeLane(lane: Lane): Promise<void> {
    const wanted = sizeOf(this.#floor, lane)
    const current = this.#running.get(lane)
    if (current?.concurrency === wanted) return
    await this.#replace(lane, wanted)
    if (current) this.#floor.log.info({ lane, from: current.concurrency, to: wanted }, 'lane resized')
  }

  /**
   * A runner that was cut off may have been given jobs whose names it never heard, or have stopped for good without
   * a word. Another takes its place, and what the old one had not begun goes back to the queue.
   */
  async #mend(hurt: LaneRunner): Promise<void> {
    await pause(MEND_AFTER_MS)
    await this.#inTurn(async () => {
      if (this.#running.get(hurt.lane) === hurt) await this.#replace(hurt.lane, hurt.concurrency)
    })
  }

  async #replace(lane: Lane, concurrency: number): Promise<void> {
    const old = this.#running.get(lane)
    this.#floor.pools.resize(lane, concurrency)
    const next = concurrency > 0 ? await this.#start(lane, concurrency) : undefined
    if (next) this.#running.set(lane, next)
    else this.#running.delete(lane)
    if (old) void this.#drain(old)
    this.#onPools(this.poolIds())
  }

  /** Tries until the database lets it. */
  async #start(lane: Lane, concurrency: number): Promise<LaneRunner | undefined> {
    while (!this.#isStopped) {
      try {
        return await LaneRunner.start(this.#floor, lane, concurrency, hurt => void this.#mend(hurt))
      } catch (error) {
        this.#floor.log.warn({ lane, err: error }, 'a lane could not be started; it is tried again')
        await pause(MEND_AFTER_MS)
      }
    }
    return undefined
  }

  async #drain(old: LaneRunner): Promise<void> {
    this.#draining.add(old)
    await old.stop()
    while (!this.#isStopped && !(await this.#freed(old))) await pause(MEND_AFTER_MS)
    this.#draining.delete(old)
    if (!this.#isStopped) this.#onPools(this.poolIds())
  }

  async #freed({ lane, poolIds }: LaneRunner): Promise<boolean> {
    try {
      await unlockPools(this.#floor.db, [...poolIds])
      return true
    } catch (error) {
      this.#floor.log.warn({ lane, err: error }, 'the jobs of an old runner are not free yet')
      return false
    }
  }
}

/** Programs wait for the disk and the books as well, so that as many as there are cores would not fill them. */
const BY_CORES: Partial<Record<Lane, (cores: number) => number>> = {
  native: cores => cores * 2,
  program: cores => cores + 2,
}

export function sizeOf(floor: Pick<WorkFloor, 'settings'>, lane: Lane): number {
  const cores = availableParallelism()
  return floor.settings.get(`lane.${lane}.concurrency`) || (BY_CORES[lane]?.(cores) ?? cores)
}
