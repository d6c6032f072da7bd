import { findVideo, type InputFile, listAudio, type MediaFacts, type MediaStream, Problem } from '#kit'
import {
  type AudioFormat,
  isAudioFormat,
  VIDEO_CONTAINERS,
  type VideoCodec,
  type VideoFormat,
} from '../../formats/media/containers.ts'
import type { Quality, SpeedPreset } from '../../formats/media/encoders.ts'
import { countAudioUnits, countVideoUnits, isSoundOnly } from '../../formats/media/price.ts'
import { resolveRange, type Time } from '../../formats/media/times.ts'
import { pickTrack, type Track } from '../../formats/media/tracks.ts'
import { type EncodeOptions, planVisual } from '../../formats/media/video-output.ts'
import type { Fit, VisualOptions } from '../../formats/media/visual.ts'

export interface ConvertInput {
  file: InputFile
  to: VideoFormat | AudioFormat
  videoCodec: 'auto' | VideoCodec | 'copy'
  audioCodec: 'auto' | 'aac' | 'opus' | 'mp3' | 'copy' | 'none'
  width?: number
  height?: number
  fit: Fit
  rotate?: VisualOptions['rotate']
  flip?: VisualOptions['flip']
  fps: 'keep' | number
  quality?: Quality
  crf?: number
  bitrateKbps?: number
  targetBytes?: number
  speedPreset: SpeedPreset
  start?: Time
  end?: Time
  mute: boolean
  hdr: 'sdr' | 'keep'
  audioTrack?: Track
  subtitles: 'keep' | 'drop'
}

const VISUAL_FIELDS = ['width', 'height', 'rotate', 'flip'] as const
const ENCODE_FIELDS = [...VISUAL_FIELDS, 'quality', 'crf', 'bitrateKbps', 'targetBytes', 'start', 'end'] as const
const RATE_FIELDS = ['crf', 'bitrateKbps', 'targetBytes'] as const

export function checkOptions(input: ConvertInput): void {
  const rates = RATE_FIELDS.filter(field => input[field] !== undefined)
  if (rates.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: rates })
  if (isAudioFormat(input.to)) checkSoundOptions(input, rates)
  if (input.mute && input.audioCodec !== 'auto' && input.audioCodec !== 'none')
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['mute', 'audioCodec'] })
  if (input.videoCodec === 'copy' && isVisualChanged(input)) {
    const fields = ENCODE_FIELDS.filter(field => input[field] !== undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['videoCodec', ...fields], try: '/v1/media/trim' })
  }
  const needsBox = input.fit !== 'inside' && (input.width === undefined) !== (input.height === undefined)
  if (needsBox) throw new Problem('MISSING_FIELD', { field: input.width === undefined ? 'width' : 'height' })
}

/** Options of a picture that an audio format has no use for, and their defaults. */
const VISUAL_DEFAULTS = { fps: 'keep', fit: 'inside', videoCodec: 'auto', hdr: 'sdr' } as const

function checkSoundOptions(input: ConvertInput, rates: readonly string[]): void {
  const { mute, audioCodec } = input
  const visual = [
    ...VISUAL_FIELDS.filter(field => input[field] !== undefined),
    ...(['fps', 'fit', 'videoCodec', 'hdr'] as const).filter(field => input[field] !== VISUAL_DEFAULTS[field]),
  ]
  if (visual.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', ...visual] })
  if (mute || audioCodec === 'none')
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', mute ? 'mute' : 'audioCodec'] })
  if (rates.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', ...rates], try: '/v1/media/audio-convert' })
}

function isVisualChanged(input: ConvertInput): boolean {
  return input.fps !== 'keep' || ENCODE_FIELDS.some(field => input[field] !== undefined)
}

/** Whether the picture goes into the new container as it is: asked for, or nothing but the container changes. */
export function copiesVisual(input: ConvertInput): boolean {
  const { file, to, videoCodec, hdr } = input
  const video = findVideo(file.facts.media)
  if (isAudioFormat(to) || !video) return false
  if (videoCodec === 'copy') return true
  if (videoCodec !== 'auto' || isVisualChanged(input)) return false
  const isToneMapped = video.hdr !== undefined && hdr === 'sdr'
  const losesRotation = Boolean(video.rotation) && !(isIso(to) && isIso(file.facts.media!.container))
  return VIDEO_CONTAINERS[to].video.includes(video.codec) && !isToneMapped && !losesRotation
}

function isIso(container: string): boolean {
  return ['mp4', 'mov', 'm4v', '3gp'].includes(container)
}

export function requireCopyable(video: MediaStream, to: VideoFormat): void {
  const { video: playable } = VIDEO_CONTAINERS[to]
  if (!playable.includes(video.codec))
    throw new Problem('INCOMPATIBLE_STREAMS', { codec: video.codec, to, supported: playable })
}

/** The sound tracks of the output; none of them is missed by a caller who asked for no particular one. */
export function selectSounds(media: MediaFacts, { mute, audioCodec, audioTrack }: ConvertInput): MediaStream[] {
  const all = listAudio(media)
  if (mute || audioCodec === 'none') return []
  if (audioTrack === undefined) return all
  if (all.length === 0) throw new Problem('NO_AUDIO_STREAM')
  return [pickTrack(all, audioTrack)]
}

export function toEncodeOptions(input: ConvertInput): EncodeOptions {
  const { videoCodec, width, height, rotate, flip, fit, fps, quality, crf, bitrateKbps, speedPreset, hdr } = input
  return {
    videoCodec: videoCodec === 'copy' ? 'auto' : videoCodec,
    fit,
    speedPreset,
    keepsHdr: hdr === 'keep',
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(rotate !== undefined && { rotate }),
    ...(flip !== undefined && { flip }),
    ...(fps !== 'keep' && { fps }),
    ...(quality !== undefined && { quality }),
    ...(crf !== undefined && { crf }),
    ...(bitrateKbps !== undefined && { bitrateKbps }),
  }
}

export function writesSound({ file, to }: ConvertInput): boolean {
  return isAudioFormat(to) || isSoundOnly(file)
}

export function countUnits(input: ConvertInput): number {
  const { file, to } = input
  checkOptions(input)
  const { start, end } = resolveRange(input, file.facts.seconds ?? 0)
  const video = findVideo(file.facts.media)
  if (isAudioFormat(to) || writesSound(input)) return countAudioUnits(end - start)
  return countVideoUnits({ ...planVisual(video, to, toEncodeOptions(input)), seconds: end - start })
}
