import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, type InputFile, perStartedMegapixels } from '#kit'
import {
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

const BLENDS = ['over', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'difference', 'exclusion', 'add'] as const
const MORE_BLENDS = ['soft-light', 'hard-light', 'colour-dodge', 'colour-burn', 'dest-in', 'dest-out', 'xor'] as const

const Offset = Type.Integer({ default: 0, minimum: -32_767, maximum: 32_767, description: 'From the side named.' })
const Side = Type.Optional(Type.Integer({ minimum: 1, maximum: 32_767 }))

const Layer = Type.Object({
  file: Type.Optional(ImageInput('A picture to lay on top.')),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
  gravity: Choice(GRAVITIES, { default: 'center' }),
  x: Offset,
  y: Offset,
  width: Side,
  height: Side,
  scale: Type.Optional(Type.Number({ minimum: 0.001, maximum: 10, description: "Share of the base's width." })),
  opacity: Type.Number({ default: 1, minimum: 0, maximum: 1 }),
  blend: Choice([...BLENDS, ...MORE_BLENDS], { default: 'over' }),
  rotate: Type.Number({ default: 0, minimum: -360, maximum: 360 }),
  tile: Type.Boolean({ default: false }),
  font: Type.String({ default: 'DejaVu Sans', pattern: '^[\\p{L}\\p{N} -]{1,64}$' }),
  fontSize: Type.Number({ default: 32, minimum: 4, maximum: 1000 }),
  color: Color({ default: '#000000', description: 'Of the text.' }),
})

interface Priced {
  file: InputFile
  format: string
  layers: unknown[]
}

/** Half a unit of work a layer: 1,000 micros for started 25 megapixels of the base, 500 for each layer. */
const price = perStartedMegapixels<Priced>(25, '0.0005')
const baseUnits = perStartedMegapixels<Pick<Priced, 'file' | 'format'>>(25, '0.001', formatFactor).units

export default define({
  summary: 'Lay pictures or text on a picture.',
  description:
    'Each layer has a `file` or a `text`. What reaches over the edge is cut. A layer lies on every frame of an ' +
    'animation, and an animated layer on a still picture makes an animation where the output can hold one.',
  price: {
    ...price,
    unit: 'layer, and 2 for started 25 megapixels',
    units: ({ file, format, layers }: Priced) => 2 * baseUnits({ file, format }) + layers.length,
  },
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    layers: Type.Array(Layer, { minItems: 1, maxItems: 20 }),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS', 'LAYER_TOO_LARGE', 'FONT_UNAVAILABLE'],
  examples: [
    {
      title: 'A small picture in the corner',
      input: {
        file: 'sample:gradient.png',
        layers: [{ file: 'sample:gradient.png', gravity: 'southeast', scale: 0.25, x: 4, y: 4, opacity: 0.8 }],
      },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    {
      title: 'A line of text',
      input: { file: 'sample:gradient.png', layers: [{ text: 'Hello', fontSize: 24, color: '#ffffff' }] },
    },
  ],

  async run({ file, layers, ...options }, { sharp }) {
    const files = [file.path]
    const plain = layers.map(({ file: picture, ...layer }) => {
      exactlyOne({ file: picture, text: layer.text }, ['file', 'text'])
      return picture ? { ...layer, file: files.push(picture.path) - 1 } : layer
    })
    const { warnings, ...made } = await sharp.composite(files, { ...options, layers: plain })
    return { result: imageResult(made, 'composed'), warnings }
  },
})
