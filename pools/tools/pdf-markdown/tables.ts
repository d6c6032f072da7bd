import type { Row } from './rows.ts'
import type { Span } from './spans.ts'

export interface Table {
  /** A cell may hold several spans, one below the other. */
  rows: Pick<Span, 'runs'>[][][]
}

const MIN_ROWS = 2
const GAP_IN_LINES = 2.2

/** Counts the rows from here on that form a table; 0 if there is none. */
export function measureTable(rows: readonly Row[], from: number): number {
  if (rows[from]!.cells.length < 2) return 0
  let columns = findColumns([rows[from]!])
  let length = 1
  while (from + length < rows.length) {
    const extended = findColumns(rows.slice(from, from + length + 1))
    if (!continuesTable(rows[from + length]!, rows[from + length - 1]!, columns, extended)) break
    columns = extended
    length += 1
  }
  const fullRows = rows.slice(from, from + length).filter(({ cells }) => cells.length > 1).length
  return fullRows >= MIN_ROWS && (fullRows > 2 || columns.length > 2 || length === fullRows) ? length : 0
}

function continuesTable(
  row: Row,
  before: Row,
  columns: readonly ColumnRange[],
  extended: readonly ColumnRange[],
): boolean {
  if (row.top - before.bottom > GAP_IN_LINES * before.size || extended.length < 2) return false
  return row.cells.length > 1 ? extended.length >= Math.max(2, columns.length - 1) : isCellContinuation(row, columns)
}

/** A single cell below any column but the first continues the cell above it. */
function isCellContinuation({ cells }: Row, columns: readonly ColumnRange[]): boolean {
  const [cell] = cells
  const column = columns.findIndex(({ left }, index) => {
    const next = columns[index + 1]?.left ?? Infinity
    return cell!.left >= left - TOLERANCE && cell!.right < next - TOLERANCE
  })
  return column > 0
}

interface ColumnRange {
  left: number
  right: number
}

const TOLERANCE = 2

/** Merges the horizontal ranges of all cells into columns that do not touch. */
function findColumns(rows: readonly Row[]): ColumnRange[] {
  const spans = rows.flatMap(({ cells }) => cells).sort((a, b) => a.left - b.left)
  const columns: ColumnRange[] = []
  for (const { left, right } of spans) {
    const last = columns.at(-1)
    if (last && left < last.right + TOLERANCE) last.right = Math.max(last.right, right)
    else columns.push({ left, right })
  }
  return columns
}

export function buildTable(rows: readonly Row[]): Table {
  const columns = findColumns(rows)
  const tableRows: Table['rows'] = []
  for (const row of rows) {
    const cells = columns.map(({ left, right }) =>
      row.cells.filter(cell => cell.left >= left - TOLERANCE && cell.right <= right + TOLERANCE),
    )
    const before = tableRows.at(-1)
    if (row.cells.length === 1 && before) for (const [index, cell] of cells.entries()) before[index]!.push(...cell)
    else tableRows.push(cells)
  }
  const isRightToLeft = rows.filter(row => row.isRightToLeft).length * 2 > rows.length
  return { rows: isRightToLeft ? tableRows.map(cells => cells.toReversed()) : tableRows }
}
