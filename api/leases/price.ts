import { Problem } from '#kit'
import type { Settings } from '../../sql/setting.ts'

const MIB = 2n ** 20n
const DAY_SECONDS = 86_400n
export const MIN_SECONDS = 60

/** What so many bytes cost for so long: `max(minimum, ceil(MiB x days x rate))`. */
export function priceLease(settings: Settings, kind: 'checkpoint' | 'mailbox', bytes: number, seconds: number): bigint {
  const rate = BigInt(Math.round(settings.get(`lease.${kind}_rate`)))
  const minimum = BigInt(Math.round(settings.get('lease.minimum_micros')))
  const unit = MIB * DAY_SECONDS
  const amount = (BigInt(bytes) * BigInt(seconds) * rate + unit - 1n) / unit
  return amount > minimum ? amount : minimum
}

/** Refuses a header whose value is above what the operator allows now. */
export function requireAtMost(header: string, value: number, min: number, max: number): number {
  if (value > max) throw new Problem('INVALID_PARAM', { field: header, header, min, max })
  return value
}

export function requireDuration(settings: Settings, seconds: number): number {
  return requireAtMost('X-Duration-Seconds', seconds, MIN_SECONDS, settings.get('lease.max_seconds'))
}
