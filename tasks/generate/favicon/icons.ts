import { Problem } from '#kit'
import type { Size } from '../../formats/geometry/region.ts'
import type { Rgba } from '../../formats/raster/png-svg.ts'
import { centredText, drawing, element, embedImage, escapeXml, paintWith } from '../../formats/svg/drawing.ts'

/** In pixels, by kind of icon and by set. */
export const SIZES = {
  ico: [16, 32, 48],
  web: [192, 512],
  full: [16, 32, 48, 64, 96, 128, 192, 256, 384, 512],
  apple: [180],
  maskable: [192, 512],
} as const

/** The drawing from which all sizes are made. */
const SIDE = 1024
/** The circle in which every launcher shows a maskable icon has this share of the width. */
const SAFE_SHARE = 0.8

export const SHAPES = ['square', 'rounded', 'circle'] as const

export interface Artwork {
  image?: Size & { bytes: Uint8Array }
  text?: { letters: string; widthInEm: number; color: Rgba }
  fit: 'contain' | 'cover'
  shape: (typeof SHAPES)[number]
  background?: Rgba
  /** Percent of the width. */
  padding: number
}

const WHITE = { r: 255, g: 255, b: 255, a: 255 }

/** `bleed` fills the whole square, whatever the shape, and keeps the content within the safe circle. */
export function drawIcon(artwork: Artwork, ground?: 'opaque' | 'bleed'): string {
  const { shape, padding } = artwork
  const background = artwork.background ?? (ground ? WHITE : undefined)
  const box = SIDE * (1 - (2 * padding) / 100) * (ground === 'bleed' ? SAFE_SHARE : 1)
  const content = drawContent(artwork, box)
  const square = { width: SIDE, height: SIDE }
  const under = ground ? element('rect', { ...square, ...paintWith(WHITE) }) : ''
  const back = under + (background ? element('rect', { ...square, ...paintWith(background) }) : '')
  if (ground || shape === 'square') return drawing(square, back + content)
  const outline = element('rect', { ...square, rx: shape === 'circle' ? SIDE / 2 : SIDE * 0.2 })
  const clip = element('defs', {}, element('clipPath', { id: 'c' }, outline))
  return drawing(square, clip + element('g', { 'clip-path': 'url(#c)' }, back + content))
}

function drawContent({ image, text, fit }: Artwork, box: number): string {
  if (text) {
    const size = Math.min(box * 0.82, (box * 0.86) / text.widthInEm)
    return centredText(text.letters, { x: SIDE / 2, y: SIDE / 2, size, color: text.color, bold: true })
  }
  const place = { x: (SIDE - box) / 2, y: (SIDE - box) / 2, width: box, height: box }
  const preserveAspectRatio = fit === 'cover' ? 'xMidYMid slice' : 'xMidYMid meet'
  return element('image', { href: embedImage('image/png', image!.bytes), ...place, preserveAspectRatio })
}

export interface IconFile {
  name: string
  bytes: Uint8Array
  /** In pixels. */
  size?: number
}

export function describeFile({ name, bytes, size }: IconFile) {
  return { name, sizeBytes: bytes.length, ...(size !== undefined && { size }) }
}

export function writeManifest(name: string, theme: string | undefined, isFull: boolean): IconFile {
  const icon = (size: number, purpose?: string) => ({
    src: `/${purpose ?? 'icon'}-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    ...(purpose && { purpose }),
  })
  const icons = [icon(192), icon(512), ...(isFull ? [icon(192, 'maskable'), icon(512, 'maskable')] : [])]
  const colors = theme ? { theme_color: theme, background_color: theme } : {}
  const manifest = { name, short_name: name, icons, ...colors, display: 'standalone' }
  return { name: 'site.webmanifest', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
}

/** The tags for the head of a page. */
export function writeHead(theme: string | undefined, isFull: boolean): IconFile {
  const small = [32, 16].map(
    size => `<link rel="icon" type="image/png" sizes="${size}x${size}" href="/icon-${size}.png">`,
  )
  const lines = [
    '<link rel="icon" href="/favicon.ico" sizes="16x16 32x32 48x48">',
    ...(isFull ? small : []),
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png">',
    '<link rel="manifest" href="/site.webmanifest">',
    ...(theme ? [`<meta name="theme-color" content="${escapeXml(theme)}">`] : []),
  ]
  return { name: 'head.html', bytes: Buffer.from(`${lines.join('\n')}\n`) }
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

export function requireLetters(text: string): string {
  const letters = text.trim()
  const actual = [...graphemes.segment(letters)].length
  if (actual < 1 || actual > 3) throw new Problem('INVALID_PARAM', { field: 'text', min: 1, max: 3, actual })
  return letters
}

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u

export function requireEmoji(text: string): string {
  const [first, ...more] = [...graphemes.segment(text.trim())].map(({ segment }) => segment)
  const isEmoji = first !== undefined && more.length === 0 && EMOJI.test(first)
  if (!isEmoji) throw new Problem('INVALID_PARAM', { field: 'emoji', allowed: 'one emoji' })
  return first
}
