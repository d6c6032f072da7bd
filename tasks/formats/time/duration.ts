import { Problem } from '#kit'
import { addBusinessDays, type Calendar } from './business-days.ts'
import { addMonths, DAY, HOUR, isInRange, MINUTE, SECOND } from './calendar.ts'
import { outOfRange } from './moment.ts'
import { resolveLocal, toLocalTime, type Zone } from './zone.ts'

export const DURATION_UNITS = [
  ...(['years', 'months', 'weeks', 'days', 'businessDays', 'hours', 'minutes', 'seconds', 'milliseconds'] as const),
] as const

export type Duration = Partial<Record<(typeof DURATION_UNITS)[number], number>>

const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`
const ISO = new RegExp(
  `^([+-])?P(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?` +
    `(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
  'i',
)
const ISO_UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const
const EXACT = { hours: HOUR, minutes: MINUTE, seconds: SECOND, milliseconds: 1 }
/** More than fits between the years 1 and 9999. */
const MAX_MS = 4e14

/** Reads P1M2DT3H, -P7D or PT1.5H. Only hours, minutes and seconds have fractions. */
export function readDuration(text: string, field: string): Duration {
  const parts = ISO.exec(text.trim())
  const sign = parts?.[1] === '-' ? -1 : 1
  const inWords = readWords(text)
  const given =
    inWords ??
    ISO_UNITS.flatMap((unit, index) => {
      const value = parts?.[index + 2]
      return value === undefined ? [] : [[unit, sign * Number(value.replace(',', '.'))] as const]
    })
  if (given.length === 0 || (!inWords && /T$/i.test(text.trim())))
    throw new Problem('INVALID_PARAM', { field, given: text, reason: 'Write it as P1M2DT3H or -P7D, or as an object.' })
  if (given.some(([unit, value]) => !(unit in EXACT) && !Number.isInteger(value)))
    throw new Problem('INVALID_PARAM', {
      field,
      given: text,
      reason: 'Only hours, minutes and seconds have fractions.',
    })
  return Object.fromEntries(given)
}

const AMOUNT = String.raw`([+-]?\d{1,12}(?:\.\d{1,3})?)\s*(business ?days?|[a-z]+)`
const WORDS = new RegExp(String.raw`^${AMOUNT}(?:(?:,|\s+and\b|\s)\s*${AMOUNT})?$`, 'i')

/** `3 months`, `2 weeks and 1 day` or `10 business days`; undefined for anything else. */
function readWords(text: string): (readonly [keyof Duration, number])[] | undefined {
  const found = WORDS.exec(text.trim())
  if (!found) return undefined
  const [, amount, unit, ...second] = found
  const pairs = [[amount, unit], second].filter((pair): pair is [string, string] => pair[1] !== undefined)
  const named = pairs.flatMap(([value, word]) => {
    const plain = `${word.toLowerCase().replaceAll(/\s|s$/g, '')}s`
    const known = DURATION_UNITS.find(name => name.toLowerCase() === plain)
    return known ? [[known, Number(value)] as const] : []
  })
  return named.length === pairs.length && new Set(named.map(([name]) => name)).size === pairs.length ? named : undefined
}

/** Moves the date on the calendar of the zone, then the time by what really passes. */
export function addDuration(ms: number, duration: Duration, zone: Zone, calendar: Calendar): number {
  const { years = 0, months = 0, weeks = 0, days = 0, businessDays = 0 } = duration
  const local = toLocalTime(ms, zone)
  const inMonth = requireRange(addMonths(local, years * 12 + months))
  const moved = addBusinessDays(requireRange(inMonth + (weeks * 7 + days) * DAY), businessDays, calendar)
  const start = moved === local ? ms : resolveNear(requireRange(moved), zone)
  const exact = Object.entries(EXACT).reduce(
    (sum, [unit, size]) => sum + (duration[unit as keyof Duration] ?? 0) * size,
    0,
  )
  if (Math.abs(exact) > MAX_MS) throw outOfRange()
  return start + Math.round(exact)
}

/** The earlier of two times, or the time moved on by a change of the clock. */
export function resolveNear(local: number, zone: Zone): number {
  const found = resolveLocal(local, zone)
  return found.kind === 'twice' ? found.earlier : found.ms
}

function requireRange(local: number): number {
  if (Number.isNaN(local) || !isInRange(local)) throw outOfRange()
  return local
}
