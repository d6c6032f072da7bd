import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perStartedMegapixels } from '#kit'
import {
  Aspect,
  formatFactor,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  Length,
  OUTPUT_TYPES,
} from './shape.ts'

const Pixels = Type.Optional(Type.Integer({ minimum: 1, maximum: 32_767 }))
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Whole = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Cut a rectangle out of a picture.',
  description:
    'By one of: `rect`; `width` and `height`; `aspect`. The last two lie where `gravity` or `focus` says. In pixels ' +
    'as displayed; the same for every frame of an animation.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    rect: Type.Optional(Type.Object({ x: Length, y: Length, width: Length, height: Length })),
    width: Pixels,
    height: Pixels,
    aspect: Aspect,
    gravity: Choice([...GRAVITIES, 'attention', 'entropy'], { default: 'center' }),
    focus: Type.Optional(
      Type.Object({ x: Share, y: Share }, { description: 'Shares of the picture to keep in view.' }),
    ),
    faces: Type.Optional(Type.Boolean({ description: 'Reserved until a provider of vision is configured.' })),
    clamp: Type.Boolean({ default: false, description: 'Cut a region that reaches outside instead of refusing it.' }),
    ...imageFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    image: ImageOutcome,
    crop: Type.Object({ x: Whole, y: Whole, width: Whole, height: Whole }),
  }),
  errors: [...IMAGE_ERRORS, 'BAD_REGION', 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A rectangle',
      input: { file: 'sample:gradient.png', rect: { x: 10, y: 20, width: 64, height: '50%' } },
      answer: { crop: { x: 10, y: 20, width: 64, height: 60 } },
    },
    {
      title: 'The middle square',
      input: { file: 'sample:gradient.png', aspect: '1:1' },
      answer: { crop: { x: 20, y: 0, width: 120, height: 120 } },
    },
  ],

  async run({ file, faces, ...options }, { sharp }) {
    if (faces) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'vision', adapters: [] })
    const { rect, width, height, aspect } = options
    const box = width ?? height
    const way = exactlyOne({ rect, width: box, aspect }, ['rect', 'width', 'aspect'])
    if (way === 'width' && (width === undefined || height === undefined))
      throw new Problem('MISSING_FIELD', { field: width === undefined ? 'width' : 'height' })
    const { warnings, crop, ...made } = await sharp.crop(file.path, options)
    return { result: { ...imageResult(made, 'cropped'), crop }, warnings }
  },
})
