import { Type } from 'typebox'
import { Choice, define, exactlyOne, Problem, perCall, Warnings } from '#kit'
import { COLOR_NOTATIONS, PALETTE_KINDS } from '../formats/color/notations.ts'
import { CssColor } from '../formats/raster/contrast.ts'

const COLOR_FIELDS = Object.fromEntries(COLOR_NOTATIONS.map(target => [target, Type.Optional(Type.String())]))

export default define({
  summary: 'Convert colours between notations, compare them and create palettes.',
  keywords: 'hex, rgb, hsl, cmyk, oklch, contrast ratio, wcag, palette, shades, colour',
  converts: [{ from: 'hex rgb hsl cmyk lab oklch', to: 'hex rgb hsl cmyk lab oklch' }],
  description:
    'Accepts any CSS colour and cmyk(). Colours outside the gamut are mapped into it as CSS defines. cmyk is computed ' +
    'without a profile and therefore approximate. contrast, deltaE2000 and palette refer to the first colour.',
  price: perCall('0.001'),
  uses: ['color'],
  input: Type.Object({
    color: Type.Optional(CssColor({ description: 'Give color or colors.' })),
    colors: Type.Optional(Type.Array(CssColor(), { minItems: 1, maxItems: 256 })),
    to: Type.Array(Choice(COLOR_NOTATIONS), {
      default: [...COLOR_NOTATIONS],
      minItems: 1,
      maxItems: 13,
      uniqueItems: true,
    }),
    gamut: Choice(['srgb', 'display-p3', 'rec2020'], { default: 'srgb' }),
    gamutMap: Choice(['css', 'clip', 'none'], { default: 'css' }),
    precision: Type.Integer({ default: 3, minimum: 0, maximum: 6, description: 'Digits after the decimal point.' }),
    contrastWith: Type.Optional(CssColor()),
    palette: Type.Optional(
      Type.Object({
        kind: Choice(PALETTE_KINDS),
        steps: Type.Integer({ default: 5, minimum: 2, maximum: 20, description: 'For tints, shades and scale.' }),
        to: Type.Optional(CssColor({ description: 'The last colour of a scale.' })),
      }),
    ),
    simulate: Type.Optional(Choice(['protanopia', 'deuteranopia', 'tritanopia', 'achromatopsia'])),
  }),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        input: Type.String(),
        ...COLOR_FIELDS,
        inGamut: Type.Optional(Type.Boolean()),
        mapped: Type.Optional(Type.Boolean()),
        luminance: Type.Optional(Type.Number()),
        nearestName: Type.Optional(Type.String()),
        approximate: Type.Optional(Type.Boolean()),
        error: Type.Optional(Type.String({ description: 'COLOR_INVALID, if one of several colours is invalid.' })),
      }),
    ),
    contrast: Type.Optional(
      Type.Object(
        { ratio: Type.Number(), aa: Type.Boolean(), aaa: Type.Boolean(), aaLarge: Type.Boolean() },
        { description: 'Of the colour on contrastWith; what is behind a transparent contrastWith is white.' },
      ),
    ),
    deltaE2000: Type.Optional(Type.Number()),
    palette: Type.Optional(Type.Array(Type.String())),
    warnings: Warnings,
  }),
  errors: ['COLOR_INVALID', 'CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'One colour in three ways',
      input: { color: 'rebeccapurple', to: ['hex', 'rgb', 'hsl'] },
      answer: {
        results: [{ hex: '#663399', rgb: 'rgb(102 51 153)', hsl: 'hsl(270 50% 40%)', nearestName: 'rebeccapurple' }],
      },
    },
    {
      title: 'Is this text readable?',
      input: { color: '#777', contrastWith: 'white', to: ['hex'] },
      answer: { contrast: { ratio: 4.48, aa: false, aaLarge: true } },
    },
  ],

  async run(input, { color }) {
    const { color: _color, colors: _colors, ...options } = input
    const colors = exactlyOne(input, ['color', 'colors']) === 'color' ? [input.color!] : input.colors!
    const { invalid, ...answer } = await color.convert({ ...options, colors })
    if (invalid) throw new Problem('COLOR_INVALID', { field: invalid })
    if (answer.results.every(({ error }) => error)) throw new Problem('COLOR_INVALID', { index: 0 })
    return { result: answer as never }
  },
})
