import { Problem } from '#kit'
import { type Calendar, openCalendar } from '../../formats/time/business-days.ts'
import { listOccurrences } from '../../formats/time/cron.ts'
import { measureDifference, type TotalUnit } from '../../formats/time/difference.ts'
import { addDuration, type Duration, readDuration } from '../../formats/time/duration.ts'
import { describeMoment, writeIso } from '../../formats/time/moment.ts'
import { type Ambiguous, type ReadTime, readTime } from '../../formats/time/reader.ts'
import { openZone, type Zone } from '../../formats/time/zone.ts'
import { findZone } from '../../formats/time/zone-names.ts'
import type { Action } from './schema.ts'

interface TimeInput {
  time?: string | number
  timeZone?: string
  to?: readonly string[]
  ambiguous: Ambiguous
  duration?: string | Duration
  until?: string | number
  unit?: TotalUnit
  cron?: string
  count?: number
  weekend?: readonly string[]
  holidays?: readonly string[]
}

export function answerAction(action: Action, input: TimeInput, now: () => Date) {
  const zone = input.timeZone === undefined ? undefined : findZone(input.timeZone, 'timeZone')
  const options = { zone, ambiguous: input.ambiguous, takesDates: action !== 'convert' }
  const read = (field: 'time' | 'until') => readTime(input[field] ?? now().getTime(), { ...options, field })
  const time = read('time')
  const { warnings } = time
  const calendar = openCalendar(input.weekend ?? ['saturday', 'sunday'], input.holidays ?? [])
  if (action === 'convert') return { result: showTime(time.ms, listZones(input.to, time)), warnings }
  if (action === 'cron') return { result: showOccurrences(input.cron!, time.ms, input.count, zone), warnings }
  if (action === 'add') return { result: showSum(time, input, calendar), warnings }
  const until = read('until')
  const unit = input.unit ?? 'seconds'
  const difference = measureDifference(time.ms, until.ms, unit, time.zone, calendar)
  return { result: { ...difference, unit }, warnings: [...warnings, ...until.warnings] }
}

function showSum(time: ReadTime, { duration: given = {}, to }: TimeInput, calendar: Calendar) {
  const duration = typeof given === 'string' ? readDuration(given, 'duration') : given
  return showTime(addDuration(time.ms, duration, time.zone, calendar), listZones(to, time))
}

/** The fields of each action besides those of the time; the first is required. */
const FIELDS_OF: Readonly<Record<Action, readonly string[]>> = {
  convert: ['to'],
  add: ['duration', 'to', 'weekend', 'holidays'],
  difference: ['until', 'unit', 'weekend', 'holidays'],
  cron: ['cron', 'count'],
}

export function requireFields(action: Action, input: Readonly<Record<string, unknown>>): void {
  const all = new Set(Object.values(FIELDS_OF).flat())
  const foreign = [...all].filter(field => input[field] !== undefined && !FIELDS_OF[action].includes(field))
  if (foreign.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...foreign] })
  const [needed] = FIELDS_OF[action]
  if (action !== 'convert' && input[needed!] === undefined) throw new Problem('MISSING_FIELD', { fields: [needed] })
}

function listZones(to: readonly string[] | undefined, { zone }: ReadTime): Zone[] {
  return to?.map((name, index) => findZone(name, `to/${index}`)) ?? [zone]
}

function showTime(ms: number, zones: readonly Zone[]) {
  const times = zones.map(zone => describeMoment(ms, zone))
  return { utc: writeIso(ms, openZone('UTC')), unixSeconds: ms / 1000, unixMs: ms, times }
}

function showOccurrences(cron: string, after: number, count = 5, zone = openZone('UTC')) {
  const times = listOccurrences(cron, after, count, zone).map(({ ms, adjusted }) => ({
    ...describeMoment(ms, zone),
    unixSeconds: ms / 1000,
    ...(adjusted && { adjusted }),
  }))
  return { times }
}
