import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, perStartedMegapixels } from '#kit'
import {
  Aspect,
  Color,
  formatFactor,
  GRAVITIES,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  OUTPUT_TYPES,
} from './shape.ts'

const Border = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 }))
const Side = Type.Integer({ minimum: 1, maximum: 32_767 })

export default define({
  summary: 'Add a border around a picture.',
  description:
    'By one of: `all`, or any of `top`, `right`, `bottom`, `left`; `to` a size; to an `aspect`. With the last two ' +
    '`gravity` says where the picture lies. Every frame of an animation alike.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    all: Border,
    top: Border,
    right: Border,
    bottom: Border,
    left: Border,
    to: Type.Optional(Type.Object({ width: Side, height: Side })),
    aspect: Aspect,
    gravity: Choice(GRAVITIES, { default: 'center' }),
    fill: Choice(['color', 'copy', 'mirror', 'repeat', 'blur'], {
      default: 'color',
      description: '`copy` draws out the edge; `blur` lays a blurred copy behind.',
    }),
    ...imageFields,
    background: Color({ default: '#ffffff', description: 'Of the border, or transparent.' }),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A border of ten pixels',
      input: { file: 'sample:gradient.png', all: 10, background: '#ff6600' },
      answer: { image: { width: 180, height: 140, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'Square, on a blurred copy of itself',
      input: { file: 'sample:gradient.png', aspect: '1:1', fill: 'blur' },
      answer: { image: { width: 160, height: 160 } },
    },
  ],

  async run({ file, all, top, right, bottom, left, ...options }, { sharp }) {
    const { to, aspect } = options
    const way = exactlyOne({ all, top: top ?? right ?? bottom ?? left, to, aspect }, ['all', 'top', 'to', 'aspect'])
    const each = all ?? 0
    const sides = { top: top ?? each, right: right ?? each, bottom: bottom ?? each, left: left ?? each }
    const borders = way === 'all' || way === 'top' ? sides : undefined
    const { warnings, ...made } = await sharp.extend(file.path, { ...options, borders })
    return { result: imageResult(made, 'extended'), warnings }
  },
})
