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
  summary: 'Take the colour out of a picture.',
  description:
    'One channel where the format has it: jpeg, png and tiff. Transparency stays. Every frame of an animation alike.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    method: Choice(['luma', 'average', 'lightness'], {
      default: 'luma',
      description: '`luma` weighs colours as the eye does; `lightness` is the middle of the strongest and the weakest.',
    }),
    threshold: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 255, description: 'Black and white only: white from this brightness on.' }),
    ),
    dither: Type.Boolean({ default: false, description: 'Black and white only, in a pattern that looks grey.' }),
    contrast: Type.Number({ default: 1, minimum: 0, maximum: 4, description: '1 changes nothing.' }),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'Greys',
      input: { file: 'sample:gradient.png' },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    { title: 'Black and white for a printer', input: { file: 'sample:gradient.png', dither: true } },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, ...made } = await sharp.grayscale(file.path, options)
    return { result: imageResult(made, 'grey'), warnings }
  },
})
