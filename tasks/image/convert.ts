import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perStartedMegapixels } from '#kit'
import { TARGET_FORMATS, type TargetFormat } from '../formats/raster/image.ts'
import { IMAGE_ERRORS, ImageInput, imageOptionFields, OUTPUT_TYPES } from './schema.ts'

const { format: _, ...fields } = imageOptionFields

const FILE_TYPES: Record<TargetFormat, { contentType: string; extension: string }> = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  avif: { contentType: 'image/avif', extension: 'avif' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  tiff: { contentType: 'image/tiff', extension: 'tif' },
  ico: { contentType: 'image/x-icon', extension: 'ico' },
  bmp: { contentType: 'image/bmp', extension: 'bmp' },
  pdf: { contentType: 'application/pdf', extension: 'pdf' },
}

/** Bits per channel, or per palette index, that a format supports. */
const BIT_DEPTHS: Partial<Record<TargetFormat, readonly number[]>> = {
  png: [1, 2, 4, 8, 16],
  tiff: [1, 2, 4, 8, 16],
  gif: [1, 2, 4, 8],
}

const Side = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 32_767, description: 'Only for SVG; other images keep their size.' }),
)

const price = perStartedMegapixels<{ file: InputFile; to: string }>(25, '0.001', [
  { when: '`to` is `avif`', factor: 2, applies: ({ to }) => to === 'avif' },
])

export default define({
  summary: 'Convert an image to another format.',
  keywords:
    'heic to jpg, png to webp, avif, jpeg, tiff, gif, bmp, psd, jxl, change format, change the dpi of an image, icc profile to srgb, svg logo to png, vector to png',
  converts: [
    {
      from: 'image svg heic png jpg webp avif gif tiff bmp ico psd jxl jp2',
      to: 'image jpg png webp avif gif tiff ico bmp',
    },
  ],
  isFeatured: true,
  description:
    'Reads HEIC, JPEG XL, BMP, ICO, PSD and JPEG 2000 besides the formats it writes. Animations keep frames, delays ' +
    'and loop count between gif and webp. A PDF gets every page of a TIFF. HEIC cannot be written.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    to: Choice(TARGET_FORMATS),
    ...fields,
    effort: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, description: 'Higher is smaller and slower.' })),
    chroma: Choice(['420', '444'], { default: '420', description: 'Chroma subsampling of jpeg and avif.' }),
    progressive: Type.Boolean({ default: false }),
    bitDepth: Type.Optional(
      Type.Union(
        [1, 2, 4, 8, 16].map(bits => Type.Literal(bits as 1 | 2 | 4 | 8 | 16)),
        { description: 'png and tiff up to 16, gif up to 8; below 8 the image gets a palette.' },
      ),
    ),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'Delay of every frame.' })),
    loop: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: '0 loops forever.' })),
    density: Type.Number({
      default: 96,
      minimum: 1,
      maximum: 2400,
      description: 'Dots per inch for SVG; 96 is its natural size.',
    }),
    sizes: Type.Array(Type.Integer({ minimum: 1, maximum: 256 }), {
      default: [16, 32, 48, 256],
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'Sizes in an ico.',
    }),
    width: Side,
    height: Side,
  }),
  output: Type.Object({
    output: FileOutput([...OUTPUT_TYPES, 'image/x-icon', 'image/bmp', 'application/pdf']),
    image: Type.Object({
      width: Type.Integer(),
      height: Type.Integer(),
      format: Choice(TARGET_FORMATS),
      pages: Type.Integer({ description: 'Frames, pages or icon sizes.' }),
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
    { title: 'To an icon with two sizes', input: { file: 'sample:gradient.png', to: 'ico', sizes: [16, 32] } },
  ],

  async run({ file, to, effort, chroma, progressive, bitDepth, delayMs, loop, ...options }, { sharp }) {
    const allowedDepths = BIT_DEPTHS[to] ?? [8]
    if (bitDepth && !allowedDepths.includes(bitDepth))
      throw new Problem('INVALID_PARAM', { field: 'bitDepth', allowed: allowedDepths })
    const encoder = { effort, chroma, progressive, bitDepth: BIT_DEPTHS[to] && bitDepth }
    const timing = { ...(delayMs !== undefined && { delay: delayMs }), ...(loop !== undefined && { loop }) }
    const format = to === 'ico' || to === 'bmp' || to === 'pdf' ? 'png' : to
    const converted = await sharp.convert(file.path, { ...options, format, to, encoder, timing })
    const { bytes, path, warnings, width, height, pages, hasAlpha } = converted
    const { contentType, extension } = FILE_TYPES[to]
    const output = { bytes, path, contentType, name: `converted.${extension}` }
    return { result: { output, image: { width, height, format: to, pages, hasAlpha } }, warnings }
  },
})
