import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perStartedMegapixels } from '#kit'
import {
  formatFactor,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  OUTPUT_TYPES,
} from './shape.ts'

const Side = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: 32_767 }),
    Type.String({ pattern: '^(\\d{1,4}(\\.\\d{1,2})?)%$', description: 'Such as 50%.' }),
  ],
  { description: 'Pixels, or a share of the input such as 50%.' },
)

const Share = Type.Number({ minimum: 0, maximum: 1 })

export default define({
  summary: 'Scale a picture to fit.',
  description:
    'Turned upright first. Never enlarged unless asked. Animations keep their frames, delays and loops where the ' +
    'output can hold them. With both sides and fit `inside` the picture fits into that box.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    width: Type.Optional(Side),
    height: Type.Optional(Side),
    fit: Choice(['inside', 'cover', 'contain', 'fill', 'outside'], { default: 'inside' }),
    position: Type.Union(
      [
        Choice([...GRAVITIES, 'attention', 'entropy']),
        Type.Object({ x: Share, y: Share }, { description: 'Shares of the picture.' }),
      ],
      { default: 'center', description: 'Which part `cover` keeps, or where `contain` places.' },
    ),
    enlarge: Type.Boolean({ default: false }),
    dpr: Type.Number({ default: 1, minimum: 1, maximum: 4, description: 'Multiplies both sides, for dense screens.' }),
    kernel: Choice(['lanczos3', 'mitchell', 'cubic', 'nearest', 'linear'], { default: 'lanczos3' }),
    sharpen: Type.Union([Choice(['auto']), Type.Literal(false)], {
      default: 'auto',
      description: '`auto` sharpens a little where a soft kernel made a picture much smaller.',
    }),
    linear: Type.Boolean({
      default: false,
      description: 'Scale in linear light: truer for fine bright detail, slower.',
    }),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'At most 64 pixels wide, as WebP',
      input: { file: 'sample:gradient.png', width: 64, format: 'webp' },
      answer: { image: { width: 64, height: 48, format: 'webp', pages: 1, hasAlpha: false } },
    },
    {
      title: 'A square cut around the middle',
      input: { file: 'sample:gradient.png', width: 32, height: 32, fit: 'cover' },
      answer: { image: { width: 32, height: 32, format: 'png', pages: 1, hasAlpha: false } },
    },
  ],

  async run(input, { sharp }) {
    const { file, width, height, ...options } = input
    if (width === undefined && height === undefined) throw new Problem('MISSING_FIELD', { field: 'width' })
    const { warnings, ...made } = await sharp.resize(file.path, { ...options, width, height })
    return { result: imageResult(made, 'resized'), warnings }
  },
})
