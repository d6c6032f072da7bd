import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { forgetRates, type RateCount, syncRates } from '../../../sql/rate.ts'

const WINDOW_MS = 60_000
const SYNC_MS = 1_000

interface BucketCount {
  windowStart: number
  /** The total of all processes at the last exchange. */
  known: number
  /** Counted by this process since then. */
  fresh: number
}

export interface Allowance {
  limit: number
  remaining: number
  resetSeconds: number
  /** The limit was reached before this call. */
  isOver: boolean
}

export function rateProblem({ limit, resetSeconds }: Allowance): Problem {
  return new Problem('RATE_LIMITED', { limit, windowSeconds: WINDOW_MS / 1_000, retryAfterSeconds: resetSeconds })
}

/** Counts a call against a limit of its own. */
export function requireRate({ limits }: { limits: RateLimits }, bucket: string, perMinute: number): void {
  const allowance = limits.take(bucket, perMinute)
  if (allowance.isOver) throw rateProblem(allowance)
}

interface TokenUse {
  /** What kind of token it is, such as `claim`. */
  kind: string
  ip: string
  perAddress: number
  /** The hash of the token, and how often all addresses together may use it. */
  token?: Buffer
  perToken?: number
}

/** Limits how many tokens one address can try, and how often one token is used from many addresses. */
export function requireTokenRate(context: { limits: RateLimits }, { kind, ip, perAddress, ...use }: TokenUse): void {
  requireRate(context, `${kind}:${addressBucket(ip)}`, perAddress)
  if (use.token && use.perToken !== undefined) {
    requireRate(context, `${kind}:token:${use.token.toString('base64url')}`, use.perToken)
  }
}

/** Counts calls a minute by bucket, in memory, and exchanges the counts with the other api processes every second. */
export class RateLimits {
  readonly #db: Db
  readonly #counts = new Map<string, BucketCount>()
  readonly #timer: NodeJS.Timeout
  #isSyncing = false

  constructor(db: Db) {
    this.#db = db
    this.#timer = setInterval(() => void this.#sync(), SYNC_MS).unref()
  }

  /** Counts one call, unless the bucket's minute is used up. */
  take(bucket: string, limit: number, nowMs: number = Date.now()): Allowance {
    return this.#measure(bucket, limit, nowMs, 1)
  }

  /** What is left of the limit; nothing is counted. */
  peek(bucket: string, limit: number, nowMs: number = Date.now()): Allowance {
    return this.#measure(bucket, limit, nowMs, 0)
  }

  /** Counts something that is not known beforehand, for example a duration; the bucket may go over its limit by it. */
  add(bucket: string, limit: number, amount: number, nowMs: number = Date.now()): void {
    this.#measure(bucket, limit, nowMs, amount)
  }

  /** Takes a call back that should not count after all. */
  giveBack(bucket: string, nowMs: number = Date.now()): void {
    const count = this.#counts.get(bucket)
    if (count?.windowStart === Math.floor(nowMs / WINDOW_MS) && count.known + count.fresh > 0) count.fresh--
  }

  #measure(bucket: string, limit: number, nowMs: number, counted: number): Allowance {
    const windowStart = Math.floor(nowMs / WINDOW_MS)
    let count = this.#counts.get(bucket)
    if (count?.windowStart !== windowStart) {
      count = { windowStart, known: 0, fresh: 0 }
      this.#counts.set(bucket, count)
    }
    const resetSeconds = Math.max(1, Math.ceil(((windowStart + 1) * WINDOW_MS - nowMs) / 1_000))
    const isOver = count.known + count.fresh >= limit
    if (!isOver) count.fresh += counted
    return { limit, remaining: Math.max(0, limit - count.known - count.fresh), resetSeconds, isOver }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #sync(): Promise<void> {
    if (this.#isSyncing) return
    this.#isSyncing = true
    try {
      const current = Math.floor(Date.now() / WINDOW_MS)
      const mine = this.#collect(current)
      if (mine.length > 0) for (const total of await syncRates(this.#db, mine)) this.#mergeTotal(total)
      if (mine.length > 0 && Date.now() % WINDOW_MS < SYNC_MS) await forgetRates(this.#db, current - 2)
    } catch {
      // Without the database, limits apply per process until it is back.
    } finally {
      this.#isSyncing = false
    }
  }

  #collect(current: number): RateCount[] {
    const mine: RateCount[] = []
    for (const [bucket, count] of this.#counts) {
      if (count.windowStart < current) this.#counts.delete(bucket)
      else if (count.fresh !== 0) {
        mine.push({ bucket, window_start: count.windowStart, used: count.fresh })
        count.known += count.fresh
        count.fresh = 0
      }
    }
    return mine
  }

  #mergeTotal({ bucket, window_start, used }: RateCount): void {
    const count = this.#counts.get(bucket)
    if (count?.windowStart === window_start) count.known = Math.max(count.known, used)
  }
}

/** One IPv6 customer holds at least a /64, so that is what counts as one address, however it is spelt. */
export function addressBucket(ip: string): string {
  if (!ip.includes(':')) return `ip:${ip}`
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return `ip:${mapped[1]}`
  const [head = '', tail = ''] = ip.split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const missing = Array<string>(Math.max(0, 8 - groups(head).length - groups(tail).length)).fill('0')
  const network = [...groups(head), ...missing, ...groups(tail)].slice(0, 4)
  return `ip:${network.map(group => Number.parseInt(group, 16).toString(16)).join(':')}`
}
