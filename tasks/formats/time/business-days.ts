import { Problem } from '#kit'
import { DAY, startOfDay, WEEKDAYS, weekdayOf, writeDate } from './calendar.ts'

/** The days on which there is no business. */
export interface Calendar {
  /** Sunday is 0. */
  weekend: ReadonlySet<number>
  /** Midnights of local dates. */
  holidays: ReadonlySet<number>
}

export function openCalendar(weekend: readonly string[], holidays: readonly string[]): Calendar {
  const days = new Set(weekend.map(day => WEEKDAYS.findIndex(name => name.toLowerCase() === day)))
  return { weekend: days, holidays: new Set(holidays.map(readHoliday)) }
}

function readHoliday(date: string, index: number): number {
  const ms = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(ms) || writeDate(ms) !== date)
    throw new Problem('INVALID_PARAM', { field: `holidays/${index}`, given: date, reason: 'There is no such date.' })
  return ms
}

/** The local time so many business days later or, if the number is negative, earlier. None: the same day. */
export function addBusinessDays(local: number, count: number, calendar: Calendar): number {
  const step = count < 0 ? -DAY : DAY
  let day = local
  for (let left = Math.abs(count); left > 0; ) {
    day += step
    if (isBusinessDay(day, calendar)) left--
  }
  return day
}

/** The business days after one local time, up to the day of another that is not before it. */
export function countBusinessDays(from: number, to: number, calendar: Calendar): number {
  const first = startOfDay(from) + DAY
  const days = (startOfDay(to) - startOfDay(from)) / DAY
  const weeks = Math.floor(days / 7)
  let count = weeks * (7 - calendar.weekend.size)
  for (let day = first + weeks * 7 * DAY; day <= startOfDay(to); day += DAY)
    if (!calendar.weekend.has(weekdayOf(day))) count++
  const off = [...calendar.holidays].filter(day => day >= first && day <= to && !calendar.weekend.has(weekdayOf(day)))
  return count - off.length
}

function isBusinessDay(local: number, { weekend, holidays }: Calendar): boolean {
  return !weekend.has(weekdayOf(local)) && !holidays.has(startOfDay(local))
}
