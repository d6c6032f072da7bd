import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { ObjectStore } from '../ops/storage/index.ts'
import type { DbPool } from '../sql/db.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { Catalog } from './catalog.ts'
import type { Keys } from './intake/authenticate.ts'
import type { Availability } from './intake/availability.ts'
import type { JobWaiters } from './intake/await-job.ts'
import type { RateLimits } from './intake/rate-limit.ts'
import type { Meters } from './meters.ts'

/** What the front door stands on; made once by api/main.ts and handed to every handler. */
export interface Floor {
  config: Config
  log: Logger
  db: DbPool
  jobs: Jobs
  settings: Settings
  store: ObjectStore
  catalog: Catalog
  keys: Keys
  limits: RateLimits
  availability: Availability
  waiters: JobWaiters
  meters: Meters
}
