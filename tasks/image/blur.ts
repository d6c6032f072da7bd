import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  formatFactor,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  Length,
  OUTPUT_TYPES,
} from './shape.ts'

const Region = Type.Object({
  x: Length,
  y: Length,
  width: Length,
  height: Length,
  shape: Choice(['rect', 'ellipse'], { default: 'rect' }),
})

export default define({
  summary: 'Blur or pixelate a picture or parts of it.',
  description:
    'Every frame of an animation alike. A weak blur over parts is warned of: it can be undone. To hide secrets use ' +
    'large blocks, or lay a colour over them.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    sigma: Type.Number({ default: 5, minimum: 0.3, maximum: 250 }),
    mode: Choice(['gaussian', 'pixelate'], { default: 'gaussian' }),
    blockSize: Type.Integer({ default: 16, minimum: 2, maximum: 1000, description: 'Of pixelate.' }),
    regions: Type.Optional(Type.Array(Region, { minItems: 1, maxItems: 50 })),
    feather: Type.Number({ default: 0, minimum: 0, maximum: 500, description: 'How soft the edges of regions are.' }),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: [...IMAGE_ERRORS, 'BAD_REGION'],
  examples: [
    {
      title: 'All of it',
      input: { file: 'sample:gradient.png', sigma: 8 },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'One part in blocks',
      input: { file: 'sample:gradient.png', mode: 'pixelate', regions: [{ x: 20, y: 20, width: 40, height: '25%' }] },
    },
  ],

  async run({ file, ...options }, { sharp }) {
    const { warnings, ...made } = await sharp.blur(file.path, options)
    return { result: imageResult(made, 'blurred'), warnings }
  },
})
