import { Type } from 'typebox'
import { Choice, define, exactlyOne, Problem, perCall, Warnings } from '#kit'
import { Tint } from './color-shape.ts'

const TARGETS = [
  'hex',
  'rgb',
  'hsl',
  'hwb',
  'lab',
  'lch',
  'oklab',
  'oklch',
  'p3',
  'cmyk',
  'hsv',
  'xyz',
  'named',
] as const
const Written = Object.fromEntries(TARGETS.map(target => [target, Type.Optional(Type.String())]))

export default define({
  summary: 'Write colours in other ways, measure them, and make palettes of them.',
  description:
    'Takes any CSS colour and cmyk(). What the gamut cannot hold is brought into it as CSS does it. cmyk is reckoned ' +
    'without a profile and therefore only near. contrast, deltaE2000 and palette are those of the first colour.',
  price: perCall('0.001'),
  uses: ['color'],
  input: Type.Object({
    color: Type.Optional(Tint({ description: 'Give color or colors.' })),
    colors: Type.Optional(Type.Array(Tint(), { minItems: 1, maxItems: 256 })),
    to: Type.Array(Choice(TARGETS), { default: [...TARGETS], minItems: 1, maxItems: 13, uniqueItems: true }),
    gamut: Choice(['srgb', 'display-p3', 'rec2020'], { default: 'srgb' }),
    gamutMap: Choice(['css', 'clip', 'none'], { default: 'css' }),
    precision: Type.Integer({ default: 3, minimum: 0, maximum: 6, description: 'Digits after the point.' }),
    contrastWith: Type.Optional(Tint()),
    palette: Type.Optional(
      Type.Object({
        kind: Choice(['complementary', 'analogous', 'triadic', 'tetradic', 'tints', 'shades', 'scale']),
        steps: Type.Integer({ default: 5, minimum: 2, maximum: 20, description: 'Of tints, shades and scale.' }),
        to: Type.Optional(Tint({ description: 'Where a scale ends.' })),
      }),
    ),
    simulate: Type.Optional(Choice(['protanopia', 'deuteranopia', 'tritanopia', 'achromatopsia'])),
  }),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        input: Type.String(),
        ...Written,
        inGamut: Type.Optional(Type.Boolean()),
        mapped: Type.Optional(Type.Boolean()),
        luminance: Type.Optional(Type.Number()),
        nearestName: Type.Optional(Type.String()),
        approximate: Type.Optional(Type.Boolean()),
        error: Type.Optional(Type.String({ description: 'COLOR_INVALID, where it is one of several.' })),
      }),
    ),
    contrast: Type.Optional(
      Type.Object({ ratio: Type.Number(), aa: Type.Boolean(), aaa: Type.Boolean(), aaLarge: Type.Boolean() }),
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
    const { color: _one, colors: _many, ...order } = input
    const colors = exactlyOne(input, ['color', 'colors']) === 'color' ? [input.color!] : input.colors!
    const { invalid, ...answer } = await color.convert({ ...order, colors })
    if (invalid) throw new Problem('COLOR_INVALID', { field: invalid })
    if (answer.results.every(({ error }) => error)) throw new Problem('COLOR_INVALID', { index: 0 })
    return { result: answer as never }
  },
})
