import { Type } from 'typebox'
import { define, FileOutput, Problem, perStartedMegapixels } from '#kit'
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

const Factor = Type.Number({ default: 1, minimum: 0, maximum: 4, description: '1 leaves it unchanged.' })

export default define({
  summary: 'Adjust the tone and colour of an image.',
  keywords: 'brightness, brighter, darker, contrast, saturation, gamma, hue, tint, levels, exposure',
  description:
    'Applied in this order: levels, tone, colour, tint. Transparency is not changed; at least one change is required.',
  price: perStartedMegapixels(25, '0.001', [AVIF_OUTPUT]),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    brightness: Factor,
    contrast: Factor,
    saturation: Factor,
    hue: Type.Number({ default: 0, minimum: -360, maximum: 360, description: 'Degrees around the colour wheel.' }),
    gamma: Type.Optional(Type.Number({ minimum: 1, maximum: 3, description: 'Brightens the midtones.' })),
    temperature: Type.Number({
      default: 0,
      minimum: -100,
      maximum: 100,
      description: 'Below 0 cooler, above 0 warmer.',
    }),
    tint: Type.Optional(Color()),
    negate: Type.Boolean({ default: false }),
    normalize: Type.Boolean({
      default: false,
      description: 'Stretch the levels to the full range from black to white.',
    }),
    sepia: Type.Number({ default: 0, minimum: 0, maximum: 1 }),
    clahe: Type.Optional(
      Type.Object(
        {
          tile: Type.Integer({ default: 64, minimum: 2, maximum: 4096 }),
          maxSlope: Type.Integer({ default: 3, minimum: 0, maximum: 100 }),
        },
        { description: 'Contrast-limited adaptive histogram equalization: stretches the contrast tile by tile.' },
      ),
    ),
    ...imageOptionFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageInfo }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'Brighter and more colourful',
      input: { file: 'sample:gradient.png', brightness: 1.2, saturation: 1.4 },
      answer: { image: { width: 160, height: 120, format: 'png', pages: 1, hasAlpha: false } },
    },
    { title: 'Like an old photo', input: { file: 'sample:gradient.png', sepia: 1 } },
  ],

  async run({ file, ...options }, { sharp }) {
    const { brightness, contrast, saturation, hue, gamma, temperature, tint, negate, normalize, sepia, clahe } = options
    const changesFactor = [brightness, contrast, saturation].some(factor => factor !== 1)
    const changesShift = [hue, temperature, sepia].some(shift => shift !== 0)
    if (!changesFactor && !changesShift && !negate && !normalize && !(gamma ?? tint ?? clahe))
      throw new Problem('MISSING_FIELD', { field: 'brightness' })
    const { warnings, ...image } = await sharp.adjust(file.path, options)
    return { result: toImageResult(image, 'adjusted'), warnings }
  },
})
