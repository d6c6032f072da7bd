import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  AVIF_OUTPUT,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

export default define({
  summary: 'Sharpen an image.',
  keywords: 'unsharp mask, crisper, blurry, clearer, deblur',
  description: 'Sharpens each frame of an animation separately.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    amount: Type.Union([Choice(['auto']), Type.Number({ minimum: 0.3, maximum: 10 })], {
      default: 'auto',
      description: 'Width of the edges in pixels; `auto` is 1.',
    }),
    flat: Type.Number({ default: 1, minimum: 0, maximum: 10, description: 'Strength in flat areas.' }),
    jagged: Type.Number({ default: 2, minimum: 0, maximum: 10, description: 'Strength along edges.' }),
    denoise: Type.Integer({ default: 0, minimum: 0, maximum: 3, description: 'Remove specks first.' }),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
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
    const { warnings, ...image } = await sharp.sharpen(file.path, options)
    return { result: toImageResult(image, 'sharpened'), warnings }
  },
})
