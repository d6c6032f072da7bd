import { DAY, type DateFields, HOUR, isDate, MINUTE, SECOND, toLocal } from './calendar.ts'
import type { Zone } from './zone.ts'

/** A time as it is written: of all clocks (`ms`), or of one clock (`local`). */
export interface Written {
  ms?: number
  local?: number
  /** The zone or offset that stands with it. */
  zone?: Zone
  /** It is a date alone. */
  isDate?: boolean
}

/** A time of day, in digits. */
export interface Clock {
  hour?: string
  minute?: string
  second?: string
  fraction?: string
}

/** The local time of a date and a time of day, or undefined if there are no such. 24:00 is the end of the day. */
export function combine(date: DateFields, { hour = '0', minute = '0', second = '0', fraction = '' }: Clock) {
  if (!isDate(date)) return undefined
  // A leap second is read as the second before it, as Unix times have none.
  const clock = [Number(hour) * HOUR, Number(minute) * MINUTE, Math.min(Number(second), 59) * SECOND]
  const ms = clock.reduce((sum, part) => sum + part, Math.floor(Number(`0.${fraction || 0}`) * SECOND))
  const isClock = Number(minute) < 60 && Number(second) <= 60 && (ms < DAY || (ms === DAY && Number(hour) === 24))
  return isClock ? toLocal(date) + ms : undefined
}
