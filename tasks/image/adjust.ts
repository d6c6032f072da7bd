import { Type } from 'typebox'
import { define, FileOutput, Problem, perStartedMegapixels } from '#kit'
import {
  Color,
  formatFactor,
  IMAGE_ERRORS,
  ImageInput,
  ImageOutcome,
  imageFields,
  imageResult,
  OUTPUT_TYPES,
} from './shape.ts'

const Factor = Type.Number({ default: 1, minimum: 0, maximum: 4, description: '1 changes nothing.' })

export default define({
  summary: 'Change the tone and colour of a picture.',
  description:
    'In this order: levels, tone, colour, tint. Transparency stays as it is; at least one change must be asked for.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    brightness: Factor,
    contrast: Factor,
    saturation: Factor,
    hue: Type.Number({ default: 0, minimum: -360, maximum: 360, description: 'Degrees around the circle of colours.' }),
    gamma: Type.Optional(Type.Number({ minimum: 1, maximum: 3, description: 'Brightens the middle.' })),
    temperature: Type.Number({ default: 0, minimum: -100, maximum: 100, description: 'Below 0 colder, above warmer.' }),
    tint: Type.Optional(Color()),
    negate: Type.Boolean({ default: false }),
    normalize: Type.Boolean({ default: false, description: 'Stretch the levels from black to white.' }),
    sepia: Type.Number({ default: 0, minimum: 0, maximum: 1 }),
    clahe: Type.Optional(
      Type.Object(
        {
          tile: Type.Integer({ default: 64, minimum: 2, maximum: 4096 }),
          maxSlope: Type.Integer({ default: 3, minimum: 0, maximum: 100 }),
        },
        { description: 'Stretch the contrast in each part by itself.' },
      ),
    ),
    ...imageFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
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
    const isFactored = [brightness, contrast, saturation].some(factor => factor !== 1)
    const isShifted = [hue, temperature, sepia].some(shift => shift !== 0)
    if (!isFactored && !isShifted && !negate && !normalize && !(gamma ?? tint ?? clahe))
      throw new Problem('MISSING_FIELD', { field: 'brightness' })
    const { warnings, ...made } = await sharp.adjust(file.path, options)
    return { result: imageResult(made, 'adjusted'), warnings }
  },
})
