import { Problem } from '#kit'
import { DAY, isInRange, isoWeekOf, WEEKDAYS, weekdayOf, writeLocal } from './calendar.ts'
import { toLocalTime, writeOffset, type Zone } from './zone.ts'

/** What a clock of a zone shows at one time. */
export interface Moment {
  timeZone: string
  iso: string
  offset: string
  abbreviation: string
  weekday: (typeof WEEKDAYS)[number]
  week: string
  dst: boolean
}

/** The usual letters of the names by which Intl calls the times of zones. All others are written as their offset. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ 'Coordinated Universal Time': 'UTC', 'Greenwich Mean Time': 'GMT', 'British Summer Time': 'BST' },
  ...{ 'Irish Standard Time': 'IST', 'India Standard Time': 'IST', 'Israel Standard Time': 'IST' },
  ...{ 'Israel Daylight Time': 'IDT', 'Moscow Standard Time': 'MSK', 'South Africa Standard Time': 'SAST' },
  ...{ 'West Africa Time': 'WAT', 'Central Africa Time': 'CAT', 'East Africa Time': 'EAT' },
  ...{ 'Pakistan Standard Time': 'PKT', 'Japan Standard Time': 'JST', 'Korean Standard Time': 'KST' },
  ...{ 'China Standard Time': 'CST', 'Taipei Standard Time': 'CST', 'Hong Kong Standard Time': 'HKT' },
  ...{ 'Philippine Standard Time': 'PST', 'Western Indonesia Time': 'WIB', 'Central Indonesia Time': 'WITA' },
  ...{ 'Eastern Indonesia Time': 'WIT', 'Chamorro Standard Time': 'ChST', 'Australian Western Standard Time': 'AWST' },
}
/** The names that have daylight saving: their letters before those of Standard, Daylight or Summer Time. */
const LETTERS_OF_PAIRS: Readonly<Record<string, string>> = {
  ...{ Eastern: 'E', Central: 'C', Mountain: 'M', Pacific: 'P', Alaska: 'AK', 'Hawaii-Aleutian': 'H', Atlantic: 'A' },
  ...{ Newfoundland: 'N', Cuba: 'C', 'Western European': 'WE', 'Central European': 'CE', 'Eastern European': 'EE' },
  ...{ 'Australian Eastern': 'AE', 'Australian Central': 'AC', 'New Zealand': 'NZ' },
}
const PAIR = /^(.+) (Standard|Daylight|Summer) Time$/
/** Their clocks are put back in Ramadan, which is no daylight saving in the other months. */
const WITHOUT_DST = new Set(['Africa/Casablanca', 'Africa/El_Aaiun'])
const HALF_YEAR = 183 * DAY

export function describeMoment(ms: number, zone: Zone): Moment {
  const local = toLocalTime(ms, zone)
  if (!isInRange(local)) throw outOfRange()
  const offset = writeOffset(local - ms)
  const name = zone.longNameAt(ms)
  return {
    timeZone: zone.name,
    iso: writeIso(ms, zone),
    ...{ offset, abbreviation: LETTERS[name] ?? lettersOfPair(name) ?? shortenOffset(offset) },
    ...{ weekday: WEEKDAYS[weekdayOf(local)]!, week: isoWeekOf(local), dst: isDaylightSaving(ms, zone, name) },
  }
}

/** With Z in UTC, and the offset elsewhere. */
export function writeIso(ms: number, zone: Zone): string {
  const local = toLocalTime(ms, zone)
  return `${writeLocal(local)}${zone.name === 'UTC' ? 'Z' : writeOffset(local - ms)}`
}

export function outOfRange(): Problem {
  return new Problem('TIME_INVALID', { reason: 'Times are of the years 1 to 9999.' })
}

function lettersOfPair(name: string): string | undefined {
  const [, base = '', kind = ''] = PAIR.exec(name) ?? []
  const letters = LETTERS_OF_PAIRS[base]
  if (letters === undefined) return undefined
  // European zones leave out the word Standard.
  return base.endsWith('European') && kind === 'Standard' ? `${letters}T` : `${letters}${kind[0]}T`
}

/** As IANA writes zones without letters: +03, or +0545. */
function shortenOffset(offset: string): string {
  // Offsets with seconds are of local mean time, before zones were set up.
  if (offset.length > 6) return 'LMT'
  return offset.replace(/:00$/, '').replaceAll(':', '')
}

function isDaylightSaving(ms: number, zone: Zone, name: string): boolean {
  if (/ (Daylight|Summer) Time$/.test(name) || name === 'Irish Standard Time') return true
  // Only a zone without a name of its own needs to be compared with its other half of the year.
  if (!name.startsWith('GMT') || WITHOUT_DST.has(zone.name)) return false
  const others = [zone.offsetAt(ms - HALF_YEAR), zone.offsetAt(ms + HALF_YEAR)]
  return others.every(other => other < zone.offsetAt(ms))
}
