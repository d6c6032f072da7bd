import {
  type Color,
  clampGamut,
  colorsNamed,
  converter,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  filterGrayscale,
  formatCss,
  formatHex,
  formatHex8,
  inGamut,
  interpolate,
  nearest,
  parse,
  toGamut,
  wcagContrast,
  wcagLuminance,
} from 'culori'

export function bind() {
  return { parse: parseRgba, convert }
}

export interface Rgba {
  r: number
  g: number
  b: number
  a: number
}

/** Eight bits a channel; nothing for what is no colour. Colours outside sRGB are brought into it. */
async function parseRgba(texts: readonly string[]): Promise<(Rgba | undefined)[]> {
  return texts.map(text => {
    const color = read(text)
    if (!color) return undefined
    const { r, g, b, alpha = 1 } = toRgbGamut(color)
    const byte = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 255)
    return { r: byte(r), g: byte(g), b: byte(b), a: byte(alpha) }
  })
}

const rgb = converter('rgb')
type Rgb = NonNullable<ReturnType<typeof rgb>>
const intoRgb = toGamut('rgb', 'oklch') as (color: Color) => Rgb

/** A colour that is inside already is left as it is, to the last digit. */
function toRgbGamut(color: Color): Rgb {
  return inGamut('rgb')(color) ? (rgb(color) as Rgb) : intoRgb(color)
}

const CMYK = /^(?:device-)?cmyk\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)\s*\)$/i

function read(text: string): Color | undefined {
  const match = CMYK.exec(text.trim())
  if (!match) return parse(text.trim())
  const [c, m, y, k] = match.slice(1).map(inkOf) as [number, number, number, number]
  return { mode: 'rgb', r: (1 - c) * (1 - k), g: (1 - m) * (1 - k), b: (1 - y) * (1 - k) }
}

/** `50%`, `50` and `0.5` are the same. */
function inkOf(part: string): number {
  const value = Number.parseFloat(part)
  return Math.min(1, part.endsWith('%') || value > 1 ? value / 100 : value)
}

