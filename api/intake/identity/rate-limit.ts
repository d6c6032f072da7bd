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

/** Counts a call of an address without credentials against a limit of its own. */
export function requireAddressRate(
  { limits }: { limits: RateLimits },
  { kind, ip, perAddress }: Pick<TokenUse, 'kind' | 'ip' | 'perAddress'>,
): void {
  const allowance = limits.takeAddress(kind, ip, perAddress)
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
  requireAddressRate(context, { kind, ip, perAddress })
  if (use.token && use.perToken !== undefined) {
    requireRate(context, `${kind}:token:${use.token.toString('base64url')}`, use.perToken)
  }
}

/** All processes must agree on the minute, so what the clock of their host is ahead does not count. */
interface Clock {
  readonly aheadMs: number
}

/** Counts calls a minute by bucket, in memory, and exchanges the counts with the other api processes every second. */
export class RateLimits {
  readonly #db: Db
  readonly #clock: Clock
  readonly #counts = new Map<string, BucketCount>()
  readonly #timer: NodeJS.Timeout
  readonly #networkFactor: () => number
  #isSyncing = false

  /** `networkFactor` is how many times the limit of one address those of its network have together. */
  constructor(db: Db, clock: Clock, networkFactor: () => number) {
    this.#db = db
    this.#clock = clock
    this.#networkFactor = networkFactor
    this.#timer = setInterval(() => void this.#sync(), SYNC_MS).unref()
  }

  #now(): number {
    return Date.now() - this.#clock.aheadMs
  }

  /** Counts one call, unless the bucket's minute is used up. */
  take(bucket: string, limit: number, nowMs: number = this.#now()): Allowance {
    return this.#measure(bucket, limit, nowMs, 1)
  }

  /** What is left of the limit; nothing is counted. */
  peek(bucket: string, limit: number, nowMs: number = this.#now()): Allowance {
    return this.#measure(bucket, limit, nowMs, 0)
  }

  /** Counts something that is not known beforehand, for example a duration; the bucket may go over its limit by it. */
  add(bucket: string, limit: number, amount: number, nowMs: number = this.#now()): void {
    this.#measure(bucket, limit, nowMs, amount)
  }

  /**
   * Counts one call of an address, and of its network: whoever has a whole network cannot do with each of its addresses what one
   * may do. Returns the tighter of the two limits.
   */
  takeAddress(kind: string, ip: string, perAddress: number, nowMs: number = this.#now()): Allowance {
    const { address, network } = bucketsOf(kind, ip)
    const ofNetwork = perAddress * this.#networkFactor()
    const whole = this.peek(network, ofNetwork, nowMs)
    if (whole.isOver) return whole
    const own = this.take(address, perAddress, nowMs)
    if (own.isOver) return own
    const counted = this.take(network, ofNetwork, nowMs)
    return counted.remaining < own.remaining ? counted : own
  }

  peekAddress(kind: string, ip: string, perAddress: number): Allowance {
    const { address, network } = bucketsOf(kind, ip)
    const whole = this.peek(network, perAddress * this.#networkFactor())
    return whole.isOver ? whole : this.peek(address, perAddress)
  }

  addAddress(kind: string, ip: string, { perAddress, amount }: { perAddress: number; amount: number }): void {
    const { address, network } = bucketsOf(kind, ip)
    this.add(address, perAddress, amount)
    this.add(network, perAddress * this.#networkFactor(), amount)
  }

  giveBackAddress(kind: string, ip: string): void {
    const { address, network } = bucketsOf(kind, ip)
    this.giveBack(address)
    this.giveBack(network)
  }

  /** Takes a call back that should not count after all. */
  giveBack(bucket: string, nowMs: number = this.#now()): void {
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
      const current = Math.floor(this.#now() / WINDOW_MS)
      const mine = this.#collect(current)
      if (mine.length > 0) for (const total of await syncRates(this.#db, mine)) this.#mergeTotal(total)
      if (mine.length > 0 && this.#now() % WINDOW_MS < SYNC_MS) await forgetRates(this.#db, current - 2)
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

/** One IPv6 customer holds at least a /64, so that is what counts as one address, however it is spelt; a site has a /48. */
export function bucketsOf(kind: string, ip: string): { address: string; network: string } {
  const v4 = ip.includes(':') ? /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] : ip
  if (v4 !== undefined) {
    return { address: `${kind}:ip:${v4}`, network: `${kind}:net:${v4.slice(0, v4.lastIndexOf('.'))}` }
  }
  const [head = '', tail = ''] = ip.split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const missing = Array<string>(Math.max(0, 8 - groups(head).length - groups(tail).length)).fill('0')
  const all = [...groups(head), ...missing, ...groups(tail)].map(group => Number.parseInt(group, 16).toString(16))
  return { address: `${kind}:ip:${all.slice(0, 4).join(':')}`, network: `${kind}:net:${all.slice(0, 3).join(':')}` }
}
