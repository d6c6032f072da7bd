import {
  type Color,
  clampGamut,
  colorsNamed,
  converter,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  formatCss,
  formatHex,
  formatHex8,
  getMode,
  inGamut,
  interpolate,
  nearest,
  parse,
  toGamut,
  wcagContrast,
  wcagLuminance,
} from 'culori'
import type { ColorNotation, PaletteKind } from '../../tasks/formats/color/notations.ts'
import type { Rgba } from '../../tasks/formats/raster/png-svg.ts'

export function bind() {
  return { parse: parseRgba, convert }
}

/** Eight bits per channel, mapped to sRGB; undefined for a text that is not a colour. */
async function parseRgba(texts: readonly string[]): Promise<(Rgba | undefined)[]> {
  return texts.map(text => {
    const color = parseColor(text)
    if (!color) return undefined
    const { r, g, b, alpha = 1 } = toRgbGamut(color)
    const byte = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 255)
    return { r: byte(r), g: byte(g), b: byte(b), a: byte(alpha) }
  })
}

const rgb = converter('rgb')
type Rgb = NonNullable<ReturnType<typeof rgb>>
const mapToRgbGamut = toGamut('rgb', 'oklch') as (color: Color) => Rgb

/** Colours inside the gamut skip the mapping, so that rounding does not change them. */
function toRgbGamut(color: Color): Rgb {
  return inGamut('rgb')(color) ? (rgb(color) as Rgb) : mapToRgbGamut(color)
}

const CMYK = /^(?:device-)?cmyk\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)\s*\)$/i

function parseColor(given: string): Color | undefined {
  const text = given.trim()
  const match = CMYK.exec(text)
  if (!match) return parseCssColor(text)
  const [c, m, y, k] = match.slice(1).map(parseInk) as [number, number, number, number]
  return { mode: 'rgb', r: (1 - c) * (1 - k), g: (1 - m) * (1 - k), b: (1 - y) * (1 - k) }
}

/** Hex digits without # are no CSS colour: `fade` is a word. */
function parseCssColor(text: string): Color | undefined {
  const parsed = /^[0-9a-f]+$/i.test(text) ? undefined : parse(text)
  if (!parsed) return undefined
  const color = fillNone(parsed, text)
  return /^rgba?\(/i.test(text) ? (clampGamut('rgb')(color) as Color) : color
}

/** The keyword `none` is zero wherever a colour is shown. */
function fillNone(color: Color, text: string): Color {
  const missing = getMode(color.mode).channels.filter(name => !(name in color) && name !== 'alpha' && name !== 'h')
  const isTransparent = /\/\s*none\s*\)$/i.test(text)
  return { ...color, ...Object.fromEntries(missing.map(name => [name, 0])), ...(isTransparent && { alpha: 0 }) }
}

/** `50%`, `50` and `0.5` mean the same. */
function parseInk(part: string): number {
  const value = Number.parseFloat(part)
  return Math.min(1, part.endsWith('%') || value > 1 ? value / 100 : value)
}

interface ConversionRequest {
  colors: readonly string[]
  to: readonly ColorNotation[]
  gamut: 'srgb' | 'display-p3' | 'rec2020'
  gamutMap: 'css' | 'clip' | 'none'
  precision: number
  contrastWith?: string
  palette?: { kind: PaletteKind; steps: number; to?: string }
  simulate?: 'protanopia' | 'deuteranopia' | 'tritanopia' | 'achromatopsia'
}

interface ConvertedColor {
  input: string
  error?: 'COLOR_INVALID'
  inGamut?: boolean
  mapped?: boolean
  luminance?: number
  nearestName?: string
  approximate?: true
  [target: string]: unknown
}

interface Conversion {
  results: ConvertedColor[]
  contrast?: { ratio: number; aa: boolean; aaa: boolean; aaLarge: boolean }
  deltaE2000?: number
  palette?: string[]
  /** The field whose colour could not be parsed. */
  invalid?: 'contrastWith' | 'palette.to'
}

async function convert(request: ConversionRequest): Promise<Conversion> {
  const results = request.colors.map(text => convertOne(text, request))
  const first = parseColor(request.colors[0]!)
  const { contrastWith, palette } = request
  const other = contrastWith === undefined ? undefined : parseColor(contrastWith)
  if (contrastWith !== undefined && !other) return { results, invalid: 'contrastWith' }
  const target = palette?.to === undefined ? undefined : parseColor(palette.to)
  if (palette?.to !== undefined && !target) return { results, invalid: 'palette.to' }
  if (!first) return { results }
  return {
    results,
    ...(other && compareColors(first, other)),
    ...(palette && { palette: buildPalette(first, palette, target).map(color => formatHex(toRgbGamut(color))!) }),
  }
}

function compareColors(first: Color, other: Color): Pick<Conversion, 'contrast' | 'deltaE2000'> {
  const behind = blend(other, WHITE)
  const ratio = wcagContrast(blend(first, behind), behind)
  return {
    contrast: { ratio: roundTo(ratio, 2), aa: ratio >= 4.5, aaa: ratio >= 7, aaLarge: ratio >= 3 },
    deltaE2000: roundTo(differenceCiede2000()(first, other), 3),
  }
}

const WHITE: Color = { mode: 'rgb', r: 1, g: 1, b: 1 }

/** What is seen of a colour before another one. */
function blend(color: Color, behind: Color): Color {
  const { alpha = 1 } = color
  if (alpha === 1) return color
  const [over, under] = [rgb(color), rgb(behind)]
  const mix = (channel: 'r' | 'g' | 'b') => over[channel] * alpha + under[channel] * (1 - alpha)
  return { mode: 'rgb', r: mix('r'), g: mix('g'), b: mix('b') }
}

