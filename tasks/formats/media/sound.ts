import { type MediaFacts, type MediaStream, Problem, type Warning } from '#kit'
import { checkBitrate } from './bitrates.ts'
import { AUDIO_CONTAINERS, type AudioFormat } from './containers.ts'
import { buildAudioEncoder, type Quality } from './encoders.ts'
import { formatSeconds } from './times.ts'

export interface SoundOptions {
  to: AudioFormat
  bitrate?: number
  quality: Quality
  sampleRate: 'keep' | number
  channels: 'keep' | 1 | 2
  bitDepth?: 16 | 24 | 32
}

export interface SoundEdits {
  gainDb?: number
  fadeInMs?: number
  fadeOutMs?: number
}

interface SoundPlan {
  /** Filters that bring any sound to the rate and the channels of the output. */
  filters: string[]
  encoder: string[]
  muxer: string
  warnings: Warning[]
}

const LOSSLESS = new Set<AudioFormat>(['flac', 'wav', 'aiff'])
const DEFAULT_RATE = 48_000

export function planSound(audio: MediaStream, options: SoundOptions): SoundPlan {
  const { to } = options
  const { codec, muxer } = AUDIO_CONTAINERS[to]
  const rate = chooseRate(audio, options)
  const channels = chooseChannels(audio, options)
  const bitDepth = chooseBitDepth(audio, options)
  const { quality, bitrate: bitrateKbps } = options
  if (bitrateKbps !== undefined && LOSSLESS.has(to))
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', 'bitrate'] })
  if (bitrateKbps !== undefined) checkBitrate(to, bitrateKbps, { hertz: rate.hertz, channels: channels.count })
  const encoding = { codec, quality, channels: channels.count, bitDepth, isBigEndian: to === 'aiff' }
  return {
    filters: [`aresample=${rate.hertz}:async=1:first_pts=0`, ...channels.filters],
    encoder: buildAudioEncoder({ ...encoding, ...(bitrateKbps !== undefined && { bitrateKbps }) }),
    muxer,
    warnings: [...rate.warnings, ...channels.warnings],
  }
}

/** Opus always plays at 48 kHz, which says nothing about the sound, so it is not worth a warning. */
function chooseRate({ sampleRate = DEFAULT_RATE }: MediaStream, { to, sampleRate: wanted }: SoundOptions) {
  const { rates, maxRate } = AUDIO_CONTAINERS[to]
  const isOffered = (rate: number) => rate <= maxRate && (!rates || rates.includes(rate))
  if (wanted !== 'keep') {
    if (!isOffered(wanted)) throw new Problem('INVALID_PARAM', { field: 'sampleRate', allowed: rates, max: maxRate })
    return { hertz: wanted, warnings: [] }
  }
  if (to === 'opus') return { hertz: 48_000, warnings: [] }
  if (isOffered(sampleRate)) return { hertz: sampleRate, warnings: [] }
  const hertz = rates?.find(rate => rate >= sampleRate) ?? maxRate
  const message = `${to} has no rate of ${sampleRate} Hz; the sound was resampled to ${hertz} Hz.`
  return { hertz, warnings: [{ code: 'SAMPLE_RATE_CHANGED', message }] }
}

function chooseChannels({ channels = 2 }: MediaStream, { to, channels: wanted }: SoundOptions) {
  const { maxChannels, codec } = AUDIO_CONTAINERS[to]
  const count = wanted === 'keep' ? Math.min(channels, maxChannels) : wanted
  const warnings: Warning[] = []
  if (wanted === 'keep' && count < channels) {
    warnings.push({
      code: 'CHANNELS_REDUCED',
      message: `${to} holds ${count} channels; ${channels} were mixed into them.`,
    })
  }
  if (count <= 2) return { count, filters: [`aformat=channel_layouts=${count === 1 ? 'mono' : 'stereo'}`], warnings }
  // Opus knows only the layouts of Vorbis, in which surround speakers are at the back.
  const layouts = codec === 'opus' ? ['aformat=channel_layouts=3.0|quad|5.0|5.1|6.1|7.1'] : []
  return { count, filters: layouts, warnings }
}

function chooseBitDepth({ bitDepth, codec, sampleFormat = '' }: MediaStream, { to, bitDepth: wanted }: SoundOptions) {
  if (wanted !== undefined && !LOSSLESS.has(to))
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', 'bitDepth'] })
  if (wanted === 32 && to === 'flac') throw new Problem('INVALID_PARAM', { field: 'bitDepth', allowed: [16, 24] })
  if (wanted !== undefined) return wanted
  const isLossless = codec.startsWith('pcm_') || ['flac', 'alac', 'wavpack', 'ape', 'tta'].includes(codec)
  const stored = bitDepth ?? (/32|flt|dbl/.test(sampleFormat) ? 24 : 16)
  return isLossless && stored > 16 ? 24 : 16
}

/** Filters of a change of volume and of fades, in a sound of this length. */
export function buildEditFilters({ gainDb = 0, fadeInMs = 0, fadeOutMs = 0 }: SoundEdits, seconds: number): string[] {
  if ((fadeInMs + fadeOutMs) / 1000 > seconds + 0.001)
    throw new Problem('BAD_TIME_RANGE', { fields: ['fadeInMs', 'fadeOutMs'], seconds })
  const fadeOut = fadeOutMs / 1000
  return [
    ...(gainDb === 0 ? [] : [`volume=${gainDb}dB`]),
    ...(fadeInMs > 0 ? [`afade=t=in:st=0:d=${fadeInMs / 1000}`] : []),
    ...(fadeOut > 0 ? [`afade=t=out:st=${formatSeconds(seconds - fadeOut)}:d=${fadeOut}`] : []),
  ]
}

/** The output options that keep or drop tags and the cover picture. */
export function planTags(
  media: MediaFacts,
  { to, tags, cover }: { to: AudioFormat; tags: 'keep' | 'strip'; cover: 'keep' | 'strip' },
): { options: string[]; warnings: Warning[] } {
  const visual = cover === 'keep' ? media.streams.find(({ isCover }) => isCover) : undefined
  const canHold = AUDIO_CONTAINERS[to].hasCover && ['mjpeg', 'png'].includes(visual?.codec ?? '')
  const version = to === 'mp3' ? ['-id3v2_version', '3'] : to === 'aiff' ? ['-write_id3v2', '1'] : []
  const tagOptions = tags === 'keep' ? [] : ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact']
  if (!visual) return { options: [...version, ...tagOptions], warnings: [] }
  if (!canHold) {
    const warning = { code: 'COVER_DROPPED', message: `The cover picture has no place in ${to}.` }
    return { options: [...version, ...tagOptions], warnings: [warning] }
  }
  const copy = ['-map', `0:${visual.index}`, '-c:v', 'copy', '-disposition:v:0', 'attached_pic']
  return { options: [...copy, ...version, ...tagOptions], warnings: [] }
}
