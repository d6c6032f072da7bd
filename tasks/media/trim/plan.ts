import { findVideo, type InputFile, Problem } from '#kit'
import type { Quality, SpeedPreset } from '../../formats/media/encoders.ts'
import { countAudioUnits, countVideoUnits } from '../../formats/media/price.ts'
import { sumSeconds } from '../../formats/media/segments.ts'
import { resolveRange, resolveTime, type Time, type TimeRange } from '../../formats/media/times.ts'
import { chooseContainer, planVisual } from '../../formats/media/video-output.ts'
import { invertRanges } from '../../formats/media/write-segments.ts'

export interface TrimInput {
  file: InputFile
  start?: Time
  end?: Time
  duration?: number
  segments?: { start: Time; end: Time }[]
  invert: boolean
  mode: 'precise' | 'copy'
  fadeMs: number
  quality: Quality
  crf?: number
  speedPreset: SpeedPreset
}

/** The parts of the recording that are kept, in the order given. */
export function resolveSegments(input: TrimInput, seconds: number): TimeRange[] {
  const { segments, invert, start, end, duration } = input
  const single = [start, end, duration].some(time => time !== undefined)
  if (segments && single) throw new Problem('CONFLICTING_OPTIONS', { fields: ['segments', 'start', 'end', 'duration'] })
  if (end !== undefined && duration !== undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['end', 'duration'] })
  if (!segments && !single)
    throw new Problem('MISSING_FIELD', { field: 'start', oneOf: ['start', 'end', 'duration', 'segments'] })
  const ranges = segments ? segments.map(segment => resolveRange(segment, seconds)) : [resolveOne(input, seconds)]
  return invert ? invertRanges(ranges, seconds) : ranges
}

function resolveOne({ start = 0, end, duration }: TrimInput, seconds: number): TimeRange {
  const from = resolveTime(start, seconds, 'start')
  return resolveRange({ start: from, end: duration === undefined ? end : from + duration }, seconds)
}

export function countTrimUnits(input: TrimInput): number {
  const { file, speedPreset } = input
  const seconds = file.facts.seconds ?? 0
  const length = sumSeconds(resolveSegments(input, seconds))
  const video = findVideo(file.facts.media)
  if (file.facts.media && !video) return countAudioUnits(length)
  const visual = planVisual(video, chooseContainer(file.facts.media), { videoCodec: 'auto', speedPreset })
  return countVideoUnits({ ...visual, seconds: length })
}
