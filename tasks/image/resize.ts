import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perStartedMegapixels } from '#kit'
import {
  AVIF_OUTPUT,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

const Side = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: 32_767 }),
    Type.String({ pattern: '^(\\d{1,4}(\\.\\d{1,2})?)%$', description: 'Such as 50%.' }),
  ],
  { description: 'Pixels, or a percentage of the input such as 50%.' },
)

const Fraction = Type.Number({ minimum: 0, maximum: 1 })

export default define({
  summary: 'Resize an image.',
  keywords:
    'make a picture 800 pixels wide, thumbnail of a photo, webp thumbnail, scale, downscale, upscale, shrink, smaller, larger, pixels, dimensions, a 200 pixels wide webp of a jpeg photo',
  isFeatured: true,
  description:
    'Applies the EXIF orientation first. Never enlarges unless `enlarge` is set. Animations keep their frames, delays ' +
    'and loop count where the output format supports them. With both sides and fit `inside` the image fits into that box.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    width: Type.Optional(Side),
    height: Type.Optional(Side),
    fit: Choice(['inside', 'cover', 'contain', 'fill', 'outside'], { default: 'inside' }),
    position: Type.Union(
      [
        Choice([...GRAVITIES, 'attention', 'entropy']),
        Type.Object({ x: Fraction, y: Fraction }, { description: 'Fractions of the image.' }),
      ],
      { default: 'center', description: 'Which part `cover` keeps, or where `contain` places the image.' },
    ),
    enlarge: Type.Boolean({ default: false }),
    dpr: Type.Number({ default: 1, minimum: 1, maximum: 4, description: 'Multiplies both sides, for dense screens.' }),
    kernel: Choice(['lanczos3', 'mitchell', 'cubic', 'nearest', 'linear'], { default: 'lanczos3' }),
    sharpen: Type.Union([Choice(['auto']), Type.Literal(false)], {
      default: 'auto',
      description: '`auto` sharpens a little after a soft kernel reduced the image a lot.',
    }),
    linear: Type.Boolean({
      default: false,
      description: 'Scale in linear light: more accurate for fine bright detail, slower.',
    }),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'At most 64 pixels wide, as WebP',
      input: { file: 'sample:gradient.png', width: 64, format: 'webp' },
      answer: { image: { width: 64, height: 48, format: 'webp', pages: 1, hasAlpha: false } },
    },
    {
      title: 'A square around the centre',
      input: { file: 'sample:gradient.png', width: 32, height: 32, fit: 'cover' },
      answer: { image: { width: 32, height: 32, format: 'png', pages: 1, hasAlpha: false } },
    },
  ],

  async run(input, { sharp }) {
    const { file, width, height, ...options } = input
    if (width === undefined && height === undefined) throw new Problem('MISSING_FIELD', { field: 'width' })
    const { warnings, ...image } = await sharp.resize(file.path, { ...options, width, height })
    return { result: toImageResult(image, 'resized'), warnings }
  },
})
