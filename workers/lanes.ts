import { EventEmitter } from 'node:events'
import { availableParallelism } from 'node:os'
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
import { choreTasks } from './chores.ts'
import type { WorkFloor } from './floor.ts'
import { perform } from './perform.ts'

/** Cheap jobs are fetched many at a time; of dear ones each worker takes no more than it can run. */
const LOCAL_QUEUE: Partial<Record<Lane, number>> = { thread: 128, remote: 16 }

/** A queue is empty when its plans are first made, and full when they matter. */
const PLANS = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan'

/** graphile-worker's own subscription is on its way then, and a connection takes one query at a time. */
const LISTEN_AFTER_MS = 100

interface RunningLane {
  runner: Runner
  pool: pg.Pool
  poolIds: Set<string>
  concurrency: number
}

/** The queues this worker takes from, one runner a lane; a lane is resized by a new runner while the old one drains. */
export class Lanes {
  readonly #floor: WorkFloor
  readonly #running = new Map<Lane, RunningLane>()
  readonly #onPools: (poolIds: string[]) => void
  #turn: Promise<void> = Promise.resolve()

  constructor(floor: WorkFloor, onPools: (poolIds: string[]) => void) {
    this.#floor = floor
    this.#onPools = onPools
  }

  /** Brings every lane to the size of its setting. */
  resize(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      for (const lane of this.#floor.config.lanes) await this.#resizeLane(lane)
    })
    return this.#turn
  }

  sizes(): Partial<Record<Lane, number>> {
    return Object.fromEntries([...this.#running].map(([lane, { concurrency }]) => [lane, concurrency]))
  }

  poolIds(): string[] {
    return [...this.#running.values()].flatMap(({ poolIds }) => [...poolIds])
  }

  async stop(): Promise<void> {
    await this.#turn
    await Promise.allSettled([...this.#running.values()].map(stopLane))
    this.#running.clear()
  }

  async #resizeLane(lane: Lane): Promise<void> {
    const wanted = sizeOf(this.#floor, lane)
    const current = this.#running.get(lane)
    if (current?.concurrency === wanted) return
    this.#floor.pools.resize(lane, wanted)
    if (wanted > 0) this.#running.set(lane, await startLane(this.#floor, lane, wanted))
    else this.#running.delete(lane)
    this.#onPools([...this.poolIds(), ...(current?.poolIds ?? [])])
    if (!current) return
    this.#floor.log.info({ lane, from: current.concurrency, to: wanted }, 'lane resized')
    stopLane(current)
      .then(() => this.#onPools(this.poolIds()))
      .catch(error => this.#floor.log.warn({ lane, err: error }, 'the old runner did not stop cleanly'))
  }
}

/** The queue writes the ids of its failed jobs into JSON, which takes no BigInt: here int8 stays the text it came as. */
const QUEUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid as number) === pg.types.builtins.INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
}

export function sizeOf(floor: Pick<WorkFloor, 'settings'>, lane: Lane): number {
  return (
    floor.settings.get(`lane.${lane}.concurrency`) ||
    (lane === 'native' ? availableParallelism() * 2 : availableParallelism())
  )
}

async function startLane(floor: WorkFloor, lane: Lane, concurrency: number): Promise<RunningLane> {
  const pool = new pg.Pool({
    connectionString: floor.config.databaseUrl,
    max: 8,
    application_name: `coinop lane ${lane}`,
    options: PLANS,
    types: QUEUE_TYPES,
  })
  pool.on('error', error => floor.log.warn({ lane, err: error }, 'queue connection lost'))
  pool.on('connect', client => {
    client.on('error', error => floor.log.warn({ lane, err: error }, 'queue connection lost'))
  })
  const poolIds = new Set<string>()
  const events = new EventEmitter() as WorkerEvents
  events.on('pool:create', ({ workerPool }) => poolIds.add(workerPool.id))
  hearOwnLaneOnly(events, lane)
  const size = LOCAL_QUEUE[lane]
  const runner = await run({
    pgPool: pool,
    schema: `lane_${lane}`,
    taskList: taskListOf(floor, lane),
    parsedCronItems: lane === 'remote' ? parseCronItems(choreTasks(floor).cron) : [],
    noHandleSignals: true,
    events,
    logger: floor.queueLog,
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
  runner.promise.catch(error => floor.onLaneBroken(lane, error))
  return { runner, pool, poolIds, concurrency }
}

/**
 * graphile-worker announces new jobs on one channel for all schemas of a database. Each of our announcements follows
 * one that names its lane, by the same backend; those of other lanes are made to say that there is nothing new.
 */
function hearOwnLaneOnly(events: WorkerEvents, lane: Lane): void {
  const announced = new Map<number, string>()
  events.on('pool:listen:success', ({ client }) => {
    announced.clear()
    setTimeout(() => void client.query('listen job_lane').catch(() => undefined), LISTEN_AFTER_MS).unref()
  })
  events.on('pool:listen:notification', ({ message }) => {
    if (message.channel === 'job_lane') announced.set(message.processId, message.payload ?? '')
    if (message.channel !== 'jobs:insert') return
    const named = announced.get(message.processId)
    announced.delete(message.processId)
    if (named !== undefined && named !== lane) message.payload = '{"count":0}'
  })
}

function taskListOf(floor: WorkFloor, lane: Lane): TaskList {
  const task: Task = async (payload, helpers) => {
    floor.tidy.count(lane)
    await perform(floor, { payload: payload as Payload, delivery: helpers.job.attempts })
  }
  return lane === 'remote' ? { perform: task, ...choreTasks(floor).tasks } : { perform: task }
}

async function stopLane({ runner, pool }: RunningLane): Promise<void> {
  await runner.stop()
  await pool.end()
}
