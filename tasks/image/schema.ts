import { type TProperties, Type } from 'typebox'
import { Choice, FileInput, type InputFile, type PriceVariant, UNFETCHED_TYPE } from '#kit'
import { type EncodedImage, IMAGE_FORMATS } from '../formats/raster/image.ts'
import { READABLE_IMAGE_TYPES } from '../formats/raster/readable.ts'

const CONTENT_TYPES = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tiff: 'image/tiff',
} as const

const EXTENSIONS = { jpeg: 'jpg', png: 'png', webp: 'webp', avif: 'avif', gif: 'gif', tiff: 'tif' } as const

export const OUTPUT_TYPES = Object.values(CONTENT_TYPES)

export function ImageInput(description?: string) {
  return FileInput({ accept: READABLE_IMAGE_TYPES, probe: 'image', description })
}

export function Color(options: Record<string, unknown> = {}) {
  const pattern = '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$'
  return Type.String({ pattern, description: '#rgb, #rrggbb, #rrggbbaa, a CSS name or transparent.', ...options })
}

/** A coordinate or a side of a region. */
export const Length = Type.Union(
  [
    Type.Integer({ minimum: -32_767, maximum: 32_767 }),
    Type.String({ pattern: '^(\\d{1,4}(\\.\\d{1,3})?)%$', description: 'Such as 50%.' }),
  ],
  { description: 'Pixels, or a percentage of the side such as 50%.' },
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

/** Options of every operation that writes an image. */
export const imageOptionFields = {
  format: Choice(['keep', ...IMAGE_FORMATS], {
    default: 'keep',
    description: 'Output format; `keep` writes an SVG as png.',
  }),
  quality: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 80, for avif 55.' })),
  lossless: Type.Boolean({ default: false, description: 'For webp and avif.' }),
  background: Color({
    default: '#ffffff',
    description:
      'Fills transparent areas where the output has no transparency, and the space around a contained image.',
  }),
  animation: Choice(['auto', 'first'], {
    default: 'auto',
    description: '`auto` keeps the animation where the output format supports it.',
  }),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'One frame or page instead of all.' })),
  metadata: Choice(['strip', 'keep', 'copyright'], {
    default: 'strip',
    description: '`copyright` keeps only author and rights.',
  }),
  icc: Choice(['srgb', 'keep'], { default: 'srgb', description: 'Convert to sRGB, or keep the embedded profile.' }),
  dpi: Type.Optional(Type.Number({ minimum: 1, maximum: 10_000 })),
  tolerant: Type.Boolean({ default: false, description: 'Use the part of a damaged image that can be decoded.' }),
} satisfies TProperties

/** Problems of every operation that reads an image. */
export const READ_ERRORS = [
  'IMAGE_DECODE_FAILED',
  'UNSUPPORTED_FORMAT',
  'TOO_MANY_PIXELS',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const

/** Problems of every operation that reads one image and writes another. */
export const IMAGE_ERRORS = [...READ_ERRORS, 'INVALID_PARAM', 'BAD_RANGE'] as const

export const ImageInfo = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  format: Choice(IMAGE_FORMATS),
  pages: Type.Integer({ minimum: 1, description: 'Number of frames.' }),
  hasAlpha: Type.Boolean(),
})

/** AVIF takes about twice the work of any other format. */
export const AVIF_OUTPUT: PriceVariant<{ file: InputFile; format: string }> = {
  when: 'the output is AVIF',
  factor: 2,
  applies: ({ file, format }) =>
    format === 'avif' || (format === 'keep' && ['image/avif', UNFETCHED_TYPE].includes(file.type)),
}

export function toImageResult(encoded: EncodedImage, name: string) {
  const { bytes, path, width, height, format, pages, hasAlpha } = encoded
  const output = { bytes, path, contentType: CONTENT_TYPES[format], name: `${name}.${EXTENSIONS[format]}` }
  return { output, image: { width, height, format, pages, hasAlpha } }
}
