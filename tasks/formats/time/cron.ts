import { Problem } from '#kit'
import { countDaysOfMonth, DAY, HOUR, isInRange, MINUTE, startOfDay, toFields, weekdayOf } from './calendar.ts'
import { type CronFields, parseCron } from './cron-fields.ts'
import { changesNear, resolveLocal, toLocalTime, type Zone } from './zone.ts'

export interface Occurrence {
  ms: number
  /** The clock skips the time of the expression that day, or shows it twice. */
  adjusted?: 'skipped' | 'twice'
}

/** Leap days that are a given weekday are at most 40 years apart. */
const MAX_DAYS_WITHOUT = 41 * 366

/** The next times of a cron expression after a given one, on the clock of a zone; fewer if the year 9999 ends. */
export function listOccurrences(expression: string, after: number, count: number, zone: Zone): Occurrence[] {
  const cron = parseCron(expression)
  const found: Occurrence[] = []
  let idle = 0
  // Times that the clock skips move to the next day if they are skipped at its end, so one day more is read.
  for (let day = startOfDay(toLocalTime(after, zone)) - DAY, more = 1; isInRange(day + DAY) && more >= 0; day += DAY) {
    if (found.length >= count) more--
    if (!isInRange(day) || !isDayOf(cron, day)) {
      if (++idle > MAX_DAYS_WITHOUT && found.length === 0) throw neverHappens(expression)
      continue
    }
    found.push(...listOfDay(cron, day, zone).filter(({ ms }) => ms > after))
  }
  return dropRepeated(found).slice(0, count)
}

function neverHappens(given: string): Problem {
  return new Problem('CRON_INVALID', { field: 'cron', given, reason: 'No date fits its day, month and weekday.' })
}

function dropRepeated(found: Occurrence[]): Occurrence[] {
  const sorted = found.sort((a, b) => a.ms - b.ms || Number(Boolean(a.adjusted)) - Number(Boolean(b.adjusted)))
  return sorted.filter(({ ms }, index) => ms !== sorted[index - 1]?.ms)
}

function isDayOf(cron: CronFields, day: number): boolean {
  const { month } = toFields(day)
  if (!cron.months.has(month)) return false
  const fits = [isMonthDay(cron, day), isWeekday(cron, day)]
  return cron.needsBothDays ? fits.every(Boolean) : fits.some(Boolean)
}

function isMonthDay({ days, fromEnd, nearestWorkday }: CronFields, at: number): boolean {
  const { year, month, day } = toFields(at)
  const last = countDaysOfMonth(year, month)
  if (days.has(day) || fromEnd.has(last - day)) return true
  return [...nearestWorkday].some(wanted => wanted <= last && findWorkday(wanted, at, day, last) === day)
}

/** The day of the month nearest to the wanted one that is no Saturday or Sunday. */
function findWorkday(wanted: number, at: number, day: number, last: number): number {
  const weekday = weekdayOf(at + (wanted - day) * DAY)
  if (weekday === 6) return wanted === 1 ? 3 : wanted - 1
  if (weekday === 0) return wanted === last ? wanted - 2 : wanted + 1
  return wanted
}

function isWeekday({ weekdays, nth }: CronFields, at: number): boolean {
  const { year, month, day } = toFields(at)
  const weekday = weekdayOf(at)
  if (weekdays.has(weekday)) return true
  return nth.some(
    ([wanted, which]) =>
      wanted === weekday && (which === 0 ? day > countDaysOfMonth(year, month) - 7 : Math.ceil(day / 7) === which),
  )
}

function listOfDay(cron: CronFields, day: number, zone: Zone): Occurrence[] {
  const locals = cron.hours.flatMap(hour => cron.minutes.map(minute => day + hour * HOUR + minute * MINUTE))
  if (changesNear(day, zone)) return locals.flatMap(local => resolveOccurrence(local, cron, zone))
  const offset = zone.offsetAt(day)
  return locals.map(local => ({ ms: local - offset }))
}

/** Jobs of each hour run by what passes; those of given hours run once that day, as in the cron of Debian. */
function resolveOccurrence(local: number, { isEveryHour }: CronFields, zone: Zone): Occurrence[] {
  const found = resolveLocal(local, zone)
  if (found.kind === 'one') return [{ ms: found.ms }]
  if (found.kind === 'skipped') return isEveryHour ? [] : [{ ms: found.ms, adjusted: 'skipped' }]
  return isEveryHour ? [{ ms: found.earlier }, { ms: found.later }] : [{ ms: found.earlier, adjusted: 'twice' }]
}
