import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  formatFactor,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  OUTPUT_TYPES,
} from './shape.ts'

export default define({
  summary: 'Make a picture crisper.',
  description: 'Every frame of an animation by itself.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    amount: Type.Union([Choice(['auto']), Type.Number({ minimum: 0.3, maximum: 10 })], {
      default: 'auto',
      description: 'How wide the edges are, in pixels; `auto` is 1.',
    }),
    flat: Type.Number({ default: 1, minimum: 0, maximum: 10, description: 'How much in flat areas.' }),
    jagged: Type.Number({ default: 2, minimum: 0, maximum: 10, description: 'How much along edges.' }),
    denoise: Type.Integer({ default: 0, minimum: 0, maximum: 3, description: 'Take out specks first.' }),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'A little',
      input: { file: 'sample:gradient.png' },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    { title: 'Strongly, without specks', input: { file: 'sample:gradient.png', amount: 2, denoise: 1 } },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, ...made } = await sharp.sharpen(file.path, options)
    return { result: imageResult(made, 'sharpened'), warnings }
  },
})
