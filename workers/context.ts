import type { Logger as QueueLogger } from 'graphile-worker'
import type { Facilitator } from '#kit'
import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { ObjectStore } from '../ops/providers/storage/contract.ts'
import type { Download } from '../pools/fetch/download.ts'
import type { Pools, ToolReport } from '../pools/index.ts'
import type { DbPool } from '../sql/db.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { RunMeters } from './meters.ts'
import type { OutputNotes } from './output-notes.ts'
import type { QueueVacuum } from './vacuum.ts'

/** What the parts of a worker share; created once by workers/main.ts. */
export interface WorkerContext {
  workerId: string
  config: Config
  log: Logger
  db: DbPool
  jobs: Jobs
  settings: Settings
  store: ObjectStore
  pools: Pools
  /** Fetches the files of callers from the web; undefined if the operator does not allow it. */
  download: Download | undefined
  /** What is known of the tools of this machine; replaced whenever that changes. */
  tools: readonly ToolReport[]
  outputNotes: OutputNotes
  operations: ReadonlyMap<string, NamedOperation>
  meters: RunMeters
  /** Settles payments; undefined if none are accepted. */
  facilitator: Facilitator | undefined
  /** The jobs that run here by id, each with the controller that stops it. */
  running: Map<string, AbortController>
  vacuum: QueueVacuum
  queueLog: QueueLogger
}
