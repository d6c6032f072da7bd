import type { Paper, Span } from './paper-spans.ts'

/** What stands on one line of a column, from left to right. */
export interface Row {
  cells: Span[]
  left: number
  right: number
  top: number
  bottom: number
  size: number
}

/** The rows of a page in the order they are read: columns one after the other, what spans them between. */
export function rowsOf({ spans, width }: Pick<Paper, 'spans' | 'width'>): Row[][] {
  return columnsOf(spans, width).map(rowed)
}

const LEAST_SPANS = 6
const NARROWEST = 8
const LEAST_LETTERS = 18
const DEEPEST = 4

/** Divides at a gutter that most lines keep free; what crosses it parts the columns above from those below. */
function columnsOf(spans: readonly Span[], width: number, depth = 0): Span[][] {
  const gutter = spans.length >= LEAST_SPANS && depth < DEEPEST ? gutterOf(spans, width) : undefined
  if (gutter === undefined) return spans.length > 0 ? [[...spans]] : []
  const crossing = spans.filter(span => span.left < gutter && span.right > gutter).sort((a, b) => a.top - b.top)
  const beside = spans.filter(span => !crossing.includes(span))
  const groups: Span[][] = []
  let from = -Infinity
  for (const span of [...crossing, undefined]) {
    const band = beside.filter(({ top }) => top >= from && top < (span?.top ?? Infinity))
    const sides = [band.filter(({ right }) => right <= gutter), band.filter(({ left }) => left >= gutter)]
    groups.push(...sides.flatMap(side => columnsOf(side, width, depth + 1)))
    if (band.length > 0 || from === -Infinity) groups.push([])
    if (span) groups.at(-1)!.push(span)
    from = span?.top ?? Infinity
  }
  return groups.filter(group => group.length > 0)
}

/** The middle of the emptiest stripe with running text on both sides; short cells on both sides are a table's. */
function gutterOf(spans: readonly Span[], width: number): number | undefined {
  const edges = [...new Set(spans.map(({ left }) => Math.round(left)))].filter(left => left > width * 0.15)
  const candidates = edges.map(edge => stripeBefore(edge, spans)).filter(stripe => stripe.wide >= NARROWEST)
  const good = candidates.filter(({ at }) => isGutter(at, spans))
  return good.sort((a, b) => a.crossing - b.crossing || b.wide - a.wide)[0]?.at
}

function stripeBefore(edge: number, spans: readonly Span[]): { at: number; wide: number; crossing: number } {
  const before = spans.filter(({ right }) => right <= edge).map(({ right }) => right)
  const last = before.length > 0 ? Math.max(...before) : -Infinity
  const at = (last + edge) / 2
  const crossing = spans.filter(span => span.left < at && span.right > at).length
  return { at, wide: Number.isFinite(last) ? edge - last : 0, crossing }
}

function isGutter(at: number, spans: readonly Span[]): boolean {
  const sides = [spans.filter(({ right }) => right <= at), spans.filter(({ left }) => left >= at)]
  const crossing = spans.length - sides[0]!.length - sides[1]!.length
  if (crossing > spans.length * 0.3) return false
  return sides.every(side => {
    const letters = side.reduce((sum, { text }) => sum + text.length, 0)
    return side.length >= 3 && side.length >= spans.length * 0.15 && letters / side.length >= LEAST_LETTERS
  })
}

/** Spans of one height stand in one row. */
function rowed(spans: readonly Span[]): Row[] {
  const rows: Row[] = []
  for (const span of [...spans].sort((a, b) => a.top - b.top || a.left - b.left)) {
    const row = rows.findLast(other => sharesLine(other, span))
    if (row) {
      row.cells.push(span)
      Object.assign(row, { ...boundsOf(row.cells), size: Math.max(row.size, span.size) })
    } else rows.push({ cells: [span], ...boundsOf([span]), size: span.size })
  }
  for (const row of rows) row.cells = joined(row.cells.sort((a, b) => a.left - b.left))
  return rows.sort((a, b) => a.top - b.top)
}

function sharesLine(row: Row, span: Span): boolean {
  const shared = Math.min(row.bottom, span.bottom) - Math.max(row.top, span.top)
  return shared > 0.5 * Math.min(row.bottom - row.top, span.bottom - span.top)
}

function boundsOf(spans: readonly Span[]) {
  const least = (name: 'left' | 'top') => Math.min(...spans.map(span => span[name]))
  const most = (name: 'right' | 'bottom') => Math.max(...spans.map(span => span[name]))
  return { left: least('left'), top: least('top'), right: most('right'), bottom: most('bottom') }
}

const WORD_GAP = 0.9

/** Pieces of one sentence that only a change of the font parted. */
function joined(cells: readonly Span[]): Span[] {
  const whole: Span[] = []
  for (const cell of cells) {
    const before = whole.at(-1)
    const gap = before ? cell.left - before.right : Infinity
    if (before && gap < WORD_GAP * Math.min(before.size, cell.size)) whole[whole.length - 1] = glued(before, cell, gap)
    else whole.push(cell)
  }
  return whole
}

function glued(before: Span, cell: Span, gap: number): Span {
  const isApart = gap > 0.12 * cell.size && !/\s$/.test(before.text) && !/^\s/.test(cell.text)
  const first = cell.parts[0]!
  const parts = isApart ? [{ ...first, text: ` ${first.text}` }, ...cell.parts.slice(1)] : cell.parts
  return {
    ...before,
    ...boundsOf([before, cell]),
    parts: [...before.parts, ...parts],
    text: before.text + (isApart ? ' ' : '') + cell.text,
    size: Math.max(before.size, cell.size),
    isMono: before.isMono && cell.isMono,
  }
}
