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
  summary: 'Convert an image to greyscale.',
  keywords: 'black and white, greyscale, desaturate, monochrome, remove colour',
  description:
    'The output has a single channel where the format supports it: jpeg, png and tiff. Keeps transparency and converts ' +
    'every frame of an animation.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    method: Choice(['luma', 'average', 'lightness'], {
      default: 'luma',
      description:
        '`luma` weights colours by perceived brightness; `lightness` averages the strongest and the weakest channel.',
    }),
    threshold: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 255, description: 'Black and white output: white from this brightness on.' }),
    ),
    dither: Type.Boolean({ default: false, description: 'Black and white output, dithered to look grey.' }),
    contrast: Type.Number({ default: 1, minimum: 0, maximum: 4, description: '1 leaves it unchanged.' }),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'Greyscale',
      input: { file: 'sample:gradient.png' },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    { title: 'Black and white for a printer', input: { file: 'sample:gradient.png', dither: true } },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, ...image } = await sharp.grayscale(file.path, options)
    return { result: toImageResult(image, 'grey'), warnings }
  },
})
