import { type InputFile, type MediaStream, Problem } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { seekOptions, type TimeRange } from '../../formats/media/times.ts'
import { PeakReader, type Peaks } from './peaks.ts'

export interface SoundPart {
  file: InputFile
  audio: MediaStream
  range: TimeRange
  channels: 'mix' | 'split'
}

/** The two sides of surround sound are what is drawn of it. */
export function countChannels({ audio, channels }: SoundPart): number {
  return channels === 'mix' ? 1 : Math.min(2, audio.channels ?? 1)
}

/** Reads the sound at its own rate, in parts of so many samples. */
export async function measurePeaks(ffmpeg: Ffmpeg, part: SoundPart, samplesPerPart: number): Promise<Peaks> {
  const { file, audio, range } = part
  const channels = countChannels(part)
  const layout = channels === 1 ? 'mono' : 'stereo'
  const reader = new PeakReader(channels, samplesPerPart)
  const filters = `aresample=async=1:first_pts=0,aformat=sample_fmts=s16:sample_rates=${rateOf(audio)}:channel_layouts=${layout}`
  await ffmpeg.stream(
    {
      inputs: [{ path: file.path, options: seekOptions(range, file.facts.seconds ?? range.end) }],
      graph: `[0:${audio.index}]${filters}[sound]`,
      outputs: [{ options: ['-map', '[sound]', '-f', 's16le'] }],
      seconds: range.end - range.start,
    },
    chunk => reader.add(chunk),
  )
  const peaks = reader.end()
  if (peaks.length === 0) throw new Problem('MEDIA_DECODE_FAILED', { detail: 'nothing in this file could be decoded' })
  return peaks
}

export function rateOf({ sampleRate = 48_000 }: MediaStream): number {
  return sampleRate
}