const GAMUTS = { srgb: 'rgb', 'display-p3': 'p3', rec2020: 'rec2020' } as const
const FILTERS = {
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
  achromatopsia: seeLuminance,
}
const toLinear = converter('lrgb')

function seeLuminance({ r, g, b, ...color }: Rgb): Rgb {
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b
  return { ...color, r: light, g: light, b: light }
}

/** The filters are made for light, but the engine applies them to the channels of the colour that it is given. */
function simulate(kind: keyof typeof FILTERS, color: Color): Color {
  const light = { ...toLinear(color), mode: 'rgb' } as Rgb
  const seen = { ...(FILTERS[kind] as (color: Rgb) => Rgb)(light), mode: 'lrgb' } as Color
  const shown = rgb(seen) as Color
  return inGamut('rgb')(color) ? (clampGamut('rgb')(shown) as Color) : shown
}

function convertOne(input: string, request: ConversionRequest): ConvertedColor {
  const parsed = parseColor(input)
  if (!parsed) return { input, error: 'COLOR_INVALID' }
  const perceived = request.simulate ? simulate(request.simulate, parsed) : parsed
  const mode = GAMUTS[request.gamut]
  const isInside = inGamut(mode)(perceived)
  const isMapped = !isInside && request.gamutMap !== 'none'
  const color = isMapped
    ? ((request.gamutMap === 'css' ? toGamut(mode, 'oklch') : clampGamut(mode))(perceived) as Color)
    : perceived
  const representations = Object.fromEntries(
    request.to.map(target => [target, WRITERS[target](color, request.precision)]),
  )
  const approximate = request.to.includes('cmyk') || CMYK.test(input.trim())
  return {
    input,
    ...representations,
    inGamut: isInside,
    mapped: isMapped,
    luminance: roundTo(wcagLuminance(color), 4),
    nearestName: findNearestName(color),
    ...(approximate && { approximate: true as const }),
  }
}

const findNearest = nearest(Object.keys(colorsNamed), differenceCiede2000())

function findNearestName(color: Color): string {
  return findNearest(color, 1)[0]!
}

function roundTo(value: number, precision: number): number {
  return Number(value.toFixed(precision))
}

function createCssWriter(mode: Parameters<typeof converter>[0]) {
  const to = converter(mode)
  return (color: Color, precision: number) => formatCss(roundChannels(to(color) as Color, precision)) as string
}

function roundChannels(color: Color, precision: number): Color {
  const entries = Object.entries(color).map(([key, value]) => [
    key,
    typeof value === 'number' ? roundTo(value, precision) : value,
  ])
  return Object.fromEntries(entries) as Color
}

const WRITERS: Record<ColorNotation, (color: Color, precision: number) => string> = {
  hex: color => {
    const inside = clampGamut('rgb')(color) as Color
    return (color.alpha ?? 1) < 1 ? formatHex8(inside) : formatHex(inside)
  },
  rgb: (color, precision) => {
    const { r, g, b, alpha } = rgb(color)
    const channels = [r, g, b].map(channel => roundTo(channel * 255, precision)).join(' ')
    return `rgb(${channels}${alpha !== undefined && alpha < 1 ? ` / ${roundTo(alpha, precision)}` : ''})`
  },
  hsl: createPercentWriter('hsl', 'h', 's', 'l'),
  hwb: createPercentWriter('hwb', 'h', 'w', 'b'),
  lab: createCssWriter('lab'),
  lch: createCssWriter('lch'),
  oklab: createCssWriter('oklab'),
  oklch: createCssWriter('oklch'),
  p3: createCssWriter('p3'),
  xyz: createCssWriter('xyz65'),
  hsv: createPercentWriter('hsv', 'h', 's', 'v'),
  cmyk: (color, precision) => {
    const { r, g, b } = toRgbGamut(color)
    const k = 1 - Math.max(r, g, b)
    const ink = (channel: number) => (k === 1 ? 0 : (1 - channel - k) / (1 - k))
    return `cmyk(${[ink(r), ink(g), ink(b), k].map(share => `${roundTo(share * 100, precision)}%`).join(' ')})`
  },
  named: color => findNearestName(color),
}

function createPercentWriter(mode: 'hsl' | 'hwb' | 'hsv', ...keys: [string, string, string]) {
  const to = converter(mode)
  return (color: Color, precision: number) => {
    const channels = to(color) as unknown as Record<string, number | undefined>
    const [hue, one, two] = keys.map(key => channels[key] ?? 0) as [number, number, number]
    const alpha = color.alpha !== undefined && color.alpha < 1 ? ` / ${roundTo(color.alpha, precision)}` : ''
    return `${mode}(${roundTo(hue, precision)} ${roundTo(one * 100, precision)}% ${roundTo(two * 100, precision)}%${alpha})`
  }
}

const HUE_ROTATIONS: Partial<Record<PaletteKind, number[]>> = {
  complementary: [0, 180],
  analogous: [-30, 0, 30],
  triadic: [0, 120, 240],
  tetradic: [0, 90, 180, 270],
}

function buildPalette(color: Color, { kind, steps }: { kind: PaletteKind; steps: number }, target?: Color): Color[] {
  const base = converter('oklch')(color)
  const rotations = HUE_ROTATIONS[kind]
  if (rotations) return rotations.map(rotation => ({ ...base, h: ((base.h ?? 0) + rotation + 360) % 360 }))
  const end = kind === 'tints' ? 'white' : kind === 'shades' ? 'black' : (target ?? 'white')
  const mix = interpolate([color, end], 'oklab')
  const last = kind === 'scale' ? steps - 1 : steps
  const shades = Array.from({ length: steps }, (_, step) => mix(step / last) as Color)
  return kind === 'scale' ? [color, ...shades.slice(1, -1), target ?? (parse('white') as Color)] : shades
}
