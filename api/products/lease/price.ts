import { Problem } from '#kit'
import type { Settings } from '../../../sql/setting.ts'
import type { ListedPrice } from '../../surfaces/prices.ts'

const MIB = 2n ** 20n
const DAY_SECONDS = 86_400n
export const MIN_SECONDS = 60

export type LeaseKind = 'checkpoint' | 'mailbox' | 'storage'

/** What so many bytes cost for so long: `max(minimum, ceil(MiB x days x rate))`. */
export function priceLease(settings: Settings, kind: LeaseKind, bytes: number, seconds: number): bigint {
  const rate = BigInt(Math.round(settings.get(`lease.${kind}_rate`)))
  const minimum = BigInt(Math.round(settings.get('lease.minimum_micros')))
  const unit = MIB * DAY_SECONDS
  const amount = (BigInt(bytes) * BigInt(seconds) * rate + unit - 1n) / unit
  return amount > minimum ? amount : minimum
}

const LARGEST = {
  checkpoint: 'lease.checkpoint_bytes',
  mailbox: 'lease.mailbox_bytes',
  storage: 'lease.storage_bytes',
} as const

/** The prices of all leases, in the form of those of priced calls. */
export function listLeasePrices(settings: Settings): Record<string, ListedPrice & { method: 'POST'; path: string }> {
  const kinds = Object.keys(LARGEST) as LeaseKind[]
  return Object.fromEntries(
    kinds.map(kind => {
      const listed = {
        ...{ method: 'POST' as const, path: `/api/${kind}`, unit: 'MiB that it may hold for a day' },
        ...{
          rateMicros: String(Math.round(settings.get(`lease.${kind}_rate`))),
          baseMicros: '0',
          basis: 'body' as const,
        },
        floorMicros: String(priceLease(settings, kind, 1, MIN_SECONDS)),
        ceilingMicros: String(
          priceLease(settings, kind, settings.get(LARGEST[kind]), settings.get('lease.max_seconds')),
        ),
        note: 'It is paid by headers; GET /api/pricing has their limits.',
      }
      return [`leases.create-${kind}`, listed]
    }),
  )
}

/** Refuses a header whose value is above what the operator allows now. */
export function requireAtMost(header: string, value: number, min: number, max: number): number {
  if (value > max) throw new Problem('INVALID_PARAM', { field: header, header, min, max })
  return value
}

export function requireDuration(settings: Settings, seconds: number): number {
  return requireAtMost('X-Duration-Seconds', seconds, MIN_SECONDS, settings.get('lease.max_seconds'))
}
