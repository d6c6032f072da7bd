import { findVideo, type InputFile, type Price, type PriceVariant, usd } from '#kit'
import type { VideoCodec } from './containers.ts'

// Decision 0101: give recordings the time of a background job.

const AUDIO_UNIT = 'started 5 minutes'

const VIDEO_NOTE =
  'A started minute of output up to 1280×720 at 30 frames a second is 10 units: twice as many up to 1920×1080, four ' +
  'times above; 1.5 times above 30 frames a second; twice for h265 and vp9, three times for av1.'
const CODEC_FACTORS: Record<VideoCodec, number> = { h264: 1, h265: 2, vp9: 2, av1: 3 }

interface EncodedVideo {
  seconds: number
  width: number
  height: number
  fps?: number
  codec?: VideoCodec
}

export function countVideoUnits({ seconds, width, height, fps = 30, codec = 'h264' }: EncodedVideo): number {
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  const fits = (maxLong: number, maxShort: number) => long <= maxLong && short <= maxShort
  const size = fits(1280, 720) ? 1 : fits(1920, 1080) ? 2 : 4
  const minute = fps > 30.5 ? 15 : 10
  return Math.max(1, Math.ceil(seconds / 60)) * minute * size * CODEC_FACTORS[codec]
}

export function countAudioUnits(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / 300))
}

export function perVideoUnit<Input>(
  units: (input: Input) => number,
  variants?: readonly PriceVariant<Input>[],
): Price<Input> {
  const rate = { unit: 'video unit', rateMicros: usd('0.001'), baseMicros: 0n, note: VIDEO_NOTE } as const
  return { ...rate, basis: 'content', minUnits: 1, units, variants }
}

export function perAudioUnit<Input>(
  units: (input: Input) => number,
  variants?: readonly PriceVariant<Input>[],
): Price<Input> {
  const rate = { unit: AUDIO_UNIT, rateMicros: usd('0.001'), baseMicros: 0n } as const
  return { ...rate, basis: 'content', minUnits: 1, units, variants }
}

/** The variant of a price by video units for calls that write or read only sound. */
export function soundVariant<Input>(
  when: string,
  applies: (input: Input) => boolean,
  units: (input: Input) => number,
): PriceVariant<Input> {
  return { when, factor: 1, applies, unit: AUDIO_UNIT, units }
}

/** Whether a file is known to have no picture; of an unknown one the dearer is assumed. */
export function isSoundOnly({ facts: { media } }: InputFile): boolean {
  return media !== undefined && findVideo(media) === undefined
}
