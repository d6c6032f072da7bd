import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  AVIF_OUTPUT,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  Length,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

const Region = Type.Object({
  x: Length,
  y: Length,
  width: Length,
  height: Length,
  shape: Choice(['rect', 'ellipse'], { default: 'rect' }),
})

export default define({
  summary: 'Blur or pixelate an image or parts of it.',
  keywords:
    'pixelate, anonymise, hide faces, obscure, mosaic, gaussian, background, make faces unrecognisable, unrecognizable, censor',
  description:
    'The same for every frame of an animation. A weak blur of regions gives a warning because it can be reversed. To ' +
    'hide secrets use large blocks, or cover them with a solid colour.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    sigma: Type.Number({ default: 5, minimum: 0.3, maximum: 250 }),
    mode: Choice(['gaussian', 'pixelate'], { default: 'gaussian' }),
    blockSize: Type.Integer({
      default: 16,
      minimum: 2,
      maximum: 1000,
      description: 'Side of the blocks of `pixelate`, in pixels.',
    }),
    regions: Type.Optional(Type.Array(Region, { minItems: 1, maxItems: 50 })),
    feather: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 500,
      description: 'Width of the soft edge of regions, in pixels.',
    }),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'BAD_REGION'],
  examples: [
    {
      title: 'The whole image',
      input: { file: 'sample:gradient.png', sigma: 8 },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'One region in blocks',
      input: { file: 'sample:gradient.png', mode: 'pixelate', regions: [{ x: 20, y: 20, width: 40, height: '25%' }] },
    },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, ...image } = await sharp.blur(file.path, options)
    return { result: toImageResult(image, 'blurred'), warnings }
  },
})
