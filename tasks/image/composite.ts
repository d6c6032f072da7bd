import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, type InputFile, perStartedMegapixels, SHORTHAND_RULE } from '#kit'
import {
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

const BLEND_MODES = [
  ...(['over', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'difference', 'exclusion', 'add'] as const),
  ...(['soft-light', 'hard-light', 'colour-dodge', 'colour-burn', 'dest-in', 'dest-out', 'xor'] as const),
] as const

const Offset = Type.Integer({
  default: 0,
  minimum: -32_767,
  maximum: 32_767,
  description: 'Pixels inward from the side that `gravity` names.',
})
const Side = Type.Optional(Type.Integer({ minimum: 1, maximum: 32_767 }))

const Layer = Type.Object(
  {
    file: Type.Optional(
      ImageInput('The image to place on top. Its `inline` or `inputKey` may also stand in the layer itself.'),
    ),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
    gravity: Choice(GRAVITIES, { default: 'center' }),
    x: Offset,
    y: Offset,
    width: Side,
    height: Side,
    scale: Type.Optional(
      Type.Number({ minimum: 0.001, maximum: 10, description: "Fraction of the base image's width." }),
    ),
    opacity: Type.Number({ default: 1, minimum: 0, maximum: 1 }),
    blend: Choice(BLEND_MODES, { default: 'over' }),
    rotate: Type.Number({ default: 0, minimum: -360, maximum: 360 }),
    tile: Type.Boolean({ default: false }),
    font: Type.String({ default: 'DejaVu Sans', pattern: '^[\\p{L}\\p{N} -]{1,64}$' }),
    fontSize: Type.Number({ default: 32, minimum: 4, maximum: 1000 }),
    color: Color({ default: '#000000', description: 'Text colour.' }),
  },
  { [SHORTHAND_RULE]: ['inline', 'inputKey', 'url', 'batonId', 'entryRef'] },
)

interface PricedInput {
  file: InputFile
  format: string
  layers: unknown[]
}

const basePrice = perStartedMegapixels<Pick<PricedInput, 'file'>>(25, '0.0005')
/** Only the pixels of the base count. */
const countUnits = ({ file, layers }: PricedInput, perBaseUnit: number) =>
  perBaseUnit * basePrice.units({ file }) + layers.length

/** Half of the usual rate is the unit, because a layer costs that much. Layers are not dearer in AVIF. */
const price = {
  ...basePrice,
  unit: 'layer, and twice that per started 25 megapixels',
  minUnits: 3,
  units: (input: PricedInput) => countUnits(input, 2),
  variants: [
    {
      ...AVIF_OUTPUT,
      factor: 1,
      unit: 'layer, and four times that per started 25 megapixels',
      units: (input: PricedInput) => countUnits(input, 4),
    },
  ],
}

export default define({
  summary: 'Overlay images or text on an image.',
  keywords:
    'two photos side by side, write text on an image, add text, overlay, watermark, logo, layer, caption, text on photo, put on top, merge, meme, logo on a photo, put a logo in the corner of a photo, opacity, transparent logo, write text diagonally across a photo',
  description:
    'Each layer has a `file` or a `text`. Layers are clipped at the edges of the base. A layer is drawn on every frame ' +
    'of an animation; an animated layer on a still image makes an animation where the output format supports it.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    layers: Type.Array(Layer, { minItems: 1, maxItems: 20 }),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD', 'CONFLICTING_OPTIONS', 'LAYER_TOO_LARGE', 'FONT_UNAVAILABLE'],
  examples: [
    {
      title: 'A small image in the corner',
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
    const plannedLayers = layers.map(({ file: layerFile, ...layer }) => {
      exactlyOne({ file: layerFile, text: layer.text }, ['file', 'text'])
      return layerFile ? { ...layer, file: files.push(layerFile.path) - 1 } : layer
    })
    const { warnings, ...image } = await sharp.composite(files, { ...options, layers: plannedLayers })
    return { result: toImageResult(image, 'composed'), warnings }
  },
})
