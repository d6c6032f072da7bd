import { EventEmitter } from 'node:events'
import {
  parseCronItems,
  type Runner,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
  WorkerPreset,
} from 'graphile-worker'
import pg from 'pg'
import type { JobPayload, Lane } from '#kit'
import { KEEP_IDLE_MS, pause } from '../sql/connection.ts'
import { connectTo } from '../sql/hosts/primary.ts'
import { hasJobInShare } from '../sql/lane.ts'
import { buildChoreTasks } from './chores.ts'
import type { WorkerContext } from './context.ts'
import { LanePlaces } from './lane-places.ts'
import { perform } from './perform.ts'
import { DueJobs, LOOK_MS, POLL_QUEUE_MS } from './queue/due.ts'
import { watchFirstFetch } from './queue/first-fetch.ts'

// A worker of heavier lanes runs the steps of lighter ones in the place of their job; they waited for a place that did
// not exist.

/** How many jobs the thread lane fetches ahead. Other lanes have expensive jobs, so they take only what they can run. */
const FETCHED_AHEAD = 128

/** How many jobs of the thread lane, beyond its places, may wait for the commit of their end. */
const ENDING_JOBS = 64

/** How often a lane that has fetched jobs ahead looks for one in the queue that goes before them. */
const LOOK_INTERVAL_MS = 20

/**
 * A queue is empty when its statements are planned, so the planner would choose sequential scans. These connections only
 * lock jobs and remove them from the queue; if Postgres crashes and forgets that, a job is delivered again, which changes
 * nothing once it has ended.
 */
const QUEUE_OPTIONS = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan -c synchronous_commit=off'

/** graphile-worker writes the ids of failed jobs into JSON, which takes no BigInt, so int8 stays text here. */
const QUEUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid as number) === pg.types.builtins.INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
}

const STOP_TIMEOUT_MS = 9_000
const POLL_MS = 100

export interface LaneSize {
  /** Jobs at once. */
  concurrency: number
  /** How many more of those within the share of their account, while others have places beyond their share. */
  spare: number
}

interface LaneEvents {
  /** Called before a new pool fetches its first job. */
  onPool(poolId: string): void
  /** Called once, when the runner has lost a connection or given up and must be replaced. */
  onFailed(runner: LaneRunner): void
}

/** Takes jobs from the queue of one lane, over connections of its own. */
export class LaneRunner {
  readonly lane: Lane
  readonly size: LaneSize
  readonly poolIds = new Set<string>()
  readonly #context: WorkerContext
  readonly #pool: pg.Pool
  readonly #events: LaneEvents
  readonly #places: LanePlaces
  readonly #due: DueJobs
  readonly #looking: NodeJS.Timeout
  readonly #performing = new Set<string>()
  /** How many of them were beyond the share of their account when they began. */
  #beyondShare = 0
  #runner: Runner | undefined
  #workerPool: WorkerPool | undefined
  #hasFailed = false
  /** A runner that is replaced may be stopped once more by the end of its worker. */
  #stopped: Promise<void> | undefined
  #hasFetchedAhead = false
  #lookedAt = 0

