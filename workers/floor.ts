import type { Logger as QueueLogger } from 'graphile-worker'
import type { Facilitator } from '#kit'
import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { ObjectStore } from '../ops/storage/index.ts'
import type { Pools } from '../pools/index.ts'
import type { DbPool } from '../sql/db.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { RunMeters } from './meters.ts'
import type { Tidy } from './tidy.ts'

/** What a worker stands on; made once by workers/main.ts. */
export interface WorkFloor {
  workerId: string
  config: Config
  log: Logger
  db: DbPool
  jobs: Jobs
  settings: Settings
  store: ObjectStore
  pools: Pools
  operations: ReadonlyMap<string, NamedOperation>
  meters: RunMeters
  /** Where payments can be settled. */
  facilitator: Facilitator | undefined
  /** The jobs that run here, each with the means to stop it. */
  running: Map<string, AbortController>
  tidy: Tidy
  queueLog: QueueLogger
}
