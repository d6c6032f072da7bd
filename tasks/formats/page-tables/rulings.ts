import type { Rect } from '../geometry/rect.ts'

/** The straight lines of a page, and the straight edges of its filled areas. */
export interface Rulings {
  horizontal: Rect[]
  vertical: Rect[]
}

/** The same lines in other units. */
export function scaleRulings({ horizontal, vertical }: Rulings, factor: number): Rulings {
  const scale = (box: Rect) => box.map(side => side * factor) as unknown as Rect
  return { horizontal: horizontal.map(scale), vertical: vertical.map(scale) }
}
