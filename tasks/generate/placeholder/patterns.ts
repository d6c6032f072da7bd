import { createRandom } from '../../formats/random/seeded.ts'
import type { Rgba } from '../../formats/raster/png-svg.ts'
import { encodeRgbPng } from '../../formats/raster/rgb-png.ts'
import { element, embedImage, paintWith } from '../../formats/svg/drawing.ts'
import { decodeBlurhash, inventBlurhash } from './blurhash.ts'

export const PATTERNS = ['solid', 'gradient', 'checker', 'noise', 'blurhash'] as const
export type Pattern = (typeof PATTERNS)[number]

interface Canvas {
  width: number
  height: number
  background: Rgba
  seed: number
}

const TILE = 96
const BLUR_SIDE = 48

/** The background of a placeholder, and the hash that it shows, if it shows one. */
export function drawPattern(pattern: Pattern, canvas: Canvas): { svg: string; blurhash?: string } {
  const { width, height, background, seed } = canvas
  const cover = { width, height }
  if (pattern === 'solid') return { svg: element('rect', { ...cover, ...paintWith(background) }) }
  if (pattern === 'gradient') return { svg: drawGradient(canvas) }
  if (pattern === 'checker') {
    const side = Math.max(4, Math.round(Math.min(width, height) / 16))
    const dark = element('path', {
      d: `M0 0h${side}v${side}H0zM${side} ${side}h${side}v${side}h${-side}z`,
      ...paintWith(shade(background, -24)),
    })
    return { svg: drawTiles(canvas, side * 2, dark) }
  }
  if (pattern === 'noise') {
    const random = createRandom(seed)
    const pixels = Uint8Array.from({ length: TILE * TILE * 3 })
    for (let at = 0; at < pixels.length; at += 3) {
      const { r, g, b } = shade(background, Math.round((random() - 0.5) * 64))
      pixels.set([r, g, b], at)
    }
    const href = embedImage('image/png', encodeRgbPng(pixels, { width: TILE, height: TILE }))
    return { svg: drawTiles(canvas, TILE, element('image', { href, width: TILE, height: TILE })) }
  }
  const blurhash = inventBlurhash(background, createRandom(seed))
  const png = encodeRgbPng(decodeBlurhash(blurhash, BLUR_SIDE), { width: BLUR_SIDE, height: BLUR_SIDE })
  const image = element('image', { href: embedImage('image/png', png), ...cover, preserveAspectRatio: 'none' })
  return { svg: image, blurhash }
}

function drawGradient({ width, height, background, seed }: Canvas): string {
  const angle = createRandom(seed)() * Math.PI * 2
  const [x, y] = [Math.cos(angle) / 2, Math.sin(angle) / 2]
  const stops = [shade(background, 40), shade(background, -40)].map((color, offset) =>
    element('stop', { offset, ...paintWith(color, 'stop') }),
  )
  const ends = { x1: 0.5 - x, y1: 0.5 - y, x2: 0.5 + x, y2: 0.5 + y }
  return (
    element('defs', {}, element('linearGradient', { id: 'g', ...ends }, stops.join(''))) +
    element('rect', { width, height, fill: 'url(#g)' })
  )
}

function drawTiles({ width, height, background }: Canvas, side: number, content: string): string {
  const pattern = { id: 'p', width: side, height: side, patternUnits: 'userSpaceOnUse' }
  return (
    element('defs', {}, element('pattern', pattern, content)) +
    element('rect', { width, height, ...paintWith(background) }) +
    element('rect', { width, height, fill: 'url(#p)' })
  )
}

function shade(color: Rgba, by: number): Rgba {
  const move = (channel: number) => Math.max(0, Math.min(255, channel + by))
  return { r: move(color.r), g: move(color.g), b: move(color.b), a: color.a }
}

/** A head and shoulders, for a person without a photo. */
export function drawPerson({ width, height }: { width: number; height: number }, color: Rgba): string {
  const unit = Math.min(width, height) / 100
  const [x, y] = [width / 2, height / 2]
  const head = element('circle', { cx: x, cy: y - 12 * unit, r: 19 * unit, ...paintWith(color) })
  const [reach, rise, neck] = [36 * unit, 26 * unit, y + 12 * unit]
  const shoulders = element('path', {
    d: `M${x - reach} ${height}V${neck + rise}a${reach} ${rise} 0 0 1 ${2 * reach} 0V${height}z`,
    ...paintWith(color),
  })
  return head + shoulders
}
