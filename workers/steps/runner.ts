import { EventEmitter } from 'node:events'
import { type Runner, run, type TaskList, type WorkerEvents, type WorkerPool, WorkerPreset } from 'graphile-worker'
import { pause } from '../../sql/connection.ts'
import { unlockPools } from '../../sql/lane.ts'
import type { WorkerContext } from '../context.ts'
import { openStepPool } from './connections.ts'
import { buildStepTasks, type NamedStep } from './tasks.ts'

const RETRY_MS = 1_000
const POLL_MS = 2_000

interface OpenRunner {
  runner: Runner
  concurrency: number
  /** The pools that may have steps locked. */
  poolIds: Set<string>
}

/**
 * Runs the steps of products, from a queue and with places of their own. A runner of the queue that has lost its connection is
 * replaced by a new one.
 */
export class StepRunner {
  readonly #context: WorkerContext
  readonly #tasks: TaskList
  readonly #onPools: () => void
  readonly #poolIds = new Set<string>()
  #running: OpenRunner | undefined
  #workerPool: WorkerPool | undefined
  #lastChange: Promise<void> = Promise.resolve()
  #isStopped = false

  /** `onPools` is called before a new pool fetches its first step, and when one is gone. */
  constructor(context: WorkerContext, steps: readonly NamedStep[], onPools: () => void) {
    this.#context = context
    this.#tasks = buildStepTasks(context, steps)
    this.#onPools = onPools
  }

  poolIds(): string[] {
    return [...this.#poolIds]
  }

  /** Fetches at once, because steps are due. */
  nudge(steps: number): void {
    this.#workerPool?.nudge(steps)
  }

  /** Runs as many steps at once as the setting says. */
  resize(): Promise<void> {
    return this.#serialize(async () => {
      const { settings, isDraining, config } = this.#context
      const concurrency = isDraining || config.isQuiet ? 0 : settings.get('step.concurrency')
      const old = this.#running
      if ((old?.concurrency ?? 0) === concurrency) return
      if (concurrency > 0) await this.#start(concurrency)
      else this.#running = undefined
      if (old) void this.#retire(old)
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#lastChange
    await this.#running?.runner.stop().catch(() => undefined)
  }

  #serialize(change: () => Promise<void>): Promise<void> {
    this.#lastChange = this.#lastChange.then(change)
    return this.#lastChange
  }

  /** Retries until the database is reachable. */
  async #start(concurrency: number): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#running = await this.#open(concurrency)
        return
      } catch (error) {
        this.#context.log.warn({ err: error }, 'the queue of steps could not be opened; retrying')
        await pause(RETRY_MS)
      }
    }
  }

  async #open(concurrency: number): Promise<OpenRunner> {
    const pool = openStepPool(this.#context.config.databaseUrl)
    const poolIds = new Set<string>()
    const runner = await run({
      pgPool: pool,
      schema: 'lane_step',
      taskList: this.#tasks,
      parsedCronItems: [],
      noHandleSignals: true,
      events: this.#listen(poolIds),
      logger: this.#context.queueLog,
      preset: {
        extends: [WorkerPreset],
        worker: {
          concurrentJobs: concurrency,
          pollInterval: POLL_MS,
          gracefulShutdownAbortTimeout: 8_000,
          // As in the lanes: written unawaited, the end of a step could end this process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    })
    const opened = { runner, concurrency, poolIds }
    const onEnd = (error?: unknown) => {
      void pool.end()
      this.#replace(opened, error)
    }
    runner.promise.then(onEnd, onEnd)
    return opened
  }

  #listen(poolIds: Set<string>): WorkerEvents {
    const events = new EventEmitter() as WorkerEvents
    events.on('pool:create', ({ workerPool }) => {
      this.#workerPool = workerPool
      poolIds.add(workerPool.id)
      this.#poolIds.add(workerPool.id)
      this.#onPools()
    })
    // Each notification wakes every backend that listens to any channel, so the worker listens once for all queues.
    events.on('pool:listen:success', ({ client }) => {
      client.once('drain', () => void client.query('unlisten *').catch(() => undefined))
    })
    return events
  }

  /** The queue gives a runner up when it has failed to fetch several times. */
  #replace(ended: OpenRunner, error: unknown): void {
    if (this.#isStopped || this.#running !== ended) return
    this.#context.log.warn({ err: error }, 'the queue of steps was lost; its runner is replaced')
    void this.#serialize(() => this.#start(ended.concurrency))
    void this.#retire(ended)
  }

  /** What an old runner could not end is free for others once it has stopped. */
  async #retire({ runner, poolIds }: OpenRunner): Promise<void> {
    await runner.stop().catch(() => undefined)
    while (!this.#isStopped) {
      try {
        await unlockPools(this.#context.db, [...poolIds])
        break
      } catch {
        await pause(RETRY_MS)
      }
    }
    for (const poolId of poolIds) this.#poolIds.delete(poolId)
    this.#onPools()
  }
}
