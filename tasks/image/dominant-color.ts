import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { brightness, hexOf, hslOf, nameOf } from './color-shape.ts'
import { ImageInput, imageFields, READ_ERRORS } from './shape.ts'

const Numbers = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })
const Hex = Type.Union([Type.String(), Type.Null()])

export default define({
  summary: 'Find the colours of a picture, and a placeholder for it.',
  description: 'A pixel weighs as much as it covers; of a picture with nothing to see there is no colour.',
  price: perCall('0.001'),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    count: Type.Integer({ default: 5, minimum: 1, maximum: 16 }),
    ignore: Type.Array(Choice(['white', 'black', 'transparent']), { default: [], maxItems: 3, uniqueItems: true }),
    format: Choice(['hex'], { default: 'hex' }),
    tolerant: imageFields.tolerant,
  }),
  output: Type.Object({
    dominant: Hex,
    average: Hex,
    palette: Type.Array(
      Type.Object({ hex: Type.String(), rgb: Numbers, hsl: Numbers, share: Type.Number(), name: Type.String() }),
    ),
    isDark: Type.Boolean(),
    hasAlpha: Type.Boolean(),
    placeholder: Type.Object({ blurhash: Type.String(), thumbhash: Type.String({ description: 'Base64.' }) }),
  }),
  errors: READ_ERRORS,
  examples: [
    { title: 'Five colours', input: { file: 'sample:gradient.png' }, answer: { hasAlpha: false } },
    { title: 'The three besides white', input: { file: 'sample:gradient.png', count: 3, ignore: ['white'] } },
  ],

  async run({ file, count, ignore, tolerant }, { sharp }) {
    const { average, palette, hasAlpha, placeholder, warnings } = await sharp.colors(file.path, {
      count,
      ignore,
      tolerant,
    })
    const named = palette.map(({ rgb, share }) => ({
      hex: hexOf(rgb),
      rgb,
      hsl: hslOf(rgb),
      share: Math.round(share * 10_000) / 10_000,
      name: nameOf(rgb),
    }))
    const result = {
      dominant: named[0]?.hex ?? null,
      average: average ? hexOf(average) : null,
      palette: named,
      isDark: average ? brightness(average) < 0.5 : false,
      hasAlpha,
      placeholder,
    }
    return { result, warnings }
  },
})
