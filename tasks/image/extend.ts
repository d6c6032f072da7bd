import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, perStartedMegapixels } from '#kit'
import {
  Aspect,
  AVIF_OUTPUT,
  Color,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInfo,
  ImageInput,
  imageOptionFields,
  OUTPUT_TYPES,
  toImageResult,
} from './schema.ts'

const BorderWidth = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 }))
const Side = Type.Integer({ minimum: 1, maximum: 32_767 })

export default define({
  summary: 'Add a border around an image.',
  keywords:
    'padding, frame, margin, canvas, letterbox, enlarge canvas, white space around, make it square, in the middle of a white square',
  description:
    'Give one of: `all`; any of `top`, `right`, `bottom` and `left`; a target size `to`; an `aspect` ratio. With the ' +
    'last two `gravity` places the image. Every frame of an animation gets the same border.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    all: BorderWidth,
    top: BorderWidth,
    right: BorderWidth,
    bottom: BorderWidth,
    left: BorderWidth,
    to: Type.Optional(Type.Object({ width: Side, height: Side })),
    aspect: Aspect,
    gravity: Choice(GRAVITIES, { default: 'center' }),
    fill: Choice(['color', 'copy', 'mirror', 'repeat', 'blur'], {
      default: 'color',
      description: '`copy` extends the edge pixels; `blur` fills the border with a blurred copy of the image.',
    }),
    ...imageOptionFields,
    background: Color({ default: '#ffffff', description: 'Border colour.' }),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A border ten pixels wide',
      input: { file: 'sample:gradient.png', all: 10, background: '#ff6600' },
      answer: { image: { width: 180, height: 140, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'Square, over a blurred copy of itself',
      input: { file: 'sample:gradient.png', aspect: '1:1', fill: 'blur' },
      answer: { image: { width: 160, height: 160 } },
    },
  ],

  async run({ file, all, top, right, bottom, left, ...options }, { sharp }) {
    const { to, aspect } = options
    const mode = exactlyOne({ all, top: top ?? right ?? bottom ?? left, to, aspect }, ['all', 'top', 'to', 'aspect'])
    const everySide = all ?? 0
    const sides = {
      top: top ?? everySide,
      right: right ?? everySide,
      bottom: bottom ?? everySide,
      left: left ?? everySide,
    }
    const borders = mode === 'all' || mode === 'top' ? sides : undefined
    const { warnings, ...image } = await sharp.extend(file.path, { ...options, borders })
    return { result: toImageResult(image, 'extended'), warnings }
  },
})
