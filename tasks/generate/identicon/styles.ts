import { createHash } from 'node:crypto'
import { hslToHex } from '../../formats/color/hsl.ts'
import { element } from '../../formats/svg/drawing.ts'
import { drawBlockie } from './blockie.ts'

/** What all styles draw with; the square that they fill has a side of 1. */
interface Palette {
  hues: readonly number[]
  /** Percent. */
  saturation: number
}

/** Bytes that follow from the value and nothing else. Once published, a style keeps its drawing; a new one gets @2. */
function hashValue(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}

type OwnStyle = 'blocks' | 'initials' | 'rings' | 'beam' | 'blockie'

type Draw = (value: string, palette: Palette) => string

export const DRAW: Record<Exclude<OwnStyle, 'initials'>, Draw> = {
  blocks: drawBlocks,
  rings: drawRings,
  beam: drawBeam,
  blockie: drawBlockie,
}

function pickColor(byte: number, { hues, saturation }: Palette, lightness: number): string {
  const hue = hues.length > 0 ? hues[byte % hues.length]! : Math.round((byte / 256) * 360)
  return hslToHex(hue, saturation, lightness)
}

export function pickBackground(value: string, palette: Palette): string {
  return pickColor(hashValue(value)[0]!, palette, 42)
}

/** Five by five squares, mirrored. */
function drawBlocks(value: string, palette: Palette): string {
  const hash = hashValue(value)
  const path: string[] = []
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 3; column++) {
      if ((hash[1 + row * 3 + column]! & 1) === 0) continue
      for (const x of new Set([column, 4 - column])) path.push(`M${x} ${row}h1v1h-1z`)
    }
  }
  const middle = path.length === 0 ? ['M2 2h1v1h-1z'] : path
  const squares = element('path', { d: middle.join(''), fill: pickColor(hash[0]!, palette, 45) })
  return element('g', { transform: 'scale(0.2)', 'shape-rendering': 'crispEdges' }, squares)
}

const RINGS = 4

function drawRings(value: string, palette: Palette): string {
  const hash = hashValue(value)
  const rings = Array.from({ length: RINGS }, (_, ring) => {
    const radius = 0.44 - ring * 0.115
    const from = (hash[ring * 3 + 1]! / 256) * 2 * Math.PI
    const sweep = (0.25 + (hash[ring * 3 + 2]! / 256) * 0.6) * 2 * Math.PI
    const [x1, y1] = [0.5 + radius * Math.cos(from), 0.5 + radius * Math.sin(from)]
    const [x2, y2] = [0.5 + radius * Math.cos(from + sweep), 0.5 + radius * Math.sin(from + sweep)]
    const isLong = sweep > Math.PI ? 1 : 0
    const stroke = pickColor(hash[ring * 3]!, palette, 35 + ring * 9)
    const d = `M${round(x1)} ${round(y1)}A${round(radius)} ${round(radius)} 0 ${isLong} 1 ${round(x2)} ${round(y2)}`
    return element('path', { d, stroke, fill: 'none', 'stroke-width': 0.09, 'stroke-linecap': 'round' })
  })
  const core = element('circle', { cx: 0.5, cy: 0.5, r: 0.045, fill: pickColor(hash[13]!, palette, 40) })
  return rings.join('') + core
}

/** A tilted face on two colours. */
function drawBeam(value: string, palette: Palette): string {
  const hash = hashValue(value)
  const back = element('rect', { width: 1, height: 1, fill: pickColor(hash[0]!, palette, 70) })
  const [x, y] = [(hash[2]! / 256 - 0.5) * 0.4, (hash[3]! / 256 - 0.5) * 0.4]
  const front = pickColor((hash[0]! + 96 + (hash[1]! % 64)) % 256, palette, 50)
  const mask = element('rect', { width: 1, height: 1, rx: hash[4]! % 2 === 0 ? 0.5 : 0.2, fill: front })
  const ink = hash[5]! % 2 === 0 ? '#000000' : '#ffffff'
  const spread = 0.1 + (hash[6]! / 256) * 0.08
  const eyes = [0.5 - spread, 0.5 + spread].map(cx =>
    element('ellipse', { cx, cy: 0.46, rx: 0.03, ry: 0.045, fill: ink }),
  )
  const isOpen = hash[7]! % 2 === 0
  const mouth = isOpen
    ? element('path', { d: 'M0.4 0.58a0.1 0.08 0 0 0 0.2 0z', fill: ink })
    : element('path', {
        d: 'M0.4 0.6q0.1 0.07 0.2 0',
        fill: 'none',
        stroke: ink,
        'stroke-width': 0.03,
        'stroke-linecap': 'round',
      })
  const tilt = Math.round((hash[8]! / 256 - 0.5) * 60)
  const face = element(
    'g',
    { transform: `translate(${round(x)} ${round(y)}) rotate(${tilt} 0.5 0.5)` },
    mask + eyes.join('') + mouth,
  )
  return back + face
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

const SEPARATORS = /[\s\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cc}]+/u

/** The first letters of the first two words; of an address, those of its name. */
export function findInitials(value: string): string {
  const name = value.split('@')[0]!
  const words = name.split(SEPARATORS).filter(Boolean)
  const letters = words.slice(0, 2).map(word => [...graphemes.segment(word)][0]!.segment)
  return letters.join('').toLocaleUpperCase('und') || '?'
}
