import { type MediaFacts, type MediaStream, Problem, type Warning } from '#kit'
import { type AudioFormat, VIDEO_CONTAINERS, VIDEO_FORMATS, type VideoCodec, type VideoFormat } from './containers.ts'
import { buildVideoEncoder, MAX_CRF, type Quality, type SpeedPreset } from './encoders.ts'
import { planSound, type SoundOptions } from './sound.ts'
import { buildVisualFilters, planRate, planSize, type VisualOptions } from './visual.ts'

export interface EncodeOptions extends VisualOptions {
  videoCodec: 'auto' | VideoCodec
  quality?: Quality
  crf?: number
  bitrateKbps?: number
  speedPreset: SpeedPreset
}

/** What an edited video is written as: like its source, or as MP4 if that format is only read. */
export function chooseContainer(media: MediaFacts | undefined): VideoFormat {
  return VIDEO_FORMATS.find(name => name === media?.container) ?? 'mp4'
}

export function chooseVideoCodec(to: VideoFormat, wanted: 'auto' | VideoCodec, keepsHdr = false): VideoCodec {
  const { video } = VIDEO_CONTAINERS[to].encodes
  if (wanted !== 'auto' && !video.includes(wanted))
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', 'videoCodec'], allowed: video })
  if (!keepsHdr) return wanted === 'auto' ? video[0]! : wanted
  const deep = video.filter(codec => codec !== 'h264')
  const codec = wanted === 'auto' ? deep[0] : wanted
  if (codec === undefined || codec === 'h264')
    throw new Problem('CONFLICTING_OPTIONS', {
      fields: ['hdr', wanted === 'auto' ? 'to' : 'videoCodec'],
      allowed: deep,
    })
  return codec
}

/** The size, the rate and the codec of an encoded picture, which decide its price. */
export function planVisual(video: MediaStream | undefined, to: VideoFormat, options: EncodeOptions) {
  const keepsHdr = Boolean(options.keepsHdr && video?.hdr)
  const codec = chooseVideoCodec(to, options.videoCodec, keepsHdr)
  const fps = options.fps ?? (video ? planRate(video) : 60)
  return { ...planSize(video ?? { width: 4096, height: 2304 }, options), fps, codec }
}

/** The filters and the encoder of a picture. The filters of the operation itself come before or after by its own choice. */
export function encodeVisual(video: MediaStream, to: VideoFormat, options: EncodeOptions, pass?: 1 | 2) {
  const { crf, bitrateKbps, quality = 'medium', speedPreset } = options
  const { width, height, fps, codec } = planVisual(video, to, options)
  if (crf !== undefined && crf > MAX_CRF[codec])
    throw new Problem('INVALID_PARAM', { field: 'crf', max: MAX_CRF[codec] })
  const hdr = options.keepsHdr ? video.hdr : undefined
  const encoder = buildVideoEncoder({
    codec,
    quality,
    speedPreset,
    shortSide: Math.min(width, height),
    ...(crf !== undefined && { crf }),
    ...(bitrateKbps !== undefined && { bitrateKbps }),
    ...(hdr && { hdr }),
    ...(pass && { pass }),
  })
  // AVI has no place for frames that are shown in another order than they are stored.
  return {
    filters: buildVisualFilters(video, { ...options, fps }),
    encoder: to === 'avi' ? [...encoder, '-bf', '0'] : encoder,
  }
}

const SOUND_FORMATS: Record<string, AudioFormat> = { aac: 'm4a', opus: 'opus', mp3: 'mp3' }

/** The filters and the encoder of a sound track in a video. */
export function encodeSound(
  audio: MediaStream,
  to: VideoFormat,
  options: { audioCodec?: string } & Partial<Omit<SoundOptions, 'to'>> = {},
) {
  const { audio: offered } = VIDEO_CONTAINERS[to].encodes
  const codec = offered.find(name => name === options.audioCodec) ?? offered[0]!
  const isRefused = options.audioCodec !== undefined && codec !== options.audioCodec
  if (isRefused) throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', 'audioCodec'], allowed: offered })
  const { audioCodec: _, ...rest } = options
  const usual = { quality: 'medium', sampleRate: 'keep', channels: 'keep' } as const
  return planSound(audio, { ...usual, ...rest, to: SOUND_FORMATS[codec]! })
}

/** Options that write the container so that players can start before they have all of it. */
export function muxOptions(to: VideoFormat): string[] {
  const isIso = to === 'mp4' || to === 'mov'
  const queue = ['-max_muxing_queue_size', '4096', '-f', VIDEO_CONTAINERS[to].muxer]
  return isIso ? [...queue, '-movflags', '+faststart'] : queue
}

export function nameVideo(to: VideoFormat) {
  return { contentType: VIDEO_CONTAINERS[to].contentType, name: `video.${to}` }
}

const TEXT_SUBTITLES = new Set(['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text'])

export function isTextSubtitle({ type, codec }: MediaStream): boolean {
  return type === 'subtitle' && TEXT_SUBTITLES.has(codec)
}

/** Which subtitles, and what else, the container takes; the rest is named in warnings. */
export function planExtras(media: MediaFacts, to: VideoFormat, keepsSubtitles: boolean) {
  const { subtitle } = VIDEO_CONTAINERS[to]
  const subtitles = media.streams.filter(({ type }) => type === 'subtitle')
  const isKept = (stream: MediaStream) => subtitle !== undefined && (isTextSubtitle(stream) || to === 'mkv')
  const kept = keepsSubtitles ? subtitles.filter(isKept) : []
  const codecs = kept.flatMap((stream, index) => [
    `-c:s:${index}`,
    to === 'mkv' && stream.codec !== 'mov_text' ? 'copy' : (subtitle ?? 'copy'),
  ])
  const fonts = to === 'mkv' ? media.streams.filter(({ type }) => type === 'attachment') : []
  const dropped = media.streams.filter(({ type }) => type === 'data')
  const warnings: Warning[] = []
  if (keepsSubtitles && kept.length < subtitles.length)
    warnings.push({
      code: 'SUBTITLES_DROPPED',
      message: `${subtitles.length - kept.length} subtitle tracks have no place in ${to}.`,
    })
  if (dropped.length > 0)
    warnings.push({
      code: 'DATA_DROPPED',
      message: `Tracks that are neither picture nor sound were left out: ${dropped.length}.`,
    })
  const maps = [...kept, ...fonts].flatMap(({ index }) => ['-map', `0:${index}`])
  return { options: [...maps, ...codecs, ...(fonts.length > 0 ? ['-c:t', 'copy'] : [])], warnings }
}

/** `-c:a` becomes `-c:a:1`, so that each track has its own encoder. */
export function addressStream(encoder: readonly string[], at: number): string[] {
  return encoder.map(option => {
    if (/^-(c|b|q):a$/.test(option)) return `${option}:${at}`
    return /^-(mapping_family|sample_fmt)$/.test(option) ? `${option}:a:${at}` : option
  })
}
