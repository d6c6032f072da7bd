export const COLOR_NOTATIONS = [
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
export type ColorNotation = (typeof COLOR_NOTATIONS)[number]

export const PALETTE_KINDS = ['complementary', 'analogous', 'triadic', 'tetradic', 'tints', 'shades', 'scale'] as const
export type PaletteKind = (typeof PALETTE_KINDS)[number]
