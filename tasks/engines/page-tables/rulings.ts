import type { Rect } from '../../formats/geometry/rect.ts'

/** The straight lines of a page, and the straight edges of its filled areas. */
export interface Rulings {
  horizontal: Rect[]
  vertical: Rect[]
  /** Small squares, such as check boxes. */
  squares: Square[]
}

interface Square {
  box: Rect
  /** The share of its inside that is dark. */
  ink: number
}

/** The same lines in other units. */
export function scaleRulings({ horizontal, vertical, squares }: Rulings, factor: number): Rulings {
  const scale = (box: Rect) => box.map(side => side * factor) as unknown as Rect
  const scaled = squares.map(square => ({ ...square, box: scale(square.box) }))
  return { horizontal: horizontal.map(scale), vertical: vertical.map(scale), squares: scaled }
}
