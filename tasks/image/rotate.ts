import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perStartedMegapixels } from '#kit'
import { isLosslessTurn, turnJpeg } from './rotate/lossless.ts'
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

export default define({
  summary: 'Rotate or mirror an image.',
  keywords:
    'flip, mirror, turn, upside down, fix the orientation of a photo, phone photo, sideways, degrees, horizontal, vertical, rotate a picture by 90 degrees',
  description:
    'Rotates clockwise by any angle, then mirrors; the same for every frame of an animation. Without options it turns ' +
    'the image upright by its EXIF orientation.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    degrees: Type.Optional(Type.Number({ minimum: -3600, maximum: 3600, description: 'Clockwise.' })),
    flip: Type.Boolean({ default: false, description: 'Mirror top to bottom.' }),
    flop: Type.Boolean({ default: false, description: 'Mirror left to right.' }),
    auto: Type.Boolean({ default: true, description: 'Apply the EXIF orientation when no other change is requested.' }),
    crop: Choice(['none', 'inner'], {
      default: 'none',
      description: '`inner` keeps the largest rectangle without background corners.',
    }),
    ...imageOptionFields,
    lossless: Type.Boolean({
      default: false,
      description:
        'A JPEG is turned by right angles without encoding it again; rows that fill no block of 8 or 16 pixels may go. ' +
        'For webp and avif: lossless encoding.',
    }),
    background: Type.Optional(
      Color({ description: 'Colour of the corners. Default: transparent where the output supports it, else white.' }),
    ),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A quarter turn',
      input: { file: 'sample:gradient.png', degrees: 90 },
      answer: { image: { width: 120, height: 160, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'A slight rotation without empty corners',
      input: { file: 'sample:gradient.png', degrees: 3, crop: 'inner' },
    },
  ],

  async run({ file, degrees, flip, flop, auto, ...options }, { sharp }) {
    if (degrees === undefined && !flip && !flop && !auto) throw new Problem('MISSING_FIELD', { field: 'degrees' })
    const clockwiseDegrees = (((degrees ?? 0) % 360) + 360) % 360
    const turn = { degrees: clockwiseDegrees, flip, flop }
    if (isLosslessTurn(file, options)) return turnJpeg(file, { ...options, ...turn }, { sharp })
    const { warnings, ...image } = await sharp.rotate(file.path, { ...options, ...turn })
    return { result: toImageResult(image, 'rotated'), warnings }
  },
})
