import { readDates } from '../lists/fields.ts'

const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/

/** What a list writes first in its dates; undefined if none of them tells, or if they differ. */
export type DateOrder = 'day' | 'month' | undefined

/** Only dates without points tell: with points, the day is always first. */
export function findDateOrder(texts: Iterable<string>): DateOrder {
  const orders = new Set<DateOrder>()
  for (const text of texts) {
    const [, first, mark, second] = NUMBERS.exec(text.trim()) ?? []
    if (first === undefined || mark === '.') continue
    const [isFirstDay, isSecondDay] = [Number(first) > 12, Number(second) > 12]
    if (isFirstDay !== isSecondDay) orders.add(isFirstDay ? 'day' : 'month')
  }
  return orders.size === 1 ? [...orders][0] : undefined
}

/**
 * The dates of a cell. Official lists write the day first; who uploads a list may write either. Of a date that could be
 * two, or that does not exist, only the year is kept.
 */
export function readBirthDates(text: string, note: (what: string) => void, order?: DateOrder): string[] {
  const numbers = NUMBERS.exec(text.trim())
  const dates = numbers ? [orderDate(numbers, note, order)] : readDates(text)
  return dates.map(date => {
    if (isReal(date)) return date
    note('Dates that do not exist, of which only the year is compared')
    return date.slice(0, 4)
  })
}

function orderDate(
  [, first = '', mark, second = '', year = '']: readonly string[],
  note: (what: string) => void,
  order: DateOrder,
): string {
  const isDayFirst = mark === '.' || Number(first) > 12 || first === second
  if (isDayFirst) return joinDate(year, second, first)
  if (Number(second) > 12 || order === 'month') return joinDate(year, first, second)
  if (order === 'day') return joinDate(year, second, first)
  note('Dates whose day and month may be exchanged, of which only the year is compared')
  return year
}

function joinDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A year alone and a month of a year are dates too. */
function isReal(date: string): boolean {
  const [year, month = 1, day = 1] = date.split('-').map(Number)
  const found = new Date(Date.UTC(year!, month - 1, day))
  return found.getUTCMonth() === month - 1 && found.getUTCDate() === day
}
