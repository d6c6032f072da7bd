import { DatabaseUnavailable, pause } from '../connection.ts'
import { type Db, type DbPool, openDb, rows } from '../db.ts'

interface ReadOptions {
  size?: number
  name: string
  /** A standby that takes longer is not waited for. */
  answerMs?: number
  /** A standby that is further behind is not asked. */
  maxLagSeconds: () => number
  onError?: (error: Error) => void
  /** Told once why the standby is not asked, and again after it was asked. */
  onUnused?: (reason: string) => void
}

/** Statements that may be answered by a standby, and so as things were a moment ago: pages of the ledger, lists, statistics. */
interface ReadDb extends Db {
  /** Whether the standby is asked at present. */
  readonly isStandbyUsed: boolean
  end(): Promise<void>
}

const PROBE_EVERY_MS = 5_000
const ANSWER_MS = 4_000
const UNKNOWN_LAG = 1_000_000_000
/** How far a standby is behind. One that receives nothing cannot know, so it is as far behind as it can be. */
const LAG = `select case when not pg_is_in_recovery() then 0
    when not exists (select from pg_stat_wal_receiver where status = 'streaming') then ${UNKNOWN_LAG}
    when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), ${UNKNOWN_LAG}) end::float8 as seconds`
/** A standby refuses what writes, and ends what hinders it from following. */
const REFUSED_BY_STANDBY = /^(25006|40001|57014)$/

/** Without an address of its own, all is asked of the primary. */
export function openReadDb(url: string | undefined, primary: Db, options: ReadOptions): ReadDb {
  if (url === undefined)
    return { isStandbyUsed: false, query: config => primary.query(config), end: async () => undefined }
  return new StandbyDb(openDb(url, { answerMs: ANSWER_MS, ...options }), primary, options)
}

/** Asks a standby while it answers and follows, and the primary in its place otherwise. */
class StandbyDb implements ReadDb {
  readonly #standby: DbPool
  readonly #primary: Db
  readonly #options: ReadOptions
  readonly #probing: Promise<void>
  #isUsable = false
  #isReported = false
  #isClosed = false

  constructor(standby: DbPool, primary: Db, options: ReadOptions) {
    this.#standby = standby
    this.#primary = primary
    this.#options = options
    this.#probing = this.#probeAgain()
  }

  get isStandbyUsed(): boolean {
    return this.#isUsable
  }

  query: Db['query'] = async config => {
    if (!this.#isUsable) return this.#primary.query(config)
    try {
      return (await this.#standby.query(config)) as never
    } catch (error) {
      const isGone = error instanceof DatabaseUnavailable
      if (!isGone && !REFUSED_BY_STANDBY.test(String((error as { code?: unknown }).code))) throw error
      if (isGone) this.#isUsable = false
      return this.#primary.query(config)
    }
  }

  async end(): Promise<void> {
    this.#isClosed = true
    await this.#standby.end()
    await this.#probing
  }

  async #probeAgain(): Promise<void> {
    while (!this.#isClosed) {
      const reason = await this.#findFault()
      if (this.#isClosed) return
      this.#isUsable = reason === undefined
      if (reason !== undefined && !this.#isReported) this.#options.onUnused?.(reason)
      this.#isReported = reason !== undefined
      await pauseUnlessClosed(() => this.#isClosed)
    }
  }

  /** Why the standby cannot be asked. */
  async #findFault(): Promise<string | undefined> {
    try {
      const [row] = await rows<{ seconds: number }>(this.#standby, LAG)
      if (row!.seconds <= this.#options.maxLagSeconds()) return undefined
      return row!.seconds < UNKNOWN_LAG ? `it is ${Math.round(row!.seconds)} seconds behind` : 'it follows no primary'
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error }
      return cause?.message ?? message
    }
  }
}

/** In short steps, so that a process that ends does not wait for it. */
async function pauseUnlessClosed(isClosed: () => boolean): Promise<void> {
  for (let ms = 0; ms < PROBE_EVERY_MS && !isClosed(); ms += 100) await pause(100)
}
