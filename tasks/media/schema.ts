import { type TProperties, Type } from 'typebox'
import { Choice, FileInput, type ProblemCode } from '#kit'
import { AUDIO_CONTENT_TYPES, VIDEO_CONTENT_TYPES } from '../formats/media/containers.ts'
import { QUALITIES, SPEED_PRESETS } from '../formats/media/encoders.ts'
import { FITS } from '../formats/media/visual.ts'

/** Content that no signature names may still be a recording, such as one of raw frames; the probe decides. */
export const MEDIA_TYPES = [
  'video/*',
  'audio/*',
  'application/ogg',
  'application/vnd.ms-asf',
  'application/mxf',
  'image/gif',
  'application/octet-stream',
]

export const OUTPUT_TYPES = [...VIDEO_CONTENT_TYPES, ...AUDIO_CONTENT_TYPES]

export function MediaInput(description?: string) {
  return FileInput({ accept: MEDIA_TYPES, probe: 'media', description })
}

export const MediaInfo = Type.Object({
  durationSec: Type.Number({ minimum: 0 }),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  fps: Type.Optional(Type.Number()),
  videoCodec: Type.Optional(Type.String()),
  audioCodec: Type.Optional(Type.String()),
  bitrate: Type.Optional(Type.Number({ description: 'Bits a second.' })),
})

export const quality = Choice(QUALITIES, { default: 'medium' })
const Milliseconds = Type.Integer({ default: 0, minimum: 0, maximum: 600_000 })

/** How an audio format is written. */
export const soundFields = {
  bitrate: Type.Optional(Type.Integer({ minimum: 16, maximum: 512, description: 'kbit/s, instead of `quality`.' })),
  quality,
  sampleRate: Type.Union([Choice(['keep']), Type.Integer({ minimum: 8000, maximum: 192_000 })], {
    default: 'keep',
    description: '`keep` changes it only where the format requires it, and says so.',
  }),
  channels: Type.Union([Choice(['keep']), Type.Literal(1), Type.Literal(2)], { default: 'keep' }),
  bitDepth: Type.Optional(
    Type.Union([Type.Literal(16), Type.Literal(24), Type.Literal(32)], { description: 'For flac, wav and aiff.' }),
  ),
} satisfies TProperties

export const editFields = {
  gainDb: Type.Number({ default: 0, minimum: -60, maximum: 30 }),
  fadeInMs: Milliseconds,
  fadeOutMs: Milliseconds,
} satisfies TProperties

export const tagFields = {
  tags: Choice(['keep', 'strip'], { default: 'keep' }),
  cover: Choice(['keep', 'strip'], { default: 'keep', description: 'The cover picture, for mp3, m4a and flac.' }),
} satisfies TProperties

/** How a video is encoded. */
export const visualQualityFields = {
  quality,
  crf: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 63,
      description: 'Instead of `quality`; lower is better. At most 51 for h264 and h265.',
    }),
  ),
  speedPreset: Choice(SPEED_PRESETS, { default: 'fast', description: 'Slower makes smaller files.' }),
} satisfies TProperties

const Side = Type.Optional(Type.Integer({ minimum: 16, maximum: 4096 }))

export const sizeFields = {
  width: Side,
  height: Side,
  fit: Choice(FITS, {
    default: 'inside',
    description: '`inside` keeps the aspect within the box; the others fill it exactly and need both sides.',
  }),
} satisfies TProperties

/** Text drawn into a picture. */
export const textColorField = (description: string) =>
  Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$', description }))
export const fontField = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[\\p{L}\\p{N} -]{1,64}$', description }))

export const trackField = (options: Record<string, unknown> = {}) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.String({ pattern: '^[a-zA-Z]{2,3}$' })], {
    description: 'A number from 1, or a language such as `en`.',
    ...options,
  })

/** Problems of every operation that reads a recording. */
export const MEDIA_ERRORS = [
  'MEDIA_DECODE_FAILED',
  'UNSUPPORTED_FORMAT',
  'INPUT_EMPTY',
  'TOO_LONG',
  'TOO_MANY_PIXELS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'OUTPUT_TOO_LARGE',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const satisfies readonly ProblemCode[]

export const SOUND_ERRORS = [
  ...MEDIA_ERRORS,
  'NO_AUDIO_STREAM',
  'BAD_TIME_RANGE',
  'CONFLICTING_OPTIONS',
  'INVALID_PARAM',
] as const satisfies readonly ProblemCode[]

export const VISUAL_ERRORS = [
  ...MEDIA_ERRORS,
  'NO_VIDEO_STREAM',
  'BAD_TIME_RANGE',
  'CONFLICTING_OPTIONS',
  'INVALID_PARAM',
] as const satisfies readonly ProblemCode[]

/** Long recordings take as long as a background job may; the caller gets a ticket in the meantime. */
export const LONG_RUN_SECONDS = 900
