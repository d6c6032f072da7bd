import { type Calendar, countBusinessDays } from './business-days.ts'
import { addMonths, DAY, HOUR, MINUTE, SECOND, startOfDay, toFields } from './calendar.ts'
import { resolveNear } from './duration.ts'
import { toLocalTime, type Zone } from './zone.ts'

export const TOTAL_UNITS = [
  ...(['years', 'months', 'weeks', 'days', 'businessDays', 'hours', 'minutes', 'seconds', 'milliseconds'] as const),
] as const
export type TotalUnit = (typeof TOTAL_UNITS)[number]

export interface Difference {
  total: number
  parts: Parts
  /** ISO 8601. */
  duration: string
}

interface Parts {
  years: number
  months: number
  days: number
  hours: number
  minutes: number
  seconds: number
  milliseconds: number
}

interface Span {
  from: number
  to: number
  zone: Zone
  calendar: Calendar
}

const EXACT: Partial<Record<TotalUnit, number>> = { hours: HOUR, minutes: MINUTE, seconds: SECOND, milliseconds: 1 }

/** What lies between two times on the calendar of a zone; all of it is negative if the second is before the first. */
export function measureDifference(
  from: number,
  to: number,
  unit: TotalUnit,
  zone: Zone,
  calendar: Calendar,
): Difference {
  const sign = to < from ? -1 : 1
  const span = { from: Math.min(from, to), to: Math.max(from, to), zone, calendar }
  const parts = splitSpan(span)
  const signed = Object.entries(parts).map(([name, value]) => [name, value && sign * value])
  return {
    total: sign * Number(measureTotal(span, unit).toPrecision(12)) || 0,
    parts: Object.fromEntries(signed),
    duration: (sign < 0 ? '-' : '') + writeDuration(parts),
  }
}

function splitSpan(span: Span): Parts {
  const months = countWhole(span, 'months')
  const rest = { ...span, from: move(span, 'months', months) }
  const days = countWhole(rest, 'days')
  const ms = span.to - move(rest, 'days', days)
  return {
    ...{ years: Math.floor(months / 12), months: months % 12, days, hours: Math.floor(ms / HOUR) },
    ...{ minutes: Math.floor(ms / MINUTE) % 60, seconds: Math.floor(ms / SECOND) % 60, milliseconds: ms % SECOND },
  }
}

type CalendarUnit = 'months' | 'days'

function move({ from, zone }: Span, unit: CalendarUnit, count: number): number {
  if (count === 0) return from
  const local = toLocalTime(from, zone)
  return resolveNear(unit === 'months' ? addMonths(local, count) : local + count * DAY, zone)
}

/** How many whole months or days of the calendar there are from the start to the end. */
function countWhole(span: Span, unit: CalendarUnit): number {
  const [from, to] = [toLocalTime(span.from, span.zone), toLocalTime(span.to, span.zone)]
  const [start, end] = [toFields(from), toFields(to)]
  const inMonths = (end.year - start.year) * 12 + end.month - start.month
  let count = unit === 'months' ? inMonths : (startOfDay(to) - startOfDay(from)) / DAY
  while (count > 0 && move(span, unit, count) > span.to) count--
  return Math.max(0, count)
}

function measureTotal(span: Span, unit: TotalUnit): number {
  const exact = EXACT[unit]
  if (exact) return (span.to - span.from) / exact
  const { from, to, zone, calendar } = span
  if (unit === 'businessDays') return countBusinessDays(toLocalTime(from, zone), toLocalTime(to, zone), calendar)
  if (unit === 'weeks') return measureTotal(span, 'days') / 7
  const [part, size] = unit === 'days' ? (['days', 1] as const) : (['months', unit === 'years' ? 12 : 1] as const)
  const whole = Math.floor(countWhole(span, part) / size)
  const [before, after] = [move(span, part, whole * size), move(span, part, (whole + 1) * size)]
  return whole + (to - before) / (after - before)
}

function writeDuration({ years, months, days, hours, minutes, seconds, milliseconds }: Parts): string {
  const exact = seconds + milliseconds / 1000
  const date = [`${years}Y`, `${months}M`, `${days}D`].filter(part => !part.startsWith('0')).join('')
  const time = [`${hours}H`, `${minutes}M`, ...(exact > 0 ? [`${exact}S`] : [])]
    .filter(part => !/^0[HM]/.test(part))
    .join('')
  return date || time ? `P${date}${time && `T${time}`}` : 'PT0S'
}
