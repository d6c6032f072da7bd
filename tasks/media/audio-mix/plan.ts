import { findVideo, type InputFile, listAudio, type MediaStream, Problem } from '#kit'
import { resolveRange, type Time, type TimeRange } from '../../formats/media/times.ts'

export interface Ducking {
  under: number
  by: number
  threshold: number
}

export interface MixInput {
  inputs: InputFile[]
  length?: 'longest' | 'shortest' | 'first'
  keepVideo: boolean
}

interface Settings {
  gainDb?: number
  delayMs?: number
  loop?: boolean
  start?: Time
  end?: Time
  fadeInMs?: number
  fadeOutMs?: number
  pan?: number
}

/** One sound of the mix: the part that is used, and when it is audible. */
export interface Voice {
  index: number
  file: InputFile
  /** Absent in a video without sound to which sounds are added. */
  audio: MediaStream | undefined
  range: TimeRange
  delaySeconds: number
  isLooped: boolean
  settings: Settings
}

export interface MixPlan {
  voices: Voice[]
  seconds: number
}

const MAX_SECONDS = 3600

export function planMix({ inputs, length, keepVideo }: MixInput): MixPlan {
  const voices = inputs.map((file, index) => planVoice(file, index, keepVideo))
  if (keepVideo) return { voices, seconds: planVideoSeconds(voices[0]!, length) }
  const ends = voices.map(({ range, delaySeconds }) => delaySeconds + range.end - range.start)
  const own = ends.filter((_, index) => !voices[index]!.isLooped)
  // What repeats has no end of its own; if everything does, each is played once.
  const deciding = own.length > 0 ? own : ends
  const choose = { longest: Math.max(...deciding), shortest: Math.min(...deciding), first: ends[0]! }
  const seconds = choose[length ?? 'longest']
  if (seconds > MAX_SECONDS) throw new Problem('TOO_LONG', { limit: MAX_SECONDS, actual: Math.ceil(seconds) })
  return { voices, seconds }
}

function planVoice(file: InputFile, index: number, keepVideo: boolean): Voice {
  const settings = (file.options ?? {}) as Settings
  const { media, seconds = 0 } = file.facts
  const [audio] = listAudio(media)
  const keepsVisual = keepVideo && index === 0
  if (media && !audio && !keepsVisual) throw new Problem('NO_AUDIO_STREAM', { index })
  const { delayMs = 0, loop: isLooped = false } = settings
  return {
    index,
    file,
    audio,
    range: findRange(settings, seconds, index),
    delaySeconds: delayMs / 1000,
    isLooped,
    settings,
  }
}

function findRange(settings: Settings, seconds: number, index: number): TimeRange {
  try {
    return resolveRange(settings, seconds)
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
  }
}

/** The mix is as long as the video that keeps its picture, of which nothing is cut off. */
function planVideoSeconds({ file, settings }: Voice, length: MixInput['length']): number {
  const { media, seconds = 0 } = file.facts
  if (media && !findVideo(media)) throw new Problem('NO_VIDEO_STREAM', { index: 0 })
  if (length !== undefined && length !== 'first')
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['keepVideo', 'length'] })
  const cuts = (['start', 'end', 'loop'] as const).filter(name => settings[name])
  if (cuts.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['keepVideo', ...cuts.map(name => `inputs.0.${name}`)] })
  return seconds
}

/** How long each sound is audible. One that would begin after the end is a mistake. */
export function measureAudible({ voices, seconds }: MixPlan): { voice: Voice; audible: number }[] {
  return voices.flatMap(voice => {
    if (!voice.audio) return []
    const { range, delaySeconds, isLooped, index } = voice
    const left = seconds - delaySeconds
    if (left <= 0) throw new Problem('BAD_TIME_RANGE', { field: 'delayMs', at: delaySeconds, seconds, index })
    return [{ voice, audible: isLooped ? left : Math.min(left, range.end - range.start) }]
  })
}
