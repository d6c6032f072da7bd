import { DAY, HOUR, type LocalMs, toLocal } from './calendar.ts'

// Decision 0701: compute times with `Intl`.

/** The clock of one time zone. */
export interface Zone {
  name: string
  /** What its clock is ahead of UTC. */
  offsetAt(ms: number): number
  /** What the zone calls its time then: Central European Summer Time. */
  longNameAt(ms: number): string
}

/** All times at which a clock shows the same, or when it would have if it had not been put forward. */
export type Resolved =
  | { kind: 'one'; ms: number }
  | { kind: 'twice'; earlier: number; later: number }
  /** `ms` is as long after the change as the time would have been without it: 03:30 for 02:30. */
  | { kind: 'skipped'; ms: number }

/** No zone ever was more than 16 hours from UTC, so a change that concerns a local time is not farther than this. */
const REACH = 26 * HOUR
const SHOWN = /^(\d+)\/(\d+)\/(\d+) ([AB]), (\d+):(\d+):(\d+)$/

export function openZone(name: string): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: name, hourCycle: 'h23', era: 'narrow', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  let long: Intl.DateTimeFormat | undefined
  return {
    name,
    offsetAt: ms => readClock(clock, ms) - Math.floor(ms / 1000) * 1000,
    longNameAt(ms) {
      long ??= new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'long' })
      return long.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    },
  }
}

function readClock(clock: Intl.DateTimeFormat, ms: number): LocalMs {
  const shown = SHOWN.exec(clock.format(ms))
  if (!shown) throw new Error(`the clock of Intl shows "${clock.format(ms)}"`)
  const [month, day, year] = [shown[1], shown[2], shown[3]].map(Number) as [number, number, number]
  const [hour, minute, second] = [shown[5], shown[6], shown[7]].map(Number) as [number, number, number]
  // The year before year 1 is 1 BC.
  return toLocal({ year: shown[4] === 'B' ? 1 - year : year, month, day, hour, minute, second })
}

export function toLocalTime(ms: number, zone: Zone): LocalMs {
  return ms + zone.offsetAt(ms)
}

export function resolveLocal(local: LocalMs, zone: Zone): Resolved {
  const before = zone.offsetAt(local - REACH)
  const after = zone.offsetAt(local + REACH)
  const times = [...new Set([local - before, local - after])].filter(ms => toLocalTime(ms, zone) === local)
  if (times.length === 2) return { kind: 'twice', earlier: Math.min(...times), later: Math.max(...times) }
  const [ms] = times
  return ms === undefined ? { kind: 'skipped', ms: local - before } : { kind: 'one', ms }
}

/** Whether the clock is put forward or back within the day or near it. */
export function changesNear(day: LocalMs, zone: Zone): boolean {
  return zone.offsetAt(day - REACH) !== zone.offsetAt(day + DAY + REACH)
}

export function writeOffset(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, ...(seconds % 60 ? [seconds % 60] : [])]
  return (offsetMs < 0 ? '-' : '+') + parts.map(part => String(part).padStart(2, '0')).join(':')
}
