import type { Config } from '../../ops/config.ts'
import type { Logger } from '../../ops/log.ts'
import type { ActingDb } from '../../sql/admin/acting.ts'
import type { DbPool } from '../../sql/db.ts'
import type { Settings } from '../../sql/setting.ts'
import type { Catalog } from '../catalog.ts'
import type { RateLimits } from '../intake/identity/rate-limit.ts'

/** What the pages of the console work with. */
export interface ConsoleContext {
  config: Config & { console: NonNullable<Config['console']> }
  log: Logger
  /** Reads, and signs in. Whatever operators change goes through `acting`, in their name. */
  db: DbPool
  acting: ActingDb
  settings: Settings
  catalog: Catalog
  limits: RateLimits
}
