import type { PageWord } from '../../formats/document/page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'

/** A word of a page, with its place in the order of reading. */
export interface TableWord extends PageWord {
  line: number
  /** Of the line that its font makes, about 1.15 times the font size. */
  height: number
}

export interface FoundCell {
  r: number
  c: number
  rowSpan: number
  colSpan: number
  words: TableWord[]
  box: Rect
}

/** How a table was found: by its lines, by the gaps between its columns, or by a provider. */
export type TableMethod = 'lattice' | 'stream' | 'model'

export interface FoundTable {
  method: TableMethod
  box: Rect
  rows: number
  cols: number
  /** By row and column. Places that no cell covers are empty. */
  cells: FoundCell[]
  caption?: string
}

export function boundingBox(boxes: readonly Rect[]): Rect {
  return [
    boxes.reduce((least, [left]) => Math.min(least, left), Infinity),
    boxes.reduce((least, [, top]) => Math.min(least, top), Infinity),
    boxes.reduce((most, [, , right]) => Math.max(most, right), -Infinity),
    boxes.reduce((most, [, , , bottom]) => Math.max(most, bottom), -Infinity),
  ]
}

/** The text of words in the order of reading: pieces of one line keep its order, pieces side by side go from left to right. */
export function joinText(words: readonly TableWord[]): string {
  const pieces = [...Map.groupBy(words, ({ line }) => line).values()]
    .map(part => ({ part, box: boundingBox(part.map(({ box }) => box)) }))
    .sort((a, b) => (sharesRow(a.box, b.box) ? a.box[0] - b.box[0] : a.box[1] - b.box[1]))
  return pieces.flatMap(({ part }) => part.map(({ text }) => text)).join(' ')
}

export function sharesRow(one: Rect, other: Rect): boolean {
  const shared = Math.min(one[3], other[3]) - Math.max(one[1], other[1])
  return shared > 0.5 * Math.min(one[3] - one[1], other[3] - other[1])
}
