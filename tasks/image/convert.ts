import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perStartedMegapixels } from '#kit'
import { IMAGE_ERRORS, ImageInput, imageFields, OUTPUT_TYPES } from './shape.ts'

const { format: _, ...fields } = imageFields

const TARGETS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'ico', 'bmp', 'pdf'] as const
type Target = (typeof TARGETS)[number]

const FILES: Record<Target, { contentType: string; ending: string }> = {
  jpeg: { contentType: 'image/jpeg', ending: 'jpg' },
  png: { contentType: 'image/png', ending: 'png' },
  webp: { contentType: 'image/webp', ending: 'webp' },
  avif: { contentType: 'image/avif', ending: 'avif' },
  gif: { contentType: 'image/gif', ending: 'gif' },
  tiff: { contentType: 'image/tiff', ending: 'tif' },
  ico: { contentType: 'image/x-icon', ending: 'ico' },
  bmp: { contentType: 'image/bmp', ending: 'bmp' },
  pdf: { contentType: 'application/pdf', ending: 'pdf' },
}

/** Bits of a channel, or of the palette's index, that a format can hold. */
const DEPTHS: Partial<Record<Target, readonly number[]>> = {
  png: [1, 2, 4, 8, 16],
  tiff: [1, 2, 4, 8, 16],
  gif: [1, 2, 4, 8],
}

const Side = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 32_767, description: 'Of a vector picture; others keep their size.' }),
)

const price = perStartedMegapixels<{ file: InputFile; to: string }>(25, '0.001', ({ to }) => (to === 'avif' ? 2 : 1))

export default define({
  summary: 'Change the format of a picture.',
  description:
    'Reads HEIC, JPEG XL, BMP, ICO, PSD and JPEG 2000 besides what it writes. Animations keep frames, delays and ' +
    'rounds between gif and webp. A PDF gets every page of a TIFF. HEIC is not written.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    to: Choice([...TARGETS, 'heic']),
    ...fields,
    effort: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, description: 'More is smaller and slower.' })),
    chroma: Choice(['420', '444'], { default: '420', description: 'Of jpeg and avif.' }),
    progressive: Type.Boolean({ default: false }),
    bitDepth: Type.Optional(
      Type.Union(
        [1, 2, 4, 8, 16].map(bits => Type.Literal(bits as 1 | 2 | 4 | 8 | 16)),
        { description: 'png and tiff to 16, gif to 8; below 8 the colours become a palette.' },
      ),
    ),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'Of every frame.' })),
    loop: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: '0 is without end.' })),
    density: Type.Number({ default: 96, minimum: 1, maximum: 2400, description: 'Of vector pictures; 96 is natural.' }),
    sizes: Type.Array(Type.Integer({ minimum: 1, maximum: 256 }), {
      default: [16, 32, 48, 256],
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'Of an icon.',
    }),
    width: Side,
    height: Side,
  }),
  output: Type.Object({
    output: FileOutput([...OUTPUT_TYPES, 'image/x-icon', 'image/bmp', 'application/pdf']),
    image: Type.Object({
      width: Type.Integer(),
      height: Type.Integer(),
      format: Choice(TARGETS),
      pages: Type.Integer({ description: 'Frames, pages, or sizes of an icon.' }),
      hasAlpha: Type.Boolean(),
    }),
  }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'To WebP',
      input: { file: 'sample:gradient.png', to: 'webp' },
      answer: { image: { width: 160, height: 120, format: 'webp', pages: 1, hasAlpha: false } },
    },
    { title: 'To an icon of two sizes', input: { file: 'sample:gradient.png', to: 'ico', sizes: [16, 32] } },
  ],

  async run({ file, to, effort, chroma, progressive, bitDepth, delayMs, loop, ...options }, { sharp }) {
    if (to === 'heic') throw new Problem('UNSUPPORTED_FORMAT', { field: 'to', supported: TARGETS })
    const depths = DEPTHS[to] ?? [8]
    if (bitDepth && !depths.includes(bitDepth))
      throw new Problem('INVALID_PARAM', { field: 'bitDepth', allowed: depths })
    const encoder = { effort, chroma, progressive, bitDepth: DEPTHS[to] && bitDepth }
    const motion = { ...(delayMs !== undefined && { delay: delayMs }), ...(loop !== undefined && { loop }) }
    const format = to === 'ico' || to === 'bmp' || to === 'pdf' ? 'png' : to
    const made = await sharp.convert(file.path, { ...options, format, to, encoder, motion })
    const { bytes, path, warnings, width, height, pages, hasAlpha } = made
    const { contentType, ending } = FILES[to]
    const output = { bytes, path, contentType, name: `converted.${ending}` }
    return { result: { output, image: { width, height, format: to, pages, hasAlpha } }, warnings }
  },
})
