import { clampPrice, PRICE_CEILING, type Price, Problem } from '#kit'
import { type Settings, TUNABLES } from '../../../sql/setting.ts'

const MIB = 2n ** 20n
const DAY_SECONDS = 86_400n
export const MIN_SECONDS = 60

export type LeaseKind = 'checkpoint' | 'mailbox' | 'storage'

/** What leases of a kind cost, as documents show it; each is quoted by `priceLease`. */
export function describeLeasePrice(kind: LeaseKind): Price<unknown> {
  return {
    unit: 'MiB that it may hold for a day',
    rateMicros: BigInt(TUNABLES[`lease.${kind}_rate`].default as number),
    baseMicros: 0n,
    basis: 'body',
    units: () => 0,
    settings: 'lease.*',
    note: 'It follows from headers, and parts of MiB and days count; GET /api/pricing has the limits.',
  }
}

/** What so many bytes cost for so long: `max(minimum, ceil(MiB x days x rate))`. */
export function priceLease(settings: Settings, kind: LeaseKind, bytes: number, seconds: number): bigint {
  const rate = BigInt(Math.round(settings.get(`lease.${kind}_rate`)))
  const minimum = readMinimum(settings)
  const unit = MIB * DAY_SECONDS
  const amount = (BigInt(bytes) * BigInt(seconds) * rate + unit - 1n) / unit
  if (amount > PRICE_CEILING) throw tooDear(amount)
  return amount > minimum ? amount : minimum
}

export function readMinimum(settings: Settings): bigint {
  return clampPrice(BigInt(Math.round(settings.get('lease.minimum_micros'))))
}

function tooDear(amount: bigint): Problem {
  const reason = 'It costs more than one call may cost; take less, or for a shorter time.'
  const [amountMicros, ceilingMicros] = [amount, PRICE_CEILING].map(String)
  return new Problem('INVALID_PARAM', { field: 'X-Duration-Seconds', reason, amountMicros, ceilingMicros })
}

/** The answer to `X-Dry-Run: true`. */
export function showLeasePrice(amountMicros: bigint, terms: object): object {
  return { status: 'dry_run', cost_micros: amountMicros.toString(), ...terms }
}

/** Refuses a header whose value is above what the operator allows now. */
export function requireAtMost(header: string, value: number, min: number, max: number): number {
  if (value > max) throw new Problem('INVALID_PARAM', { field: header, header, min, max })
  return value
}

export function requireDuration(settings: Settings, seconds: number): number {
  return requireAtMost('X-Duration-Seconds', seconds, MIN_SECONDS, settings.get('lease.max_seconds'))
}

/** The header by which every answer about a lease tells its end. */
export function tellEnd(lease: unknown): Record<string, string> {
  return { 'x-lease-expires-at': (lease as { expires_at: string }).expires_at }
}
