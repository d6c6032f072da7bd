import type { Operand } from './pdf-content.ts'
import { figure } from './pdf-lettering.ts'
import { type Matrix, multiply } from './pdf-view.ts'
import { type Box, boundsOf, isCovered, quad } from './redact-boxes.ts'
import type { GlyphMetrics } from './redact-glyphs.ts'

export interface TextState {
  font: GlyphMetrics | undefined
  size: number
  charSpace: number
  wordSpace: number
  stretch: number
  leading: number
  rise: number
  /** From the content's space to what is seen. */
  matrix: Matrix
}

export const UPRIGHT: Matrix = [1, 0, 0, 1, 0, 0]
export const PLAIN = { font: undefined, size: 0, charSpace: 0, wordSpace: 0, stretch: 1, leading: 0, rise: 0 }
/** Of a glyph, in sizes: where its body lies. */
const [BELOW, ABOVE] = [-0.2, 0.75]

export interface Shown {
  /** What to show instead; nothing where all may stay. */
  instead?: string
  removed: number
}

/** Where text stands while content is read, and which of its glyphs lie in the boxes. */
export class TextPen {
  private readonly boxes: readonly Box[]
  private text: Matrix = UPRIGHT
  private line: Matrix = UPRIGHT

  constructor(boxes: readonly Box[]) {
    this.boxes = boxes
  }

  place(matrix: Matrix): undefined {
    this.line = matrix
    this.text = matrix
  }

  move(x: number, y: number): undefined {
    this.place(multiply([1, 0, 0, 1, x, y], this.line))
  }

  /** Glyphs that go leave a gap as wide as they were. */
  show(items: readonly Operand[], state: TextState, font: GlyphMetrics): Shown {
    const kept: string[] = []
    const scale = state.size * state.stretch
    let gap = 0
    let removed = 0
    for (const item of piecesIn(items, font.bytesEach)) {
      if (item.gap !== undefined) {
        gap += item.gap
        this.advance((-item.gap / 1000) * scale)
        continue
      }
      const { isGone, step } = this.glyph(item.code, state, font)
      if (isGone) {
        removed += 1
        gap -= (step * 1000) / (scale || 1)
        continue
      }
      kept.push(gap === 0 ? '' : figure(gap), `<${item.code.toString(16).padStart(font.bytesEach * 2, '0')}>`)
      gap = 0
    }
    if (gap !== 0) kept.push(figure(gap))
    return removed === 0 ? { removed } : { instead: `[${kept.join('')}] TJ`, removed }
  }

  private glyph(code: number, state: TextState, font: GlyphMetrics): { isGone: boolean; step: number } {
    const { size, charSpace, wordSpace, stretch, rise, matrix } = state
    const width = font.width(code)
    const space = font.bytesEach === 1 && code === 32 ? wordSpace : 0
    const step = (width * size + charSpace + space) * stretch
    const glyphSpace = multiply(multiply([size * stretch, 0, 0, size, 0, rise], this.text), matrix)
    const box = boundsOf(quad(glyphSpace, [0, BELOW, width, ABOVE]))
    this.advance(step)
    return { isGone: isCovered(box, this.boxes), step }
  }

  private advance(x: number): void {
    this.text = multiply([1, 0, 0, 1, x, 0], this.text)
  }
}

type Piece = { gap: number; code?: undefined } | { code: number; gap?: undefined }

function* piecesIn(items: readonly Operand[], each: 1 | 2): Generator<Piece> {
  for (const item of items) {
    if (typeof item === 'number') yield { gap: item }
    if (!(item instanceof Uint8Array)) continue
    for (let at = 0; at + each <= item.length; at += each)
      yield { code: each === 1 ? item[at]! : (item[at]! << 8) | item[at + 1]! }
  }
}
