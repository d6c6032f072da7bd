import { Type } from 'typebox'
import { Problem } from '#kit'

/** A position in a recording. */
export type Time = number | string

/** What a caller rounded may lie this far beyond the end. */
const TOLERANCE_SECONDS = 0.05
const CLOCK = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:\.\d+)?)$/

export const TimeField = (options: Record<string, unknown> = {}) =>
  Type.Union(
    [
      Type.Number({ minimum: 0, maximum: 86_400 }),
      Type.String({ pattern: '^((\\d{1,2}:)?\\d{1,2}:\\d{1,2}(\\.\\d{1,6})?|\\d{1,3}(\\.\\d{1,4})?%)$' }),
    ],
    { description: 'Seconds, HH:MM:SS.mmm, or a percentage such as 25%.', ...options },
  )

export const rangeFields = {
  start: Type.Optional(TimeField()),
  end: Type.Optional(TimeField()),
}

export interface TimeRange {
  start: number
  end: number
}

/** The seconds of a position. One beyond the end is a Problem; a percentage never is. */
export function resolveTime(time: Time, seconds: number, field: string): number {
  const at = toSeconds(time, seconds)
  if (at > seconds + TOLERANCE_SECONDS) throw new Problem('BAD_TIME_RANGE', { field, at, seconds })
  return Math.min(at, seconds)
}

function toSeconds(time: Time, seconds: number): number {
  if (typeof time === 'number') return time
  if (time.endsWith('%')) return (Math.min(100, Number(time.slice(0, -1))) / 100) * seconds
  const [, hours = '0', minutes, rest] = CLOCK.exec(time)!
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
}

/** The part of a recording between two positions, by default all of it. */
export function resolveRange({ start, end }: { start?: Time; end?: Time }, seconds: number): TimeRange {
  const from = start === undefined ? 0 : resolveTime(start, seconds, 'start')
  const to = end === undefined ? seconds : resolveTime(end, seconds, 'end')
  if (to <= from) throw new Problem('BAD_TIME_RANGE', { start: from, end: to, seconds })
  return { start: from, end: to }
}

/** Input options that read only a part of a file; none for all of it. */
export function seekOptions({ start, end }: TimeRange, seconds: number): string[] {
  return [
    ...(start > 0 ? ['-ss', formatSeconds(start)] : []),
    ...(end < seconds ? ['-t', formatSeconds(end - start)] : []),
  ]
}

/** A file that begins a few milliseconds off zero, as sound with a lead-in does, keeps the times of its subtitles. */
export function keepTimesOptions(startSeconds: number): string[] {
  return Math.abs(startSeconds) < 0.1 ? ['-copyts'] : []
}

export function formatSeconds(seconds: number): string {
  return seconds.toFixed(6).replace(/\.?0+$/, '')
}

export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/**
 * A cut copy begins at the key frame before the cut. Any other copy keeps its times, so that no gap comes before the first
 * picture.
 */
export function copyOptions({ start }: TimeRange): string[] {
  return start > 0 ? ['-avoid_negative_ts', 'make_zero'] : []
}
