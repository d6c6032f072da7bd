import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perStartedMegapixels } from '#kit'
import {
  Aspect,
  AVIF_OUTPUT,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  Length,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

const OptionalSide = Type.Optional(Type.Integer({ minimum: 1, maximum: 32_767 }))
const Fraction = Type.Number({ minimum: 0, maximum: 1 })
const PixelCount = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Crop an image to a rectangle.',
  keywords:
    'cut the middle out of a photo, cut out a part, cut out, square, avatar, passport photo size, clip, part of picture, aspect ratio, focus',
  description:
    'Give one of: `rect`; `width` and `height`; `aspect`. `gravity` or `focus` places the last two. Coordinates are in ' +
    'pixels as displayed, the same for every frame of an animation.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    rect: Type.Optional(Type.Object({ x: Length, y: Length, width: Length, height: Length })),
    width: OptionalSide,
    height: OptionalSide,
    aspect: Aspect,
    gravity: Choice([...GRAVITIES, 'attention', 'entropy'], { default: 'center' }),
    focus: Type.Optional(
      Type.Object({ x: Fraction, y: Fraction }, { description: 'Point to keep in view, as fractions of the image.' }),
    ),
    faces: Type.Optional(Type.Boolean({ description: 'Reserved until a vision provider is configured.' })),
    clamp: Type.Boolean({
      default: false,
      description: 'Clip a region that extends beyond the image instead of rejecting it.',
    }),
    ...imageOptionFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    image: ImageInfo,
    crop: Type.Object({ x: PixelCount, y: PixelCount, width: PixelCount, height: PixelCount }),
  }),
  errors: [...IMAGE_ERRORS, 'BAD_REGION', 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A rectangle',
      input: { file: 'sample:gradient.png', rect: { x: 10, y: 20, width: 64, height: '50%' } },
      answer: { crop: { x: 10, y: 20, width: 64, height: 60 } },
    },
    {
      title: 'The square in the centre',
      input: { file: 'sample:gradient.png', aspect: '1:1' },
      answer: { crop: { x: 20, y: 0, width: 120, height: 120 } },
    },
  ],

  async run({ file, faces, ...options }, { sharp }) {
    if (faces) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'vision', adapters: [] })
    const { rect, width, height, aspect } = options
    const boxSide = width ?? height
    const mode = exactlyOne({ rect, width: boxSide, aspect }, ['rect', 'width', 'aspect'])
    if (mode === 'width' && (width === undefined || height === undefined))
      throw new Problem('MISSING_FIELD', { field: width === undefined ? 'width' : 'height' })
    const { warnings, crop, ...image } = await sharp.crop(file.path, options)
    return { result: { ...toImageResult(image, 'cropped'), crop }, warnings }
  },
})
