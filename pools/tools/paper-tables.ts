import type { Row } from './paper-rows.ts'
import type { Span } from './paper-spans.ts'

export interface Table {
  /** As many cells in each row; a cell may be of several spans, one below the other. */
  rows: Span[][][]
}

const LEAST_ROWS = 2
const GAP_IN_LINES = 2.2

/** How many of the rows from here on are a table; 0 where they are not. */
export function tableLength(rows: readonly Row[], from: number): number {
  if (rows[from]!.cells.length < 2) return 0
  let edges = columnsOf([rows[from]!])
  let length = 1
  while (from + length < rows.length) {
    const wider = columnsOf(rows.slice(from, from + length + 1))
    if (!goesOn(rows[from + length]!, rows[from + length - 1]!, edges, wider)) break
    edges = wider
    length += 1
  }
  const full = rows.slice(from, from + length).filter(({ cells }) => cells.length > 1).length
  return full >= LEAST_ROWS && (full > 2 || edges.length > 2 || length === full) ? length : 0
}

function goesOn(row: Row, before: Row, edges: readonly Stripe[], wider: readonly Stripe[]): boolean {
  if (row.top - before.bottom > GAP_IN_LINES * before.size || wider.length < 2) return false
  return row.cells.length > 1 ? wider.length >= Math.max(2, edges.length - 1) : isContinuation(row, edges)
}

/** The rest of a cell on a line of its own: it stands within a column other than the first. */
function isContinuation({ cells }: Row, columns: readonly Stripe[]): boolean {
  const [cell] = cells
  const column = columns.findIndex(({ left }, index) => {
    const next = columns[index + 1]?.left ?? Infinity
    return cell!.left >= left - AIR && cell!.right < next - AIR
  })
  return column > 0
}

interface Stripe {
  left: number
  right: number
}

const AIR = 2

/** Where cells of any of the rows stand, as stripes that nothing joins. */
function columnsOf(rows: readonly Row[]): Stripe[] {
  const spans = rows.flatMap(({ cells }) => cells).sort((a, b) => a.left - b.left)
  const stripes: Stripe[] = []
  for (const { left, right } of spans) {
    const last = stripes.at(-1)
    if (last && left < last.right + AIR) last.right = Math.max(last.right, right)
    else stripes.push({ left, right })
  }
  return stripes
}

export function tableOf(rows: readonly Row[]): Table {
  const columns = columnsOf(rows)
  const made: Span[][][] = []
  for (const row of rows) {
    const cells = columns.map(({ left, right }) =>
      row.cells.filter(cell => cell.left >= left - AIR && cell.right <= right + AIR),
    )
    const before = made.at(-1)
    if (row.cells.length === 1 && before) for (const [index, cell] of cells.entries()) before[index]!.push(...cell)
    else made.push(cells)
  }
  return { rows: made }
}
