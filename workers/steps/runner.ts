import { EventEmitter } from 'node:events'
import {
  type Runner,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
  WorkerPreset,
} from 'graphile-worker'
import type pg from 'pg'
import { pause } from '../../sql/connection.ts'
import { unlockPools } from '../../sql/lane.ts'
import { unlockIdle } from '../../sql/step/queue.ts'
import type { WorkerContext } from '../context.ts'
import { DueJobs, LOOK_MS, POLL_QUEUE_MS } from '../queue/due.ts'
import { watchFirstFetch } from '../queue/first-fetch.ts'
import { openStepPool } from './connections.ts'
import { buildStepTasks, type NamedStep } from './tasks.ts'

const RETRY_MS = 1_000
const STOP_TIMEOUT_MS = 9_000

interface OpenRunner {
  /** Absent while it starts. */
  runner?: Runner
  connections: pg.Pool
  concurrency: number
  /** The pools that may have steps locked. */
  poolIds: Set<string>
  /** The steps that run, by their ids in the queue. */
  performing: Set<string>
}

/**
 * Runs the steps of products, from a queue and with places of their own. A runner of the queue that fetches no more is replaced
 * by a new one.
 */
export class StepRunner {
  readonly #context: WorkerContext
  readonly #tasks: TaskList
  readonly #onPools: () => void
  readonly #poolIds = new Set<string>()
  readonly #due: DueJobs
  readonly #looking: NodeJS.Timeout
  #running: OpenRunner | undefined
  #workerPool: WorkerPool | undefined
  #lastChange: Promise<void> = Promise.resolve()
  #isStopped = false

  /** `onPools` is called before a new pool fetches its first step, and when one is gone. */
  constructor(context: WorkerContext, steps: readonly NamedStep[], onPools: () => void) {
    this.#context = context
    this.#tasks = buildStepTasks(context, steps)
    this.#onPools = onPools
    this.#due = new DueJobs(context.db, 'step', steps => this.nudge(steps))
    this.#looking = setInterval(() => void this.#due.wake(this.#countIdle()), LOOK_MS).unref()
  }

  poolIds(): string[] {
    return [...this.#poolIds]
  }

  /** Fetches at once, because steps are due. */
  nudge(steps: number): void {
    this.#workerPool?.nudge(steps)
  }

  #countIdle(): number {
    return this.#running ? this.#running.concurrency - this.#running.performing.size : 0
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
    clearInterval(this.#looking)
    await this.#lastChange
    if (!this.#running) return
    await this.#stopRunner(this.#running)
    void this.#running.connections.end()
  }

  #serialize(change: () => Promise<void>): Promise<void> {
    this.#lastChange = this.#lastChange.then(change)
    return this.#lastChange
  }

  /** Retries until the database is reachable. */
  async #start(concurrency: number): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#open(concurrency)
        return
      } catch (error) {
        this.#context.log.warn({ err: error }, 'the queue of steps could not be opened; retrying')
        await pause(RETRY_MS)
      }
    }
  }

  async #open(concurrency: number): Promise<void> {
    const connections = openStepPool(this.#context.config.databaseUrl)
    const opened: OpenRunner = { connections, concurrency, poolIds: new Set(), performing: new Set() }
    this.#running = opened
    try {
      opened.runner = await run({
        pgPool: connections,
        schema: 'lane_step',
        taskList: this.#noteRuns(opened.performing),
        parsedCronItems: [],
        noHandleSignals: true,
        events: this.#listen(opened),
        logger: this.#context.queueLog,
        preset: {
          extends: [WorkerPreset],
          worker: {
            concurrentJobs: concurrency,
            pollInterval: POLL_QUEUE_MS,
            gracefulShutdownAbortTimeout: 8_000,
            // As in the lanes: written unawaited, the end of a step could end this process.
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      })
    } catch (error) {
      this.#running = undefined
      void this.#retire(opened)
      throw error
    }
    const onEnd = (error?: unknown) => this.#replace(opened, error)
    opened.runner.promise.then(onEnd, onEnd)
  }

  #noteRuns(performing: Set<string>): TaskList {
    const noted = Object.entries(this.#tasks).map(([name, task]): [string, Task] => [
      name,
      async (payload, helpers) => {
        performing.add(helpers.job.id)
        try {
          return await task!(payload, helpers)
        } finally {
          performing.delete(helpers.job.id)
        }
      },
    ])
    return Object.fromEntries(noted)
  }

  #listen(opened: OpenRunner): WorkerEvents {
    const events = new EventEmitter() as WorkerEvents
    events.on('pool:create', ({ workerPool }) => {
      this.#workerPool = workerPool
      opened.poolIds.add(workerPool.id)
      this.#poolIds.add(workerPool.id)
      this.#onPools()
    })
    // It fetches no more from now on, but ends when its last step does, or never.
    events.on('pool:gracefulShutdown', ({ message }) => this.#replace(opened, new Error(message)))
    watchFirstFetch(events, error => this.#replace(opened, error))
    // Each notification wakes every backend that listens to any channel, so the worker listens once for all queues.
    events.on('pool:listen:success', ({ client }) => {
      client.once('drain', () => void client.query('unlisten *').catch(() => undefined))
    })
    return events
  }

  /** The queue gives a runner up when it could not write the end of a step, and one whose first fetch has failed fetches nothing. */
  #replace(ended: OpenRunner, error: unknown): void {
    if (this.#isStopped || this.#running !== ended) return
    this.#running = undefined
    this.#context.log.warn({ err: error }, 'the queue of steps was lost; its runner is replaced')
    void this.resize()
    void this.#retire(ended)
  }

  /** Steps that an old runner does not run are free for others at once, the others when they have ended. */
  async #retire(old: OpenRunner): Promise<void> {
    const { db } = this.#context
    const poolIds = [...old.poolIds]
    await this.#stopRunner(old)
    // The last ends are written meanwhile.
    await pause(RETRY_MS)
    await this.#persist(() => unlockIdle(db, poolIds, [...old.performing]))
    while (old.performing.size > 0 && !this.#isStopped) await pause(RETRY_MS)
    await pause(RETRY_MS)
    void old.connections.end()
    await this.#persist(() => unlockPools(db, poolIds))
    for (const poolId of poolIds) this.#poolIds.delete(poolId)
    this.#onPools()
  }

  /** A queue that is lost may never report that it has stopped. */
  async #stopRunner({ runner }: OpenRunner): Promise<void> {
    const stopped = runner?.stop().catch(() => undefined)
    await Promise.race([stopped, pause(STOP_TIMEOUT_MS)])
  }

  async #persist(write: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      try {
        return await write()
      } catch {
        await pause(RETRY_MS)
      }
    }
  }
}
