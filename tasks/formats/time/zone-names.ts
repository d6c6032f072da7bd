import { Problem } from '#kit'
import { findNearest } from '../words/nearest.ts'
import { openZone, type Zone } from './zone.ts'

/** Names that Intl takes, but lists by an older name only. */
const NEWER = [
  ...['Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Yangon', 'Europe/Kyiv', 'America/Nuuk'],
  ...['America/Argentina/Buenos_Aires', 'Atlantic/Faroe', 'Pacific/Chuuk', 'Pacific/Pohnpei', 'Pacific/Kanton', 'UTC'],
]
/** Abbreviations of several zones, with those that are meant most. Intl would take some of them for one: BST for Dhaka. */
const ABBREVIATIONS: Readonly<Record<string, readonly string[]>> = {
  ...{ ET: ['America/New_York'], EDT: ['America/New_York'], CT: ['America/Chicago'], CDT: ['America/Chicago'] },
  ...{ CST: ['America/Chicago', 'Asia/Shanghai'], MT: ['America/Denver'], MDT: ['America/Denver'] },
  ...{ PT: ['America/Los_Angeles'], PST: ['America/Los_Angeles', 'Asia/Manila'], PDT: ['America/Los_Angeles'] },
  ...{ AKST: ['America/Anchorage'], AST: ['America/Halifax'], NST: ['America/St_Johns'], BRT: ['America/Sao_Paulo'] },
  ...{ BST: ['Europe/London'], IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'], CEST: ['Europe/Berlin'] },
  ...{ EEST: ['Europe/Athens'], WEST: ['Europe/Lisbon'], MSK: ['Europe/Moscow'], JST: ['Asia/Tokyo'] },
  ...{ KST: ['Asia/Seoul'], HKT: ['Asia/Hong_Kong'], SGT: ['Asia/Singapore'], PKT: ['Asia/Karachi'] },
  ...{ GST: ['Asia/Dubai'], WIB: ['Asia/Jakarta'], AET: ['Australia/Sydney'], AEST: ['Australia/Sydney'] },
  ...{
    AEDT: ['Australia/Sydney'],
    ACST: ['Australia/Adelaide'],
    AWST: ['Australia/Perth'],
    NZST: ['Pacific/Auckland'],
  },
  ...{ NZDT: ['Pacific/Auckland'], SAST: ['Africa/Johannesburg'], CAT: ['Africa/Maputo'], EAT: ['Africa/Nairobi'] },
  ...{ WAT: ['Africa/Lagos'], SST: ['Pacific/Pago_Pago'], ART: ['America/Argentina/Buenos_Aires'] },
}
/** Short names that are of IANA. */
const SHORT = new Set([
  'UTC',
  'GMT',
  'UCT',
  'EST',
  'MST',
  'HST',
  'CET',
  'MET',
  'EET',
  'WET',
  'PRC',
  'ROC',
  'ROK',
  'GB',
  'NZ',
])
const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i

let known: readonly string[] | undefined

/** The zone of an IANA name in any case, or of an offset such as +02:00. `field` is that of the name. */
export function findZone(given: string, field: string): Zone {
  const name = given.trim()
  const offset = OFFSET.exec(name)
  if (offset) return openOffset(given, field, offset)
  if (/^(z|zulu)$/i.test(name)) return openZone('UTC')
  const isShort = !name.includes('/') && name.length <= 4
  if (!isShort || SHORT.has(name.toUpperCase())) {
    const listed = listZones().find(one => one.toLowerCase() === name.toLowerCase()) ?? name
    if (isZone(listed)) return openZone(listed)
  }
  throw new Problem('TIME_ZONE_UNKNOWN', { field, given, ...suggestZones(name) })
}

function openOffset(given: string, field: string, [, sign, hours, minutes = '00']: RegExpExecArray): Zone {
  const name = `${sign}${hours!.padStart(2, '0')}:${minutes}`
  if (!isZone(name)) throw new Problem('TIME_ZONE_UNKNOWN', { field, given, reason: 'An offset is -23:59 to +23:59.' })
  return openZone(name)
}

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

function suggestZones(name: string): { didYouMean?: string[]; reason?: string } {
  const meant = ABBREVIATIONS[name.toUpperCase()]
  if (meant) return { didYouMean: [...meant], reason: 'An abbreviation is no zone: several zones share it.' }
  const wanted = name.toLowerCase().replaceAll(/[\s-]+/g, '_')
  const zones = listZones()
  const inCity = zones.filter(zone => cityOf(zone).includes(wanted) && wanted.length > 2)
  const city = findNearest(wanted, zones.map(cityOf))
  const near = [findNearest(name, zones, 4), ...zones.filter(zone => cityOf(zone) === city)].flatMap(zone => zone ?? [])
  const didYouMean = [...new Set([...inCity, ...near])].slice(0, 5)
  return didYouMean.length > 0 ? { didYouMean } : { reason: 'Give an IANA name, such as Europe/Berlin, or an offset.' }
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).toLowerCase()
}

function listZones(): readonly string[] {
  known ??= [...Intl.supportedValuesOf('timeZone'), ...NEWER]
  return known
}
