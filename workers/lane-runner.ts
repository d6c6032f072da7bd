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
import type { JobPayload, Lane } from '#kit'
import { pause } from '../sql/connection.ts'
import { buildChoreTasks } from './chores.ts'
import type { WorkerContext } from './context.ts'
import { ignoreOtherLanes } from './lane-notify.ts'
import { perform } from './perform.ts'

/** How many jobs are fetched ahead. Other lanes have expensive jobs, so a worker takes only those it can run at once. */
const LOCAL_QUEUE_SIZES: Partial<Record<Lane, number>> = { thread: 128, remote: 16 }

/** A queue is empty when its statements are planned, so the planner would choose sequential scans. */
const PLANNER_OPTIONS = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan'

/** graphile-worker writes the ids of failed jobs into JSON, which takes no BigInt, so int8 stays text here. */
const QUEUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid as number) === pg.types.builtins.INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
}

const STOP_TIMEOUT_MS = 9_000
const POLL_MS = 100

/** Takes jobs from the queue of one lane, over connections of its own. */
export class LaneRunner {
  readonly lane: Lane
  readonly concurrency: number
  readonly poolIds = new Set<string>()
  readonly #context: WorkerContext
  readonly #pool: pg.Pool
  readonly #onFailed: (runner: LaneRunner) => void
  #runner: Runner | undefined
  #performing = 0
  #hasFailed = false

  /** `onFailed` is called once, when the runner has lost a connection or given up and must be replaced. */
  static async start(
    context: WorkerContext,
    lane: Lane,
    concurrency: number,
    onFailed: (runner: LaneRunner) => void,
  ): Promise<LaneRunner> {
    const runner = new LaneRunner(context, lane, concurrency, onFailed)
    try {
      await runner.#startQueue()
      return runner
    } catch (error) {
      runner.#hasFailed = true
      void runner.#pool.end()
      throw error
    }
  }

  private constructor(context: WorkerContext, lane: Lane, concurrency: number, onFailed: (runner: LaneRunner) => void) {
    this.lane = lane
    this.concurrency = concurrency
    this.#context = context
    this.#onFailed = onFailed
    this.#pool = new pg.Pool({
      connectionString: context.config.databaseUrl,
      max: 8,
      application_name: `coinop lane ${lane}`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 25_000,
      options: PLANNER_OPTIONS,
      types: QUEUE_TYPES,
    })
    this.#pool.on('error', error => this.#fail(error))
    this.#pool.on('connect', client => void client.on('error', error => this.#fail(error)))
  }

  /** Takes no new jobs; resolves when the running ones have ended, even if the queue itself never reports that. */
  async stop(): Promise<void> {
    this.#hasFailed = true
    const stopped = this.#runner!.stop().catch(() => undefined)
    await Promise.race([stopped, pause(STOP_TIMEOUT_MS)])
    while (this.#performing > 0) await pause(POLL_MS)
    void this.#pool.end()
  }

  async #startQueue(): Promise<void> {
    const { lane, concurrency } = this
    const events = new EventEmitter() as WorkerEvents
    events.on('pool:create', ({ workerPool }) => this.poolIds.add(workerPool.id))
    ignoreOtherLanes(events, lane)
    events.on('pool:gracefulShutdown', ({ message }) => this.#fail(new Error(message)))
    const size = LOCAL_QUEUE_SIZES[lane]
    this.#runner = await run({
      pgPool: this.#pool,
      schema: `lane_${lane}`,
      taskList: this.#buildTasks(),
      parsedCronItems: lane === 'remote' ? parseCronItems(buildChoreTasks(this.#context).cron) : [],
      noHandleSignals: true,
      events,
      logger: this.#context.queueLog,
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
    this.#runner.promise.catch(error => this.#fail(error))
  }

  #buildTasks(): TaskList {
    const task: Task = async (payload, helpers) => {
      this.#performing++
      this.#context.vacuum.countJob(this.lane)
      try {
        await perform(this.#context, { payload: payload as JobPayload, delivery: helpers.job.attempts })
      } finally {
        this.#performing--
      }
    }
    return this.lane === 'remote' ? { perform: task, ...buildChoreTasks(this.#context).tasks } : { perform: task }
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#context.log.warn({ lane: this.lane, err: error }, 'a lane has lost its queue; its runner is replaced')
    this.#onFailed(this)
  }
}
