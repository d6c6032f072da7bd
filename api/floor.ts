import type { StripeDoor } from '../ops/billing/stripe.ts'
import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { Mailer } from '../ops/mail/mailer.ts'
import type { SignInProvider } from '../ops/sign-in/provider.ts'
import type { ObjectStore } from '../ops/storage/index.ts'
import type { DbPool } from '../sql/db.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { Catalog } from './catalog.ts'
import type { Keys } from './intake/authenticate.ts'
import type { Availability } from './intake/availability.ts'
import type { JobWaiters } from './intake/await-job.ts'
import type { RateLimits } from './intake/rate-limit.ts'
import type { WalletTokens } from './intake/wallet-token.ts'
import type { Payments } from './intake/x402/payments.ts'
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
  tokens: WalletTokens
  mail: Mailer
  providers: ReadonlyMap<string, SignInProvider>
  /** Where it is configured. */
  stripe: StripeDoor | undefined
  limits: RateLimits
  availability: Availability
  /** Where payments can be settled. */
  payments: Payments | undefined
  waiters: JobWaiters
  meters: Meters
}
