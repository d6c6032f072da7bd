import type { Rgba } from '../raster/png-svg.ts'

// Cards, icons and codes are SVG that the librsvg inside of sharp draws; HarfBuzz measures their text, and Pango draws
// emoji, which librsvg has in one colour only.

export const VECTOR_TYPES = {
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
  avif: 'image/avif',
} as const

/** The formats into which a drawing is rendered. */
export type VectorFormat = Exclude<keyof typeof VECTOR_TYPES, 'svg'>

export const VECTOR_EXTENSIONS = { png: 'png', svg: 'svg', webp: 'webp', jpeg: 'jpg', avif: 'avif' } as const

/** Fonts with letters of every script; what these lack is taken from any other installed font. */
const FONT_FAMILIES = 'Noto Sans, DejaVu Sans, Noto Color Emoji, sans-serif'

type Attributes = Record<string, string | number | undefined>

/** An element; attributes without a value are left out. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${typeof value === 'number' ? formatNumber(value) : escapeXml(value)}"`],
  )
  return content === '' ? `<${name}${pairs.join('')}/>` : `<${name}${pairs.join('')}>${content}</${name}>`
}

/** A whole drawing. The box is the range of coordinates that is shown, by default the size in pixels. */
export function drawing(
  { width, height, box = `0 0 ${width} ${height}` }: { width: number; height: number; box?: string },
  content: string,
): string {
  return `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: box }, content || ' ')}\n`
}

export function formatNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for XML and HTML, without the characters that XML cannot have. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, '').replace(/[&<>"']/g, character => ENTITIES[character]!)
}

/** The attributes that paint with a colour. */
export function paintWith({ r, g, b, a }: Rgba, name: 'fill' | 'stroke' | 'stop' = 'fill'): Attributes {
  const color = name === 'stop' ? 'stop-color' : name
  return { [color]: toHex({ r, g, b }), ...(a < 255 && { [`${name}-opacity`]: a / 255 }) }
}

export function toHex({ r, g, b }: Pick<Rgba, 'r' | 'g' | 'b'>): string {
  return `#${Buffer.from([r, g, b]).toString('hex')}`
}

interface TextOptions {
  x: number
  y: number
  size: number
  color: Rgba
  bold?: boolean
}

/** The height of capitals, as a share of the font size. */
const CAP_HEIGHT = 0.714

/** A line of text whose capitals are centred on a point. */
export function centredText(text: string, { x, y, size, color, bold }: TextOptions): string {
  const attributes = {
    x,
    y: y + (size * CAP_HEIGHT) / 2,
    'font-size': size,
    'font-family': FONT_FAMILIES,
    'font-weight': bold ? 'bold' : undefined,
    'text-anchor': 'middle',
    ...paintWith(color),
  }
  return element('text', attributes, escapeXml(text))
}

export function embedImage(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}
