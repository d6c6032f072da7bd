import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { ObjectStore } from '../ops/storage/index.ts'
import type { Db } from '../sql/db.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { Catalog } from './catalog.ts'
import type { Keys } from './intake/authenticate.ts'
import type { JobWaiters } from './intake/await-job.ts'
import type { Meters } from './meters.ts'

/** What the front door stands on; made once by api/main.ts and handed to every handler. */
export interface Floor {
  config: Config
  log: Logger
  db: Db
  jobs: Jobs
  settings: Settings
  store: ObjectStore
  catalog: Catalog
  keys: Keys
  waiters: JobWaiters
  meters: Meters
}
