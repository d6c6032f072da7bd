import type { Logger as QueueLogger } from 'graphile-worker'
import type { DrawnSource, Facilitator, JobPayload, Outcome, Tariff } from '#kit'
import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { Mailer } from '../ops/providers/mail/contract.ts'
import type { ObjectStore } from '../ops/providers/storage/contract.ts'
import type { Download } from '../pools/fetch/download.ts'
import type { Pools, ToolReport } from '../pools/index.ts'
import type { Db, DbPool } from '../sql/db.ts'
import type { DatabaseClock } from '../sql/hosts/clock.ts'
import type { Ending, Jobs, PreparedDelivery, Success } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { OutsideFiles } from '../tasks/products/step-deps.ts'
import type { RunMeters } from './meters.ts'
import type { OutputNotes } from './outputs/notes.ts'
import type { AddedOperations } from './plugins/added.ts'
import type { QueueVacuum } from './queue/vacuum.ts'

/** The output of a call as one file. */
export interface DeliveredFile {
  type: string
  sizeBytes: number | undefined
  read(): Promise<AsyncIterable<Uint8Array>>
}

/** What a product does in a worker: the default export of workers/products/<name>/open.ts. */
export interface WorkerProduct {
  /** Draws what the files of a job name, once for all its attempts, by the field that names it. It is kept until `until`. */
  readonly draws?: Readonly<
    Record<string, (db: Db, jobId: string, until: Date, sources: readonly DrawnSource[]) => Promise<void>>
  >
  /** Takes the outputs of jobs. */
  readonly delivery?: DeliveryParts
  /** Ends the jobs of these operations by work of its own, by their names. */
  readonly endings?: Readonly<Record<string, EndingParts>>
  /** What its steps and chores work with besides what every step is given. */
  bindDeps?(
    context: Pick<WorkerContext, 'config' | 'db' | 'log' | 'settings' | 'store'> &
      Partial<Pick<WorkerContext, 'pools'>>,
  ): object
  /** Starts what it does as long as the worker lives. */
  start?(context: WorkerContext): RunningProduct
}

export interface RunningProduct {
  /** What it does when the database notifies on a channel. */
  listens: Record<string, () => void>
  stop(): Promise<void>
}

// Decision 0270: end bundles with what they write.

/** How a product ends jobs whose work is only done with their end, in the transaction that charges for it. */
export interface EndingParts {
  /** Does what can be done before. A problem fails the job, and nothing is charged. */
  prepare(
    context: WorkerContext,
    payload: JobPayload,
    outcome: Outcome<unknown>,
    tariff: Tariff,
  ): Promise<{ chargeMicros: bigint; result: string; terms: object }>
  /** Ends the job with its work, both or neither. The answers are those of `Jobs.finish`; what it throws fails the job. */
  finish: DeliveryParts['finish']
}

export interface DeliveryParts {
  /** Stores a copy of the output. Returns what `finish` takes: what to write, and its content if that is small. */
  store(
    context: WorkerContext,
    payload: JobPayload,
    file: DeliveredFile,
  ): Promise<Pick<PreparedDelivery, 'terms' | 'content'>>
  /** Ends a job and delivers its output, both or neither. The answers are those of `Jobs.finish`. */
  finish(
    context: WorkerContext,
    ending: Ending,
    success: Success,
    delivery: PreparedDelivery,
  ): Promise<'ended' | 'late' | 'unsure'>
}

/** What the parts of a worker share; created once by workers/start.ts. */
export interface WorkerContext {
  workerId: string
  /** By which the deadlines of jobs pass, which an api of another host set. */
  clock: Pick<DatabaseClock, 'now'>
  config: Config
  log: Logger
  db: DbPool
  jobs: Jobs
  settings: Settings
  store: ObjectStore
  mail: Mailer
  pools: Pools
  /** Fetches the files of callers from the web; undefined if the operator does not allow it. */
  download: Download | undefined
  /** What steps may read from outside. */
  outside: OutsideFiles
  /** What is known of the tools of this machine; replaced whenever that changes. */
  tools: readonly ToolReport[]
  outputNotes: OutputNotes
  /** Ours and those that the operator has added, replaced whenever those change. */
  operations: ReadonlyMap<string, NamedOperation>
  added: AddedOperations
  meters: RunMeters
  /** Settles payments; undefined if none are accepted. */
  facilitator: Facilitator | undefined
  /** By their names. */
  products: ReadonlyMap<string, WorkerProduct>
  /** The jobs that run here by id, each with the controller that stops it. */
  running: Map<string, AbortController>
  /** Whether an operator has told this worker to take no more jobs. */
  isDraining: boolean
  vacuum: QueueVacuum
  queueLog: QueueLogger
}
