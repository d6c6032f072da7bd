import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import { formatNumber } from '../content/embedded-fonts.ts'
import { type Matrix, multiplyMatrices } from '../content/page-view.ts'
import type { Operand } from '../content/stream.ts'
import { boundingBox, isCovered, transformRect } from './boxes.ts'
import type { GlyphMetrics } from './glyph-metrics.ts'

export interface TextState {
  font: GlyphMetrics | undefined
  size: number
  charSpace: number
  wordSpace: number
  horizontalScale: number
  leading: number
  rise: number
  /** Maps the content's coordinates to the page as displayed. */
  matrix: Matrix
}

export const IDENTITY_MATRIX: Matrix = [1, 0, 0, 1, 0, 0]
export const INITIAL_TEXT_STATE = {
  font: undefined,
  size: 0,
  charSpace: 0,
  wordSpace: 0,
  horizontalScale: 1,
  leading: 0,
  rise: 0,
}
/** The vertical extent of a glyph, relative to the font size. */
const [DESCENT, ASCENT] = [-0.2, 0.75]

/** Tracks the text position while content is read, and finds the glyphs that lie in the boxes. */
export class TextCursor {
  readonly #boxes: readonly Rect[]
  #textMatrix: Matrix = IDENTITY_MATRIX
  #lineMatrix: Matrix = IDENTITY_MATRIX

  constructor(boxes: readonly Rect[]) {
    this.#boxes = boxes
  }

  setMatrix(matrix: Matrix): undefined {
    this.#lineMatrix = matrix
    this.#textMatrix = matrix
  }

  moveLine(x: number, y: number): undefined {
    this.setMatrix(multiplyMatrices([1, 0, 0, 1, x, y], this.#lineMatrix))
  }

  /** Returns the operators that show the remaining glyphs, or undefined if all stay. Gaps replace removed glyphs. */
  showGlyphs(items: readonly Operand[], state: TextState, font: GlyphMetrics): string | undefined {
    const kept: string[] = []
    const scale = state.size * state.horizontalScale
    let gap = 0
    let hasRemoved = false
    for (const piece of readPieces(items, font.bytesPerCode)) {
      if (piece.gap !== undefined) {
        gap += piece.gap
        this.#advance((-piece.gap / 1000) * scale)
        continue
      }
      const { isRemoved, step } = this.#placeGlyph(piece.code, state, font)
      if (isRemoved) {
        hasRemoved = true
        gap -= (step * 1000) / (scale || 1)
        continue
      }
      kept.push(gap === 0 ? '' : formatNumber(gap), `<${piece.code.toString(16).padStart(font.bytesPerCode * 2, '0')}>`)
      gap = 0
    }
    if (gap !== 0) kept.push(formatNumber(gap))
    return hasRemoved ? `[${kept.join('')}] TJ` : undefined
  }

  #placeGlyph(code: number, state: TextState, font: GlyphMetrics): { isRemoved: boolean; step: number } {
    const { size, charSpace, wordSpace, horizontalScale, rise, matrix } = state
    const width = font.width(code)
    const space = font.bytesPerCode === 1 && code === 32 ? wordSpace : 0
    const step = (width * size + charSpace + space) * horizontalScale
    const glyphMatrix = multiplyMatrices(
      multiplyMatrices([size * horizontalScale, 0, 0, size, 0, rise], this.#textMatrix),
      matrix,
    )
    const box = boundingBox(transformRect(glyphMatrix, [0, DESCENT, width, ASCENT]))
    this.#advance(step)
    return { isRemoved: isCovered(box, this.#boxes), step }
  }

  #advance(x: number): void {
    this.#textMatrix = multiplyMatrices([1, 0, 0, 1, x, 0], this.#textMatrix)
  }
}

type Piece = { gap: number; code?: undefined } | { code: number; gap?: undefined }

function* readPieces(items: readonly Operand[], bytesPerCode: 1 | 2): Generator<Piece> {
  for (const item of items) {
    if (typeof item === 'number') yield { gap: item }
    if (!(item instanceof Uint8Array)) continue
    for (let offset = 0; offset + bytesPerCode <= item.length; offset += bytesPerCode)
      yield { code: bytesPerCode === 1 ? item[offset]! : (item[offset]! << 8) | item[offset + 1]! }
  }
}