export const TARGETS = [
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
export type Target = (typeof TARGETS)[number]

export interface ColorOrder {
  colors: readonly string[]
  to: readonly Target[]
  gamut: 'srgb' | 'display-p3' | 'rec2020'
  gamutMap: 'css' | 'clip' | 'none'
  precision: number
  contrastWith?: string
  palette?: { kind: PaletteKind; steps: number; to?: string }
  simulate?: 'protanopia' | 'deuteranopia' | 'tritanopia' | 'achromatopsia'
}

export type PaletteKind = 'complementary' | 'analogous' | 'triadic' | 'tetradic' | 'tints' | 'shades' | 'scale'

export interface ConvertedColor {
  input: string
  error?: 'COLOR_INVALID'
  inGamut?: boolean
  mapped?: boolean
  luminance?: number
  nearestName?: string
  approximate?: true
  [target: string]: unknown
}

export interface Conversion {
  results: ConvertedColor[]
  contrast?: { ratio: number; aa: boolean; aaa: boolean; aaLarge: boolean }
  deltaE2000?: number
  palette?: string[]
  /** Which of the other colours given could not be read. */
  invalid?: 'contrastWith' | 'palette.to'
}

async function convert(order: ColorOrder): Promise<Conversion> {
  const results = order.colors.map(text => convertOne(text, order))
  const first = read(order.colors[0]!)
  const { contrastWith, palette } = order
  const other = contrastWith === undefined ? undefined : read(contrastWith)
  if (contrastWith !== undefined && !other) return { results, invalid: 'contrastWith' }
  const target = palette?.to === undefined ? undefined : read(palette.to)
  if (palette?.to !== undefined && !target) return { results, invalid: 'palette.to' }
  if (!first) return { results }
  return {
    results,
    ...(other && contrastOf(first, other)),
    ...(palette && { palette: paletteOf(first, palette, target).map(color => formatHex(toRgbGamut(color))!) }),
  }
}

function contrastOf(first: Color, other: Color): Pick<Conversion, 'contrast' | 'deltaE2000'> {
  const ratio = wcagContrast(first, other)
  return {
    contrast: { ratio: rounded(ratio, 2), aa: ratio >= 4.5, aaa: ratio >= 7, aaLarge: ratio >= 3 },
    deltaE2000: rounded(differenceCiede2000()(first, other), 3),
  }
}

const GAMUTS = { srgb: 'rgb', 'display-p3': 'p3', rec2020: 'rec2020' } as const
const FILTERS = {
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
  achromatopsia: filterGrayscale(1),
}

function convertOne(input: string, order: ColorOrder): ConvertedColor {
  const parsed = read(input)
  if (!parsed) return { input, error: 'COLOR_INVALID' }
  const seen = order.simulate ? (FILTERS[order.simulate] as (color: Color) => Color)(rgb(parsed) as Color) : parsed
  const mode = GAMUTS[order.gamut]
  const isInside = inGamut(mode)(seen)
  const isMapped = !isInside && order.gamutMap !== 'none'
  const color = isMapped
    ? ((order.gamutMap === 'css' ? toGamut(mode, 'oklch') : clampGamut(mode))(seen) as Color)
    : seen
  const written = Object.fromEntries(order.to.map(target => [target, WRITERS[target](color, order.precision)]))
  const approximate = order.to.includes('cmyk') || CMYK.test(input.trim())
  return {
    input,
    ...written,
    inGamut: isInside,
    mapped: isMapped,
    luminance: rounded(wcagLuminance(color), 4),
    nearestName: nearestName(color),
    ...(approximate && { approximate: true as const }),
  }
}

const nameOf = nearest(Object.keys(colorsNamed), differenceCiede2000())

function nearestName(color: Color): string {
  return nameOf(color, 1)[0]!
}

function rounded(value: number, precision: number): number {
  return Number(value.toFixed(precision))
}

function css(mode: Parameters<typeof converter>[0]) {
  const to = converter(mode)
  return (color: Color, precision: number) => formatCss(trimmed(to(color) as Color, precision)) as string
}

function trimmed(color: Color, precision: number): Color {
  const entries = Object.entries(color).map(([key, value]) => [
    key,
    typeof value === 'number' ? rounded(value, precision) : value,
  ])
  return Object.fromEntries(entries) as Color
}

/** Channels of 0 to 100 or 255 need fewer places than those of 0 to 1. */
const WRITERS: Record<Target, (color: Color, precision: number) => string> = {
  hex: color => {
    const inside = clampGamut('rgb')(color) as Color
    return (color.alpha ?? 1) < 1 ? formatHex8(inside) : formatHex(inside)
  },
  rgb: (color, precision) => {
    const { r, g, b, alpha } = rgb(color)
    const channels = [r, g, b].map(channel => rounded(channel * 255, precision)).join(' ')
    return `rgb(${channels}${alpha !== undefined && alpha < 1 ? ` / ${rounded(alpha, precision)}` : ''})`
  },
  hsl: percent('hsl', 'h', 's', 'l'),
  hwb: percent('hwb', 'h', 'w', 'b'),
  lab: css('lab'),
  lch: css('lch'),
  oklab: css('oklab'),
  oklch: css('oklch'),
  p3: css('p3'),
  xyz: css('xyz65'),
  hsv: percent('hsv', 'h', 's', 'v'),
  cmyk: (color, precision) => {
    const { r, g, b } = toRgbGamut(color)
    const k = 1 - Math.max(r, g, b)
    const ink = (channel: number) => (k === 1 ? 0 : (1 - channel - k) / (1 - k))
    return `cmyk(${[ink(r), ink(g), ink(b), k].map(share => `${rounded(share * 100, precision)}%`).join(' ')})`
  },
  named: color => nearestName(color),
}

function percent(mode: 'hsl' | 'hwb' | 'hsv', ...keys: [string, string, string]) {
  const to = converter(mode)
  return (color: Color, precision: number) => {
    const channels = to(color) as unknown as Record<string, number | undefined>
    const [hue, one, two] = keys.map(key => channels[key] ?? 0) as [number, number, number]
    const alpha = color.alpha !== undefined && color.alpha < 1 ? ` / ${rounded(color.alpha, precision)}` : ''
    return `${mode}(${rounded(hue, precision)} ${rounded(one * 100, precision)}% ${rounded(two * 100, precision)}%${alpha})`
  }
}

const TURNS: Partial<Record<PaletteKind, number[]>> = {
  complementary: [0, 180],
  analogous: [-30, 0, 30],
  triadic: [0, 120, 240],
  tetradic: [0, 90, 180, 270],
}

function paletteOf(color: Color, { kind, steps }: { kind: PaletteKind; steps: number }, target?: Color): Color[] {
  const base = converter('oklch')(color)
  const turns = TURNS[kind]
  if (turns) return turns.map(turn => ({ ...base, h: ((base.h ?? 0) + turn + 360) % 360 }))
  const end = kind === 'tints' ? 'white' : kind === 'shades' ? 'black' : (target ?? 'white')
  const between = interpolate([color, end], 'oklab')
  const last = kind === 'scale' ? steps - 1 : steps
  const shades = Array.from({ length: steps }, (_, step) => between(step / last) as Color)
  return kind === 'scale' ? [color, ...shades.slice(1, -1), target ?? (parse('white') as Color)] : shades
}
