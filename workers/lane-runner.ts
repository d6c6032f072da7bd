import { EventEmitter } from 'node:events'
import {
  parseCronItems,
  type Runner,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  WorkerPreset,
} from 'graphile-worker'
import pg from 'pg'
import type { Lane, Payload } from '#kit'
import { pause } from '../sql/line.ts'
import { choreTasks } from './chores.ts'
import type { WorkFloor } from './floor.ts'
import { hearOwnLaneOnly } from './lane-news.ts'
import { perform } from './perform.ts'

/** Cheap jobs are fetched many at a time; of dear ones each worker takes no more than it can run. */
const LOCAL_QUEUE: Partial<Record<Lane, number>> = { thread: 128, remote: 16 }

/** A queue is empty when its plans are first made, and full when they matter. */
const PLANS = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan'

/** The queue writes the ids of its failed jobs into JSON, which takes no BigInt: here int8 stays the text it came as. */
const QUEUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid as number) === pg.types.builtins.INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
}

const STOPS_WITHIN_MS = 9_000
const LOOK_MS = 100

/** What takes jobs from the queue of one lane, with the connections it uses. */
export class LaneRunner {
  readonly lane: Lane
  readonly concurrency: number
  readonly poolIds = new Set<string>()
  readonly #floor: WorkFloor
  readonly #pool: pg.Pool
  readonly #onHurt: (runner: LaneRunner) => void
  #runner: Runner | undefined
  #performing = 0
  #isHurt = false

  /** `onHurt` is called once, when the runner has lost a connection or given up, and should be replaced. */
  static async start(
    floor: WorkFloor,
    lane: Lane,
    concurrency: number,
    onHurt: (runner: LaneRunner) => void,
  ): Promise<LaneRunner> {
    const runner = new LaneRunner(floor, lane, concurrency, onHurt)
    try {
      await runner.#run()
      return runner
    } catch (error) {
      runner.#isHurt = true
      void runner.#pool.end()
      throw error
    }
  }

  private constructor(floor: WorkFloor, lane: Lane, concurrency: number, onHurt: (runner: LaneRunner) => void) {
    this.lane = lane
    this.concurrency = concurrency
    this.#floor = floor
    this.#onHurt = onHurt
    this.#pool = new pg.Pool({
      connectionString: floor.config.databaseUrl,
      max: 8,
      application_name: `coinop lane ${lane}`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 25_000,
      options: PLANS,
      types: QUEUE_TYPES,
    })
    this.#pool.on('error', error => this.#hurt(error))
    this.#pool.on('connect', client => void client.on('error', error => this.#hurt(error)))
  }

  /** Takes nothing new; settles when what was begun is over, even where the queue itself never says so. */
  async stop(): Promise<void> {
    this.#isHurt = true
    const stopped = this.#runner!.stop().catch(() => undefined)
    await Promise.race([stopped, pause(STOPS_WITHIN_MS)])
    while (this.#performing > 0) await pause(LOOK_MS)
    void this.#pool.end()
  }

  async #run(): Promise<void> {
    const { lane, concurrency } = this
    const events = new EventEmitter() as WorkerEvents
    events.on('pool:create', ({ workerPool }) => this.poolIds.add(workerPool.id))
    hearOwnLaneOnly(events, lane)
    events.on('pool:gracefulShutdown', ({ message }) => this.#hurt(new Error(message)))
    const size = LOCAL_QUEUE[lane]
    this.#runner = await run({
      pgPool: this.#pool,
      schema: `lane_${lane}`,
      taskList: this.#tasks(),
      parsedCronItems: lane === 'remote' ? parseCronItems(choreTasks(this.#floor).cron) : [],
      noHandleSignals: true,
      events,
      logger: this.#floor.queueLog,
      preset: {
        extends: [WorkerPreset],
        worker: {
          concurrentJobs: concurrency,
          pollInterval: 1_000,
          gracefulShutdownAbortTimeout: 8_000,
          completeJobBatchDelay: size ? 0 : -1,
          failJobBatchDelay: size ? 0 : -1,
          ...(size ? { localQueue: { size: Math.max(size, concurrency) } } : {}),
        },
      },
    })
    this.#runner.promise.catch(error => this.#hurt(error))
  }

  #tasks(): TaskList {
    const task: Task = async (payload, helpers) => {
      this.#performing++
      this.#floor.tidy.count(this.lane)
      try {
        await perform(this.#floor, { payload: payload as Payload, delivery: helpers.job.attempts })
      } finally {
        this.#performing--
      }
    }
    return this.lane === 'remote' ? { perform: task, ...choreTasks(this.#floor).tasks } : { perform: task }
  }

  #hurt(error: unknown): void {
    if (this.#isHurt) return
    this.#isHurt = true
    this.#floor.log.warn({ lane: this.lane, err: error }, 'a lane has lost its queue; it is given another runner')
    this.#onHurt(this)
  }
}
