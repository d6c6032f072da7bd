import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perStartedMegapixels } from '#kit'
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

export default define({
  summary: 'Turn or mirror a picture.',
  description:
    'Clockwise by any angle, then mirrored; every frame of an animation alike. Asked for nothing, it turns the picture ' +
    'upright by its EXIF tag.',
  price: perStartedMegapixels(25, '0.001', formatFactor),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    degrees: Type.Optional(Type.Number({ minimum: -3600, maximum: 3600, description: 'Clockwise.' })),
    flip: Type.Boolean({ default: false, description: 'Top to bottom.' }),
    flop: Type.Boolean({ default: false, description: 'Left to right.' }),
    auto: Type.Boolean({ default: true, description: 'Upright by the EXIF tag where nothing else is asked for.' }),
    crop: Choice(['none', 'inner'], {
      default: 'none',
      description: '`inner` keeps the largest rectangle without corners of background.',
    }),
    ...imageFields,
    background: Type.Optional(
      Color({ description: 'Of the corners. Left out: transparent where the output can be, else white.' }),
    ),
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), image: ImageOutcome }),
  errors: [...IMAGE_ERRORS, 'MISSING_FIELD'],
  examples: [
    {
      title: 'A quarter turn',
      input: { file: 'sample:gradient.png', degrees: 90 },
      answer: { image: { width: 120, height: 160, format: 'png', pages: 1, hasAlpha: false } },
    },
    { title: 'A slight turn without empty corners', input: { file: 'sample:gradient.png', degrees: 3, crop: 'inner' } },
  ],

  async run({ file, degrees, flip, flop, auto, ...options }, { sharp }) {
    if (degrees === undefined && !flip && !flop && !auto) throw new Problem('MISSING_FIELD', { field: 'degrees' })
    const turn = (((degrees ?? 0) % 360) + 360) % 360
    const { warnings, ...made } = await sharp.rotate(file.path, { ...options, degrees: turn, flip, flop })
    return { result: imageResult(made, 'rotated'), warnings }
  },
})
