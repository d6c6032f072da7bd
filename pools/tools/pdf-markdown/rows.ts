import { findRightToLeft } from '../../../tasks/formats/words/direction.ts'
import { toLogicalOrder } from './logical-order.ts'
import type { PageSpans, Span } from './spans.ts'

/** One line of a column; its cells are sorted in the direction in which it is read. */
export interface Row {
  cells: Span[]
  isRightToLeft?: boolean
  left: number
  right: number
  top: number
  bottom: number
  size: number
}

/** Finds the rows of a page in reading order: column by column, with text that spans columns between them. */
export function findRows({ spans, width }: Pick<PageSpans, 'spans' | 'width'>): Row[][] {
  return splitColumns(spans, width).map(groupRows)
}

const MIN_SPANS = 6
const MIN_GUTTER_WIDTH = 8
const MIN_CHARACTERS_PER_SPAN = 18
const MAX_DEPTH = 4

/** Splits at a gutter that few lines cross. A line that crosses it separates the columns above from those below. */
function splitColumns(spans: readonly Span[], width: number, depth = 0): Span[][] {
  const gutter = spans.length >= MIN_SPANS && depth < MAX_DEPTH ? findGutter(spans, width) : undefined
  if (gutter === undefined) return spans.length > 0 ? [[...spans]] : []
  const crossing = spans.filter(span => span.left < gutter && span.right > gutter).sort((a, b) => a.top - b.top)
  const beside = spans.filter(span => !crossing.includes(span))
  const groups: Span[][] = []
  let from = -Infinity
  for (const span of [...crossing, undefined]) {
    const band = beside.filter(({ top }) => top >= from && top < (span?.top ?? Infinity))
    const sides = [band.filter(({ right }) => right <= gutter), band.filter(({ left }) => left >= gutter)]
    groups.push(...sides.flatMap(side => splitColumns(side, width, depth + 1)))
    if (band.length > 0 || from === -Infinity) groups.push([])
    if (span) groups.at(-1)!.push(span)
    from = span?.top ?? Infinity
  }
  return groups.filter(group => group.length > 0)
}

/** Finds the gap that the fewest lines cross, with running text on both sides. Short cells belong to a table. */
function findGutter(spans: readonly Span[], width: number): number | undefined {
  const edges = [...new Set(spans.map(({ left }) => Math.round(left)))].filter(left => left > width * 0.15)
  const candidates = edges.map(edge => gapBefore(edge, spans)).filter(gap => gap.width >= MIN_GUTTER_WIDTH)
  const gutters = candidates.filter(({ x }) => isGutter(x, spans))
  return gutters.sort((a, b) => a.crossing - b.crossing || b.width - a.width)[0]?.x
}

function gapBefore(edge: number, spans: readonly Span[]): { x: number; width: number; crossing: number } {
  const before = spans.filter(({ right }) => right <= edge).map(({ right }) => right)
  const last = before.length > 0 ? Math.max(...before) : -Infinity
  const x = (last + edge) / 2
  const crossing = spans.filter(span => span.left < x && span.right > x).length
  return { x, width: Number.isFinite(last) ? edge - last : 0, crossing }
}

function isGutter(x: number, spans: readonly Span[]): boolean {
  const sides = [spans.filter(({ right }) => right <= x), spans.filter(({ left }) => left >= x)]
  const crossing = spans.length - sides[0]!.length - sides[1]!.length
  if (crossing > spans.length * 0.3) return false
  return sides.every(side => {
    const characters = side.reduce((sum, { text }) => sum + text.length, 0)
    return side.length >= 3 && side.length >= spans.length * 0.15 && characters / side.length >= MIN_CHARACTERS_PER_SPAN
  })
}

/** Groups spans at the same height into rows. */
function groupRows(spans: readonly Span[]): Row[] {
  const rows: Row[] = []
  for (const span of [...spans].sort((a, b) => a.top - b.top || a.left - b.left)) {
    const row = rows.findLast(other => sharesLine(other, span))
    if (row) {
      row.cells.push(span)
      Object.assign(row, { ...boundingBox(row.cells), size: Math.max(row.size, span.size) })
    } else rows.push({ cells: [span], ...boundingBox([span]), size: span.size })
  }
  const isMostlyRightToLeft = findRightToLeft(spans.map(({ text }) => text)) ?? false
  for (const row of rows) {
    const cells = joinAdjacent(row.cells.sort((a, b) => a.left - b.left))
    row.isRightToLeft = findRightToLeft(cells.map(({ text }) => text)) ?? isMostlyRightToLeft
    const read = cells.map(cell => toLogicalOrder(cell, findRightToLeft([cell.text]) ?? row.isRightToLeft!))
    row.cells = row.isRightToLeft ? read.reverse() : read
  }
  return rows.sort((a, b) => a.top - b.top)
}

/** How far a line starts and ends from the side where lines start. */
export function startOf({ isRightToLeft, left, right }: Row): number {
  return isRightToLeft ? -right : left
}

export function endOf({ isRightToLeft, left, right }: Row): number {
  return isRightToLeft ? -left : right
}

function sharesLine(row: Row, span: Span): boolean {
  const shared = Math.min(row.bottom, span.bottom) - Math.max(row.top, span.top)
  return shared > 0.5 * Math.min(row.bottom - row.top, span.bottom - span.top)
}

function boundingBox(spans: readonly Span[]) {
  const min = (name: 'left' | 'top') => Math.min(...spans.map(span => span[name]))
  const max = (name: 'right' | 'bottom') => Math.max(...spans.map(span => span[name]))
  return { left: min('left'), top: min('top'), right: max('right'), bottom: max('bottom') }
}

const WORD_GAP = 0.9

/** Joins spans that are separate only because the font changes within a line. */
function joinAdjacent(cells: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const cell of cells) {
    const before = joined.at(-1)
    const gap = before ? cell.left - before.right : Infinity
    if (before && gap < WORD_GAP * Math.min(before.size, cell.size))
      joined[joined.length - 1] = joinSpans(before, cell, gap)
    else joined.push(cell)
  }
  return joined
}

function joinSpans(before: Span, cell: Span, gap: number): Span {
  const needsSpace = gap > 0.12 * cell.size && !/\s$/.test(before.text) && !/^\s/.test(cell.text)
  const first = cell.runs[0]!
  const runs = needsSpace ? [{ ...first, text: ` ${first.text}` }, ...cell.runs.slice(1)] : cell.runs
  return {
    ...before,
    ...boundingBox([before, cell]),
    runs: [...before.runs, ...runs],
    text: before.text + (needsSpace ? ' ' : '') + cell.text,
    size: Math.max(before.size, cell.size),
    isMono: before.isMono && cell.isMono,
  }
}
