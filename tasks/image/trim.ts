import { Type } from 'typebox'
import { Choice, define, FileOutput, perStartedMegapixels } from '#kit'
import {
  AVIF_OUTPUT,
  Color,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const
const PixelCount = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Remove a border of one colour around an image.',
  keywords: 'remove border, autocrop, empty margin, whitespace, transparent edges, cut away margins',
  description:
    'Also removes a transparent border. In an animation only the border common to all frames is removed. An image of ' +
    'one colour is returned unchanged.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    threshold: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 255,
      description: 'How much a border pixel may differ from the colour.',
    }),
    color: Color({ default: 'auto', description: 'Border colour; `auto` uses that of the top left corner.' }),
    padding: Type.Integer({ default: 0, minimum: 0, maximum: 10_000, description: 'Pixels of the border to keep.' }),
    sides: Type.Array(Choice(SIDES), { default: [...SIDES], minItems: 1, maxItems: 4, uniqueItems: true }),
    symmetric: Type.Boolean({ default: false, description: 'Trim opposite sides by the same amount.' }),
    ...imageOptionFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    image: ImageInfo,
    trimmed: Type.Object({ top: PixelCount, right: PixelCount, bottom: PixelCount, left: PixelCount }),
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
    const { warnings, trimmed, ...image } = await sharp.trim(file.path, options)
    return { result: { ...toImageResult(image, 'trimmed'), trimmed }, warnings }
  },
})