  static async start(context: WorkerContext, lane: Lane, size: LaneSize, events: LaneEvents): Promise<LaneRunner> {
    const runner = new LaneRunner(context, lane, size, events)
    try {
      await runner.#startQueue()
      return runner
    } catch (error) {
      runner.#hasFailed = true
      clearInterval(runner.#looking)
      void runner.#pool.end()
      throw error
    }
  }

  private constructor(context: WorkerContext, lane: Lane, size: LaneSize, events: LaneEvents) {
    this.lane = lane
    this.size = size
    this.#context = context
    this.#events = events
    this.#places = new LanePlaces(size.concurrency, size.spare)
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref()
    this.#pool = new pg.Pool({
      ...connectTo(context.config.databaseUrl),
      max: 8,
      application_name: `coinop lane ${lane}`,
      idleTimeoutMillis: KEEP_IDLE_MS,
      connectionTimeoutMillis: 5_000,
      query_timeout: 25_000,
      options: QUEUE_OPTIONS,
      types: QUEUE_TYPES,
    })
    this.#due = new DueJobs(this.#pool, lane, jobs => this.nudge(jobs))
    this.#pool.on('error', error => this.#fail(error))
    this.#pool.on('connect', client => void client.on('error', error => this.#fail(error)))
  }

  /** Fetches at once, because jobs were added. */
  nudge(jobs: number): void {
    if (this.#hasFailed) return
    this.#workerPool?.nudge(jobs)
    this.#lendSpare()
  }

  /** Wakes as many loops as jobs are due. Ranks change without a notification too. */
  #look(): void {
    this.#lendSpare()
    // A queue that fetches ahead polls with one loop.
    if (this.lane === 'thread' || this.#hasFailed) return
    void this.#due.wake(this.size.concurrency + this.size.spare - this.#performing.size)
  }

  /** While jobs beyond a share have places, one within its share needs none, so that it does not wait for their ends. */
  #lendSpare(): void {
    if (!this.#places.canLend || this.#beyondShare === 0 || this.#hasFailed) return
    hasJobInShare(this.#pool, this.lane).then(
      isWaiting => {
        if (isWaiting) this.#places.lend()
      },
      () => undefined,
    )
  }

  /** Takes no new jobs; resolves when the running ones have ended, even if the queue itself never reports that. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#hasFailed = true
    clearInterval(this.#looking)
    const stopped = this.#runner!.stop().catch(() => undefined)
    await Promise.race([stopped, pause(STOP_TIMEOUT_MS)])
    while (this.#performing.size > 0) await pause(POLL_MS)
    void this.#pool.end()
  }

  /** The jobs that run here, by their ids in the queue. */
  performing(): string[] {
    return [...this.#performing]
  }

  async #startQueue(): Promise<void> {
    const { lane } = this
    const { concurrency, spare } = this.size
    const isFetchingAhead = lane === 'thread'
    this.#runner = await run({
      pgPool: this.#pool,
      schema: `lane_${lane}`,
      taskList: this.#buildTasks(),
      parsedCronItems: lane === 'remote' ? parseCronItems(buildChoreTasks(this.#context).cron) : [],
      noHandleSignals: true,
      events: this.#listen(),
      forbiddenFlags: () => this.#admit(),
      logger: this.#context.queueLog,
      preset: {
        extends: [WorkerPreset],
        worker: {
          concurrentJobs: concurrency + (isFetchingAhead ? ENDING_JOBS : spare),
          pollInterval: isFetchingAhead ? LOOK_MS : POLL_QUEUE_MS,
          gracefulShutdownAbortTimeout: 8_000,
          // Without a batch the end of a job is written unawaited: a connection that cannot be had would end this process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          ...(isFetchingAhead ? { localQueue: { size: Math.max(FETCHED_AHEAD, concurrency + ENDING_JOBS) } } : {}),
        },
      },
    })
    this.#runner.promise.catch(error => this.#fail(error))
  }

  #listen(): WorkerEvents {
    const events = new EventEmitter() as WorkerEvents
    events.on('pool:create', ({ workerPool }) => {
      this.#workerPool = workerPool
      this.poolIds.add(workerPool.id)
      this.#events.onPool(workerPool.id)
    })
    events.on('pool:gracefulShutdown', ({ message }) => {
      this.#fail(new Error(message))
      // Until this event is handled, a loop that is let go on would still get a job.
      queueMicrotask(() => this.#places.open())
    })
    // Each notification wakes every backend that listens to any channel, so the worker listens once for all lanes.
    events.on('pool:listen:success', ({ client }) => {
      client.once('drain', () => void client.query('unlisten *').catch(() => undefined))
    })
    watchFirstFetch(events, error => this.#fail(error))
    events.on('localQueue:setMode', ({ newMode }) => {
      this.#hasFetchedAhead = newMode === 'WAITING'
    })
    events.on('worker:getJob:empty', () => this.#places.giveBack())
    events.on('worker:getJob:error', () => this.#places.giveBack())
    return events
  }

  /**
   * Called by a loop before it takes a job. Waits for a place and says where the job comes from: null for those fetched
   * ahead, an empty list for the first one of the queue.
   */
  #admit(): string[] | null | Promise<string[] | null> {
    const turn = this.#places.take()
    return turn ? turn.then(() => this.#chooseSource()) : this.#chooseSource()
  }

  /** A job within its account's share goes before those that were fetched ahead. */
  #chooseSource(): string[] | null | Promise<string[] | null> {
    const now = performance.now()
    if (!this.#hasFetchedAhead || now - this.#lookedAt < LOOK_INTERVAL_MS) return null
    this.#lookedAt = now
    return hasJobInShare(this.#pool, this.lane).then(
      isWaiting => (isWaiting ? [] : null),
      () => null,
    )
  }

  #buildTasks(): TaskList {
    const task: Task = async (payload, { job }) => {
      const leavePlace = this.#occupyPlace()
      const isBeyondShare = job.priority > 0
      if (isBeyondShare) this.#beyondShare++
      this.#performing.add(job.id)
      this.#context.vacuum.countJob(this.lane)
      try {
        await perform(this.#context, { payload: payload as JobPayload, delivery: job.attempts }, leavePlace)
      } finally {
        leavePlace()
        if (isBeyondShare) this.#beyondShare--
        this.#performing.delete(job.id)
      }
    }
    if (this.lane !== 'remote') return { perform: task }
    const chores = Object.entries(buildChoreTasks(this.#context).tasks).map(([name, chore]) => [
      name,
      this.#inPlace(chore!),
    ])
    return { perform: task, ...(Object.fromEntries(chores) as TaskList) }
  }

  #inPlace(task: Task): Task {
    return async (payload, helpers) => {
      const leavePlace = this.#occupyPlace()
      try {
        return await task(payload, helpers)
      } finally {
        leavePlace()
      }
    }
  }

  /** Returns how the job that now runs gives back the place that its loop took; done again, that changes nothing. */
  #occupyPlace(): () => void {
    let isTaken = true
    return () => {
      if (isTaken) this.#places.giveBack()
      isTaken = false
    }
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#context.log.warn({ lane: this.lane, err: error }, 'a lane has lost its queue; its runner is replaced')
    this.#events.onFailed(this)
  }
}
