import type { Offers } from '#kit'
import type { Config } from '../ops/config.ts'
import type { Logger } from '../ops/log.ts'
import type { BillingProvider } from '../ops/providers/billing/contract.ts'
import type { Mailer } from '../ops/providers/mail/contract.ts'
import type { SignInProvider } from '../ops/providers/sign-in/contract.ts'
import type { ObjectStore } from '../ops/providers/storage/contract.ts'
import type { Db, DbPool } from '../sql/db.ts'
import type { DatabaseClock } from '../sql/hosts/clock.ts'
import type { Jobs } from '../sql/job.ts'
import type { Settings } from '../sql/setting.ts'
import type { Catalog } from './catalog.ts'
import type { Availability } from './intake/availability.ts'
import type { JobWaiters } from './intake/await-job.ts'
import type { Keys } from './intake/identity/authenticate.ts'
import type { RateLimits } from './intake/identity/rate-limit.ts'
import type { WalletTokens } from './intake/identity/wallet-token.ts'
import type { Payments } from './intake/x402/payments.ts'
import type { LocalTools } from './local-tools.ts'
import type { LongPolls } from './long-polls.ts'
import type { OpenCalls } from './mcp/live/open-calls.ts'
import type { ToolListeners } from './mcp/live/tool-listeners.ts'
import type { Meters } from './meters.ts'
import type { StatusBoard } from './status/board.ts'

/** What products keep in the process of an api. Each declares its part of it beside the function that opens it. */
// biome-ignore lint/suspicious/noEmptyInterface: the products fill it
export interface ProductParts {}

/** What every handler of the api works with; made once by api/start.ts. */
export interface ApiContext extends ProductParts {
  config: Config
  log: Logger
  db: DbPool
  /** Answers what may be some seconds old. */
  readDb: Db
  jobs: Jobs
  settings: Settings
  /** For what is compared with times of other hosts or of the database. */
  clock: DatabaseClock
  store: ObjectStore
  catalog: Catalog
  keys: Keys
  tokens: WalletTokens
  mail: Mailer
  providers: ReadonlyMap<string, SignInProvider>
  /** Undefined if not configured. */
  stripe: BillingProvider | undefined
  limits: RateLimits
  availability: Availability
  /** Undefined if no payments can be settled here. */
  payments: Payments | undefined
  waiters: JobWaiters
  longPolls: LongPolls
  openCalls: OpenCalls
  toolListeners: ToolListeners
  offers: Offers
  localTools: LocalTools
  meters: Meters
  status: StatusBoard
}

export type PaidContext = ApiContext & { payments: Payments }

export function takesPayments(context: ApiContext): context is PaidContext {
  return context.payments !== undefined
}
