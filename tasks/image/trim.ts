import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  Color,
  formatFactor,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  OUTPUT_TYPES,
} from './shape.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const
const Pixels = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Remove the border of one colour around a picture.',
  description:
    'A transparent border too. Of an animation only what is empty in every frame goes. A picture of one colour stays ' +
    'as it is.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    threshold: Type.Integer({ default: 10, minimum: 0, maximum: 255, description: 'How much a pixel may differ.' }),
    color: Color({ default: 'auto', description: 'Of the border; `auto` is that of the first corner.' }),
    padding: Type.Integer({ default: 0, minimum: 0, maximum: 10_000, description: 'Of the border to keep.' }),
    sides: Type.Array(Choice(SIDES), { default: [...SIDES], minItems: 1, maxItems: 4, uniqueItems: true }),
    symmetric: Type.Boolean({ default: false, description: 'As much on one side as on the other.' }),
    ...imageFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    image: ImageOutcome,
    trimmed: Type.Object({ top: Pixels, right: Pixels, bottom: Pixels, left: Pixels }),
  }),
  errors: IMAGE_ERRORS,
  examples: [
    { title: 'All sides', input: { file: 'sample:gradient.png', threshold: 4 } },
    {
      title: 'Top and bottom, keeping two pixels',
      input: { file: 'sample:gradient.png', sides: ['top', 'bottom'], padding: 2 },
    },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, trimmed, ...made } = await sharp.trim(file.path, options)
    return { result: { ...imageResult(made, 'trimmed'), trimmed }, warnings }
  },
})
