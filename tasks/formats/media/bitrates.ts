import { Problem } from '#kit'
import type { AudioFormat } from './containers.ts'

type Range = readonly [min: number, max: number]

/** What the encoder takes up to a sample rate, in kbit/s for one channel and for two; tried with each of them. */
const VORBIS: readonly (readonly [hertz: number, mono: Range, stereo: Range])[] = [
  [8000, [16, 40], [16, 80]],
  [12_000, [16, 48], [16, 96]],
  [16_000, [16, 96], [24, 192]],
  [24_000, [16, 80], [32, 160]],
  [32_000, [32, 160], [40, 320]],
  [48_000, [32, 240], [48, 500]],
]
const MP3: readonly (readonly [hertz: number, range: Range])[] = [
  [12_000, [8, 64]],
  [24_000, [8, 160]],
  [48_000, [32, 320]],
]
const OPUS_A_CHANNEL = 256

/** Refuses a rate of bits that the format has not, instead of writing another one. */
export function checkBitrate(
  to: AudioFormat,
  bitrate: number,
  { hertz, channels }: { hertz: number; channels: number },
) {
  const [min, max] = findRange(to, hertz, channels)
  if (bitrate < min || bitrate > max) throw new Problem('INVALID_PARAM', { field: 'bitrate', min, max })
}

function findRange(to: AudioFormat, hertz: number, channels: number): Range {
  if (to === 'opus') return [0, OPUS_A_CHANNEL * channels]
  if (to === 'mp3') return MP3.find(([rate]) => hertz <= rate)?.[1] ?? [0, Number.POSITIVE_INFINITY]
  const [, mono, stereo] = (to === 'ogg' && VORBIS.find(([rate]) => hertz <= rate)) || []
  const range = channels === 1 ? mono : channels === 2 ? stereo : undefined
  return range ?? [0, Number.POSITIVE_INFINITY]
}
