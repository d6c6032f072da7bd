import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { computeBrightness, findColorName, formatHex, toHsl } from './dominant-color/color-names.ts'
import { ImageInput, imageOptionFields, READ_ERRORS } from './schema.ts'

const ColorComponents = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 })
const HexOrNull = Type.Union([Type.String(), Type.Null()])

export default define({
  summary: 'Find the main colours of an image and a placeholder for it.',
  keywords:
    'which colour is most common in a picture, main colours, palette, brand colours, colours from a picture, colors used, average colour, blurhash, thumbhash, placeholder, theme',
  description: 'Pixels are weighted by their opacity; a fully transparent image has no colours.',
  price: perCall('0.001'),
  uses: ['sharp'],
  input: Type.Object({
    file: ImageInput(),
    count: Type.Integer({ default: 5, minimum: 1, maximum: 16 }),
    ignore: Type.Array(Choice(['white', 'black', 'transparent']), { default: [], maxItems: 3, uniqueItems: true }),
    format: Choice(['hex'], { default: 'hex' }),
    tolerant: imageOptionFields.tolerant,
  }),
  output: Type.Object({
    dominant: HexOrNull,
    average: HexOrNull,
    palette: Type.Array(
      Type.Object({
        hex: Type.String(),
        rgb: ColorComponents,
        hsl: ColorComponents,
        share: Type.Number(),
        name: Type.String(),
      }),
    ),
    isDark: Type.Boolean(),
    hasAlpha: Type.Boolean(),
    placeholder: Type.Object({ blurhash: Type.String(), thumbhash: Type.String({ description: 'Base64.' }) }),
  }),
  errors: READ_ERRORS,
  examples: [
    { title: 'Five colours', input: { file: 'sample:gradient.png' }, answer: { hasAlpha: false } },
    { title: 'Three colours, ignoring white', input: { file: 'sample:gradient.png', count: 3, ignore: ['white'] } },
  ],

  async run({ file, count, ignore, tolerant }, { sharp }) {
    const { average, palette, hasAlpha, placeholder, warnings } = await sharp.analyseColors(file.path, {
      count,
      ignore,
      tolerant,
    })
    const namedPalette = palette.map(({ rgb, share }) => ({
      hex: formatHex(rgb),
      rgb,
      hsl: toHsl(rgb),
      share: Math.round(share * 10_000) / 10_000,
      name: findColorName(rgb),
    }))
    const result = {
      dominant: namedPalette[0]?.hex ?? null,
      average: average ? formatHex(average) : null,
      palette: namedPalette,
      isDark: average ? computeBrightness(average) < 0.5 : false,
      hasAlpha,
      placeholder,
    }
    return { result, warnings }
  },
})
