import { Problem } from '#kit'
import { MONTHS, WEEKDAYS, weekdayOf } from './calendar.ts'
import { type Clock, combine, type Written } from './written.ts'
import { findZone } from './zone-names.ts'

/** The parts of a date in words, as they are found. */
interface Parts {
  year?: number
  month?: number
  day?: number
  weekday?: number
  clock?: Clock
  half?: string
  zone?: string
}

const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?$/
const HALF = /^[ap]m$/
const ZONE = /^(?:z|utc|gmt|(?:utc|gmt)?[+-]\d{1,2}(?::?\d\d)?|[a-z_]+(?:\/[\w+-]+)+|[a-z]{2,5}t)$/i

/** Dates with the month as a word, in any order: Sat, 14 Mar 2026 10:00:00 +0100; March 14th, 2026 at 3pm. */
export function readWords(text: string, field: string): Written | undefined {
  const words = text
    .replace(/\([^()]*\)\s*$/, '')
    .replaceAll(/(\d)\s*([ap])\.?m\b\.?/gi, '$1 $2m')
    .split(/[\s,]+/)
    .filter(word => word !== '' && !/^(at|of|the)$/i.test(word))
  const parts: Parts = {}
  if (words.length > 10 || !words.every((word, index) => readWord(word, parts, words[index + 1]))) return undefined
  const { year, month, day, weekday } = parts
  if (year === undefined || month === undefined || day === undefined) return undefined
  const clock = to24Hours(parts)
  const local = clock && combine({ year, month, day }, clock)
  if (local === undefined)
    throw new Problem('TIME_INVALID', { field, given: text, reason: 'There is no such date or time of day.' })
  if (weekday !== undefined && weekdayOf(local) !== weekday)
    throw new Problem('TIME_INVALID', { field, given: text, reason: `That day is a ${WEEKDAYS[weekdayOf(local)]}.` })
  return addZone(local, parts, field)
}

function addZone(local: number, { zone: name, clock }: Parts, field: string): Written {
  if (name === undefined) return { local, isDate: clock === undefined }
  const zone = findZone(name, field)
  const isFixed = /^(z|utc|gmt|.*[+-]\d.*)$/i.test(name) && !name.includes('/')
  return isFixed ? { ms: local - zone.offsetAt(0), local, zone } : { local, zone }
}

/** Puts one word where it belongs; false if it belongs nowhere, or its place is taken. */
function readWord(word: string, parts: Parts, next = ''): boolean {
  const lower = word.toLowerCase().replace(/\.$/, '')
  const clock = CLOCK.exec(word)
  if (clock) return put(parts, 'clock', { hour: clock[1], minute: clock[2], second: clock[3], fraction: clock[4] })
  if (/^\d{1,2}$/.test(word) && HALF.test(next.toLowerCase())) return put(parts, 'clock', { hour: word })
  if (HALF.test(lower)) return parts.clock !== undefined && put(parts, 'half', lower)
  if (/^\d{4}$/.test(word)) return put(parts, 'year', Number(word))
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(lower)
  if (day) return put(parts, 'day', Number(day[1]))
  const month = indexOf(MONTHS, lower)
  if (month >= 0) return put(parts, 'month', month + 1)
  const weekday = indexOf(WEEKDAYS, lower)
  if (weekday >= 0) return put(parts, 'weekday', weekday)
  return ZONE.test(word) && put(parts, 'zone', word)
}

/** A name as a whole, or its first letters. */
function indexOf(names: readonly string[], word: string): number {
  return word.length < 3 ? -1 : names.findIndex(name => name.toLowerCase().startsWith(word))
}

function put<Key extends keyof Parts>(parts: Parts, key: Key, value: Parts[Key]): boolean {
  if (parts[key] !== undefined) return false
  parts[key] = value
  return true
}

function to24Hours({ clock = {}, half }: Parts): Clock | undefined {
  if (half === undefined) return clock
  const hour = Number(clock.hour)
  if (hour < 1 || hour > 12) return undefined
  return { ...clock, hour: String((hour % 12) + (half === 'pm' ? 12 : 0)) }
}
