import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, type InputFile, type Price, usd } from '#kit'
import { READABLE_IMAGE_TYPES } from '../formats/raster/readable.ts'
import { Color, IMAGE_ERRORS, ImageInfo, imageOptionFields, OUTPUT_TYPES, toImageResult } from './schema.ts'

const { page: _, animation: __, ...fields } = imageOptionFields

const PixelLength = (maximum: number, defaultValue: number) =>
  Type.Integer({ default: defaultValue, minimum: 0, maximum })
const Side = Type.Integer({ default: 240, minimum: 8, maximum: 4096 })

const MAX_IMAGES = 100

const price: Price<{ files: InputFile[] }> = {
  unit: 'image',
  rateMicros: usd('0.0002'),
  baseMicros: usd('0.001'),
  basis: 'body',
  minUnits: 1,
  maxUnits: MAX_IMAGES,
  units: ({ files }) => files.length,
}

export default define({
  summary: 'Arrange images in a grid.',
  keywords:
    'put four photos into one picture, several photos in one image, collage, montage, grid, gallery, overview of thumbnails, sprite sheet, several pictures in one, two by two, side by side',
  description:
    'In the order given; an animation is shown by its first frame. With `skipBroken` a placeholder replaces an ' +
    'unreadable file. With format `keep` the sheet is a JPEG if all images are, and else a PNG.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    files: Type.Array(FileInput({ accept: READABLE_IMAGE_TYPES }), { minItems: 1, maxItems: MAX_IMAGES }),
    columns: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 20 })], { default: 'auto' }),
    cell: Type.Object({ width: Side, height: Side }, { default: { width: 240, height: 240 } }),
    fit: Choice(['cover', 'contain'], { default: 'cover' }),
    gap: PixelLength(500, 8),
    padding: PixelLength(500, 16),
    labels: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
    font: Type.String({ default: 'DejaVu Sans', pattern: '^[\\p{L}\\p{N} -]{1,64}$' }),
    order: Choice(['given'], { default: 'given' }),
    skipBroken: Type.Boolean({ default: false }),
    ...fields,
    background: Color({ default: '#ffffff' }),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'Three images with labels',
      input: {
        files: ['sample:gradient.png', 'sample:gradient.png', 'sample:gradient.png'],
        cell: { width: 80, height: 60 },
        labels: ['one', 'two', 'three'],
      },
      answer: { image: { width: 200, height: 208, format: 'png', pages: 1, hasAlpha: false } },
    },
  ],

  async run({ files, ...options }, { sharp }) {
    const paths = files.map(({ path }) => path)
    const { warnings, ...image } = await sharp.drawContactSheet(paths, { ...options, animation: 'first' })
    return { result: toImageResult(image, 'sheet'), warnings }
  },
})
