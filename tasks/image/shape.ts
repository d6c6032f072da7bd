import { type TProperties, Type } from 'typebox'
import { Choice, FileInput, type InputFile } from '#kit'

export const IMAGE_TYPES = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/avif',
  'image/gif',
  'image/tiff',
  'image/svg+xml',
] as const

/** Formats that programs of the machine decode. */
const FOREIGN_TYPES = [
  'image/heic',
  'image/heif',
  'image/bmp',
  'image/x-icon',
  'image/jp2',
  'image/jxl',
  'image/vnd.adobe.photoshop',
] as const

export const READABLE_TYPES = [...IMAGE_TYPES, ...FOREIGN_TYPES]

export const CONTENT_TYPES = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tiff: 'image/tiff',
} as const

const ENDINGS = { jpeg: 'jpg', png: 'png', webp: 'webp', avif: 'avif', gif: 'gif', tiff: 'tif' } as const

export type OutputFormat = keyof typeof CONTENT_TYPES

export const OUTPUT_TYPES = Object.values(CONTENT_TYPES)

export function ImageInput(description?: string) {
  return FileInput({ accept: READABLE_TYPES, probe: 'image', description })
}

export function Color(options: Record<string, unknown> = {}) {
  const pattern = '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$'
  return Type.String({ pattern, description: '#rgb, #rrggbb, #rrggbbaa, a CSS name or transparent.', ...options })
}

/** Of a region: a place or a side. */
export const Length = Type.Union(
  [
    Type.Integer({ minimum: -32_767, maximum: 32_767 }),
    Type.String({ pattern: '^(\\d{1,4}(\\.\\d{1,3})?)%$', description: 'Such as 50%.' }),
  ],
  { description: 'Pixels, or a share of the side such as 50%.' },
)

export const Aspect = Type.Optional(
  Type.String({ pattern: '^[1-9]\\d{0,3}(\\.\\d{1,3})?:[1-9]\\d{0,3}(\\.\\d{1,3})?$', description: 'Such as 16:9.' }),
)

export const GRAVITIES = [
  'center',
  'north',
  'northeast',
  'east',
  'southeast',
  'south',
  'southwest',
  'west',
  'northwest',
] as const

/** What every operation that makes a picture lets its caller choose. */
export const imageFields = {
  format: Choice(['keep', ...(Object.keys(CONTENT_TYPES) as OutputFormat[])], {
    default: 'keep',
    description: 'Of the output; a vector picture that is kept becomes png.',
  }),
  quality: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Left out: 80, for avif 55.' })),
  lossless: Type.Boolean({ default: false, description: 'For webp and avif.' }),
  background: Color({
    default: '#ffffff',
    description: 'Under transparency where the output has none, and around a contained picture.',
  }),
  animation: Choice(['auto', 'first'], {
    default: 'auto',
    description: '`auto` keeps movement where the output format can.',
  }),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'One frame or page instead of all.' })),
  metadata: Choice(['strip', 'keep', 'copyright'], {
    default: 'strip',
    description: '`copyright` keeps author and rights.',
  }),
  icc: Choice(['srgb', 'keep'], { default: 'srgb', description: 'Convert to sRGB, or keep the embedded profile.' }),
  dpi: Type.Optional(Type.Number({ minimum: 1, maximum: 10_000 })),
  tolerant: Type.Boolean({ default: false, description: 'Use what can be decoded of a damaged picture.' }),
} satisfies TProperties

/** What every operation that reads a picture may answer. */
export const READ_ERRORS = [
  'IMAGE_DECODE_FAILED',
  'UNSUPPORTED_FORMAT',
  'TOO_MANY_PIXELS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const

/** What every operation that makes a picture of one may answer. */
export const IMAGE_ERRORS = [...READ_ERRORS, 'INVALID_PARAM', 'BAD_RANGE'] as const

export const ImageOutcome = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  format: Choice(Object.keys(CONTENT_TYPES) as OutputFormat[]),
  pages: Type.Integer({ minimum: 1, description: 'Frames of an animation.' }),
  hasAlpha: Type.Boolean(),
})

/** AVIF takes about twice the work of any other format. */
export function formatFactor({ file, format }: { file: InputFile; format: string }): number {
  return format === 'avif' || (format === 'keep' && file.type === 'image/avif') ? 2 : 1
}

export interface MadeImage {
  bytes?: Uint8Array
  path?: string
  width: number
  height: number
  format: OutputFormat
  pages: number
  hasAlpha: boolean
}

export function imageResult(made: MadeImage, name: string) {
  const { bytes, path, ...image } = made
  const output = { bytes, path, contentType: CONTENT_TYPES[made.format], name: `${name}.${ENDINGS[made.format]}` }
  const { width, height, format, pages, hasAlpha } = image
  return { output, image: { width, height, format, pages, hasAlpha } }
}
