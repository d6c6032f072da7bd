/** A moment of a wall clock, as the milliseconds that it would have in UTC. */
export type LocalMs = number

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]

export interface Fields {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  ms: number
}

export type DateFields = Pick<Fields, 'year' | 'month' | 'day'>

export function toLocal({ year, month, day, hour = 0, minute = 0, second = 0, ms = 0 }: DateFields & Partial<Fields>) {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0).setUTCFullYear(year, month - 1, day)
  return date + hour * HOUR + minute * MINUTE + second * SECOND + ms
}

export function toFields(local: LocalMs): Fields {
  const date = new Date(local)
  return {
    ...{ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
    ...{ hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() },
    ms: date.getUTCMilliseconds(),
  }
}

export function weekdayOf(local: LocalMs): number {
  return new Date(local).getUTCDay()
}

export function startOfDay(local: LocalMs): LocalMs {
  return Math.floor(local / DAY) * DAY
}

export function countDaysOfMonth(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()
}

export function isDate({ year, month, day }: DateFields): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= countDaysOfMonth(year, month)
}

/** The same day of another month, or its last where it has no such day. */
export function addMonths(local: LocalMs, months: number): LocalMs {
  const fields = toFields(local)
  const index = fields.year * 12 + fields.month - 1 + months
  const year = Math.floor(index / 12)
  const month = index - year * 12 + 1
  return toLocal({ ...fields, year, month, day: Math.min(fields.day, countDaysOfMonth(year, month)) })
}

/** The week by ISO 8601, such as 2026-W11. */
export function isoWeekOf(local: LocalMs): string {
  const thursday = startOfDay(local) + (3 - ((weekdayOf(local) + 6) % 7)) * DAY
  const { year } = toFields(thursday)
  const week = Math.floor((thursday - toLocal({ year, month: 1, day: 1 })) / (7 * DAY)) + 1
  return `${writeYear(year)}-W${String(week).padStart(2, '0')}`
}

/** Whether a wall clock shows a year of four digits, which all readers of ISO 8601 take. */
export function isInRange(local: LocalMs): boolean {
  return local >= toLocal({ year: 1, month: 1, day: 1 }) && local < toLocal({ year: 10_000, month: 1, day: 1 })
}

/** A date and time without offset; milliseconds only if there are any. */
export function writeLocal(local: LocalMs): string {
  return new Date(local)
    .toISOString()
    .replace(/^\+0+(?=\d{5}-)/, '')
    .replace(/(?:\.000)?Z$/, '')
}

export function writeDate(local: LocalMs): string {
  return writeLocal(local).slice(0, 10)
}

function writeYear(year: number): string {
  return String(year).padStart(4, '0')
}
