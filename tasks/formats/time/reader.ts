import { Problem } from '#kit'
import { isInRange, SECOND } from './calendar.ts'
import { outOfRange } from './moment.ts'
import { readWords } from './worded.ts'
import { combine, type Written } from './written.ts'
import { resolveLocal, toLocalTime, type Zone } from './zone.ts'
import { findZone } from './zone-names.ts'

export const CHOICES = ['earlier', 'later', 'refuse'] as const
export type Ambiguous = (typeof CHOICES)[number]

export interface ReadTime {
  ms: number
  zone: Zone
  warnings: { code: string; message: string }[]
}

/** Unix times below this are seconds, to the year 5138; the others are milliseconds. */
const FIRST_MS = 1e11
const LAST_MS = 253_402_300_799_999
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/
const DATE = String.raw`(\d{4})(?:-(\d\d)-(\d\d)|/(\d\d?)/(\d\d?)|(\d\d)(\d\d)(?=T|$))`
const CLOCK = String.raw`(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?`
const ISO = new RegExp(
  String.raw`^${DATE}(?:(?:T|\s+)${CLOCK})?\s*(Z|[+-]\d\d(?::?\d\d)?)?(?:\s*\[!?([\w+:/-]+)\])?$`,
  'i',
)
const DAYS_FIRST = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/

function readWritten(given: string | number, field: string): Written {
  if (typeof given === 'number' || (NUMBER.test(given.trim()) && given.trim().length !== 8))
    return readUnix(Number(given), field)
  const text = given.trim()
  if (DAYS_FIRST.test(text))
    throw invalid(
      field,
      given,
      'It may be a day and a month in either order: write 2026-03-14, or the month as a word.',
    )
  const iso = ISO.exec(text)
  const written = iso ? readIso(iso, field, given) : readWords(text, field)
  if (!written)
    throw invalid(
      field,
      given,
      'Write 2026-03-14T10:00 with an offset or `timeZone`, 14 March 2026 10:00, or Unix seconds.',
    )
  if (!isInRange(written.local ?? 0)) throw outOfRange()
  return written
}

function readUnix(value: number, field: string): Written {
  const ms = Math.round(Math.abs(value) < FIRST_MS ? value * SECOND : value)
  if (Math.abs(ms) <= LAST_MS) return { ms }
  throw invalid(field, value, 'Unix times are seconds or milliseconds.')
}

function readIso(parts: RegExpExecArray, field: string, given: string): Written | undefined {
  const [, year, month = parts[4] ?? parts[6], day = parts[5] ?? parts[7]] = parts
  const [hour, minute, second, fraction, offset, zoneName] = parts.slice(8)
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  const local = combine(date, { hour, minute, second, fraction })
  if (local === undefined) throw invalid(field, given, 'There is no such date or time of day.')
  const zone = zoneName === undefined ? undefined : findZone(zoneName, field)
  if (offset === undefined) return { local, zone, isDate: hour === undefined }
  const own = findZone(offset, field)
  const ms = local - own.offsetAt(0)
  if (zone && toLocalTime(ms, zone) !== local && !/^z$/i.test(offset))
    throw invalid(field, given, `${offset} is not the offset of ${zone.name} then.`)
  return { ms, local, zone: zone ?? own }
}

export interface ReadingOptions {
  field: string
  /** The zone of times without one. */
  zone?: Zone
  ambiguous: Ambiguous
  /** Dates without a time of day need no zone. */
  takesDates?: boolean
}

/** Reads a time in any form, in its own zone or that of the options. */
export function readTime(given: string | number, { field, zone, ambiguous, takesDates }: ReadingOptions): ReadTime {
  const written = readWritten(given, field)
  const own = zone ?? written.zone
  if (written.ms !== undefined) return { ms: written.ms, zone: own ?? findZone('UTC', field), warnings: [] }
  const clock = written.zone ?? zone ?? (takesDates && written.isDate ? findZone('UTC', field) : undefined)
  if (!clock) {
    const reason = 'It does not tell its time zone: give `timeZone`, or an offset such as +01:00 or Z.'
    throw invalid(field, given, reason)
  }
  return { ...choose(written.local!, clock, ambiguous, { field, given }), zone: own ?? clock }
}

function choose(local: number, zone: Zone, ambiguous: Ambiguous, hints: object): Omit<ReadTime, 'zone'> {
  const found = resolveLocal(local, zone)
  if (found.kind === 'one') return { ms: found.ms, warnings: [] }
  if (ambiguous === 'refuse') throw new Problem('TIME_NOT_UNIQUE', { ...hints, timeZone: zone.name, is: found.kind })
  if (found.kind === 'twice') {
    const message = `The clock of ${zone.name} shows this time twice; it is the ${ambiguous} one.`
    return { ms: found[ambiguous], warnings: [{ code: 'TIME_TWICE', message }] }
  }
  const message = `The clock of ${zone.name} skips this time; it is taken as long after the change as it says.`
  return { ms: found.ms, warnings: [{ code: 'TIME_SKIPPED', message }] }
}

function invalid(field: string, given: string | number, reason: string): Problem {
  return new Problem('TIME_INVALID', { field, given, reason })
}
