import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, type InputFile, type Price, usd } from '#kit'
import { Color, IMAGE_ERRORS, ImageOutcome, imageFields, imageResult, OUTPUT_TYPES, READABLE_TYPES } from './shape.ts'

const { page: _, animation: __, ...fields } = imageFields

const Pixels = (most: number, standard: number) => Type.Integer({ default: standard, minimum: 0, maximum: most })
const Side = Type.Integer({ default: 240, minimum: 8, maximum: 4096 })

const price: Price<{ files: InputFile[] }> = {
  unit: 'picture',
  rateMicros: usd('0.0002'),
  baseMicros: usd('0.001'),
  basis: 'body',
  units: ({ files }) => files.length,
}

export default define({
  summary: 'Lay pictures out in a grid.',
  description:
    'In the order given; of an animation the first frame. With `skipBroken` a placeholder stands for a bad file.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    files: Type.Array(FileInput({ accept: READABLE_TYPES }), { minItems: 1, maxItems: 100 }),
    columns: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 20 })], { default: 'auto' }),
    cell: Type.Object({ width: Side, height: Side }, { default: { width: 240, height: 240 } }),
    fit: Choice(['cover', 'contain'], { default: 'cover' }),
    gap: Pixels(500, 8),
    padding: Pixels(500, 16),
    labels: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
    font: Type.String({ default: 'DejaVu Sans', pattern: '^[\\p{L}\\p{N} -]{1,64}$' }),
    order: Choice(['given'], { default: 'given' }),
    skipBroken: Type.Boolean({ default: false }),
    ...fields,
    background: Color({ default: '#ffffff' }),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'Three pictures with labels',
      input: {
        files: ['sample:gradient.png', 'sample:gradient.png', 'sample:gradient.png'],
        cell: { width: 80, height: 60 },
        labels: ['one', 'two', 'three'],
      },
      answer: { image: { width: 200, height: 208, format: 'png', pages: 1, hasAlpha: false } },
    },
  ],

  async run({ files, ...options }, { sharp }) {
    const paths = files.map(({ path }) => path)
    const { warnings, ...made } = await sharp.contactSheet(paths, { ...options, animation: 'first' })
    return { result: imageResult(made, 'sheet'), warnings }
  },
})
