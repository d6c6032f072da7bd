import type { Rect } from '../../formats/geometry/rect.ts'
import { boundingBox, type FoundCell, type FoundTable, joinText, type TableWord } from './table.ts'
import { type Chunk, groupRows, type TextRow } from './text-rows.ts'

interface Column {
  left: number
  right: number
}

/** Rows further apart than so many heights belong to different tables. */
const MAX_GAP = 2.5
const MAX_SINGLE_ROWS = 2
const PROSE_CHARACTERS = 25
const MIN_FILLED = 0.35

/** Finds the tables without lines: rows whose texts stand below each other, with gaps between the columns. */
export function findAlignedTables(words: readonly TableWord[]): FoundTable[] {
  const blocks = findBlocks(groupRows(words)).flatMap(splitAtWideGap)
  return blocks.flatMap(rows => {
    const columns = findColumns(rows)
    return isTable(rows, columns) ? [buildTable(rows, columns)] : []
  })
}

/** A gap so many times as wide as most may part two tables. */
const WIDE_GAP = 1.5

/** What stands above a wide gap is no part of the table below it if its texts fill gaps between the columns of that one. */
function splitAtWideGap(rows: TextRow[]): TextRow[][] {
  const { gaps, usual } = measureGaps(rows)
  const at = gaps.indexOf(Math.max(...gaps)) + 1
  const [upper, lower] = [rows.slice(0, at), rows.slice(at)]
  const isWide = gaps[at - 1]! > WIDE_GAP * usual && gaps[at - 1]! > 0.8 * rows[at]!.size
  const hasRows = [upper, lower].every(part => part.filter(({ chunks }) => chunks.length > 1).length > 1)
  if (!isWide || !hasRows || findColumns(lower).length <= findColumns(rows).length) return [rows]
  return [...splitAtWideGap(upper), ...splitAtWideGap(lower)]
}

function measureGaps(rows: readonly TextRow[]): { gaps: number[]; usual: number } {
  const gaps = rows.slice(1).map((row, index) => row.box[1] - rows[index]!.box[3])
  return { gaps, usual: [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0 }
}

/** Rows of several texts that follow each other, with at most two single texts between them. */
function findBlocks(rows: readonly TextRow[]): TextRow[][] {
  const blocks: TextRow[][] = []
  let block: TextRow[] = []
  const close = () => {
    while (block.length > 0 && block.at(-1)!.chunks.length < 2 && !isContinued(block)) block.pop()
    if (block.length > 1) blocks.push(block)
    block = []
  }
  for (const row of rows) {
    const last = block.at(-1)
    const isFar = last && row.box[1] - last.box[3] > MAX_GAP * Math.max(last.size, row.size)
    const singles = block.length - 1 - block.findLastIndex(({ chunks }) => chunks.length > 1)
    if (isFar || (row.chunks.length < 2 && singles >= MAX_SINGLE_ROWS) || (last && isProse(row, block))) close()
    if (row.chunks.length > 1 || (block.length > 0 && !isProse(row, block))) block.push(row)
  }
  close()
  return blocks
}

/** A single text that is wider than a cell. */
function isProse({ chunks }: TextRow, block: readonly TextRow[]): boolean {
  if (chunks.length > 1) return false
  const [left, , right] = boundingBox(block.map(({ box }) => box))
  return chunks[0]!.box[2] - chunks[0]!.box[0] > 0.6 * (right - left)
}

/** The last text continues a cell of the row above it, in any column but the first. */
function isContinued(block: readonly TextRow[]): boolean {
  const [last, before] = [block.at(-1)!, block.at(-2)]
  if (!before || before.chunks.length < 2) return false
  const [text] = last.chunks
  return last.box[1] - before.box[3] < 0.6 * last.size && text!.box[0] >= before.chunks[1]!.box[0] - last.size * 0.3
}

/** Where the texts of the fullest rows leave no gap is a column; a heading over several columns is not one of them. */
function findColumns(rows: readonly TextRow[]): Column[] {
  const most = Math.max(...rows.map(({ chunks }) => chunks.length))
  const full = rows.filter(({ chunks }) => chunks.length >= Math.max(2, most * 0.6))
  const tolerated = full.length >= 10 ? Math.floor(full.length * 0.08) : 0
  const edges = full
    .flatMap(({ chunks }) =>
      chunks.flatMap(({ box }) => [
        { x: box[0], step: 1 },
        { x: box[2], step: -1 },
      ]),
    )
    .sort((a, b) => a.x - b.x || a.step - b.step)
  const columns: Column[] = []
  let covering = 0
  for (const { x, step } of edges) {
    const before = covering
    covering += step
    if (before <= tolerated && covering > tolerated) columns.push({ left: x, right: x })
    if (before > tolerated && covering <= tolerated) columns.at(-1)!.right = x
  }
  return columns
}

function isTable(rows: readonly TextRow[], columns: readonly Column[]): boolean {
  if (columns.length < 2) return false
  const wide = rows.filter(({ chunks }) => chunks.length > 1)
  const texts = columns.map(column => listTexts(wide, column))
  if (isRunningText(texts)) return false
  const filled = texts.reduce((sum, list) => sum + list.length, 0) / (wide.length * columns.length)
  if (filled < MIN_FILLED) return false
  if (columns.length > 2) return wide.length >= 2
  // Two columns may also be labels and values, or addresses side by side.
  const isLabelled = texts[0]!.filter(text => text.endsWith(':')).length > texts[0]!.length / 3
  const numbers = texts[1]!.filter(text => /\d/.test(text) && !/\p{L}{4}/u.test(text)).length
  return !isLabelled && wide.length >= 3 && numbers >= texts[1]!.length * 0.5
}

/** Columns of running text. What else stands there is a part of its lines. */
function isRunningText(texts: readonly (readonly string[])[]): boolean {
  const lengths = texts.map(list => list.reduce((sum, text) => sum + text.length, 0))
  const long = lengths.filter((length, index) => length > PROSE_CHARACTERS * texts[index]!.length)
  const total = (list: readonly number[]) => list.reduce((sum, length) => sum + length, 0)
  return long.length > 1 && total(long) > 0.85 * total(lengths)
}

function listTexts(rows: readonly TextRow[], column: Column): string[] {
  return rows.flatMap(({ chunks }) =>
    chunks.filter(({ box }) => overlap(box, column) > 0).map(({ words }) => joinText(words)),
  )
}

function overlap(box: Rect, { left, right }: Column): number {
  return Math.min(box[2], right) - Math.max(box[0], left)
}

function buildTable(rows: readonly TextRow[], columns: readonly Column[]): FoundTable {
  const lines = joinContinuations(rows, columns)
  const borders = columns.map(({ left }, index) => (index === 0 ? left : (columns[index - 1]!.right + left) / 2))
  borders.push(columns.at(-1)!.right)
  const cells = lines.flatMap((line, r) => {
    const box = boundingBox(line.map(row => row.box))
    return buildCells(
      line.flatMap(({ chunks }) => chunks),
      columns,
    ).map(({ c, colSpan, words }): FoundCell => {
      const sides: Rect = [borders[c]!, box[1], borders[c + colSpan]!, box[3]]
      return { r, c, rowSpan: 1, colSpan, words, box: sides }
    })
  })
  const box = boundingBox(rows.map(row => row.box))
  return { method: 'stream', box, rows: lines.length, cols: columns.length, cells }
}

/** A row without a text in the first column that is close below another continues the cells of it. */
function joinContinuations(rows: readonly TextRow[], columns: readonly Column[]): TextRow[][] {
  const { gaps, usual } = measureGaps(rows)
  const lines: TextRow[][] = []
  for (const [index, row] of rows.entries()) {
    const gap = gaps[index - 1] ?? Infinity
    const startsFirst = row.chunks.some(({ box }) => overlap(box, columns[0]!) > 0)
    const isSparse = row.chunks.length <= columns.length / 2
    const isClose = gap < Math.max(usual * 1.2, 0.3 * row.size)
    const isTight = gap < usual * 0.55 && gap < 0.4 * row.size
    const mayContinue = (!startsFirst && isSparse && isClose) || (isSparse && isTight)
    if (index > 0 && mayContinue && !repeatsAmount(row, rows[index - 1]!)) lines.at(-1)!.push(row)
    else lines.push([row])
  }
  return lines
}

const AMOUNT = /^[^\d\p{L}]*(?:\p{Lu}{3} ?)?[\d.,'\s]*\d[.,]\d{2}[^\d\p{L}]*(?:\p{Lu}{3})?$/u

/** An amount below another one, as in totals, is no second line of that one. */
function repeatsAmount(row: TextRow, above: TextRow): boolean {
  const [last, other] = [row.chunks.at(-1)!, above.chunks.at(-1)!]
  const isAmount = ({ words }: Chunk) => AMOUNT.test(joinText(words))
  const isBelow = Math.abs(last.box[2] - other.box[2]) < 0.5 * row.size
  return isBelow && row.chunks.length > 1 && isAmount(last) && isAmount(other)
}

interface PlacedText {
  c: number
  colSpan: number
  words: TableWord[]
}

function buildCells(chunks: readonly Chunk[], columns: readonly Column[]): PlacedText[] {
  const cells: PlacedText[] = []
  for (const { box, words } of chunks) {
    const shares = columns.map(column => overlap(box, column) / Math.max(1, column.right - column.left))
    const best = shares.indexOf(Math.max(...shares))
    const covered = shares.flatMap((share, index) => (share > 0.5 || index === best ? [index] : []))
    const [c, last] = [covered[0]!, covered.at(-1)!]
    const taken = cells.find(cell => c < cell.c + cell.colSpan && last >= cell.c)
    if (taken) {
      const end = Math.max(taken.c + taken.colSpan, last + 1)
      taken.c = Math.min(taken.c, c)
      taken.colSpan = end - taken.c
      taken.words.push(...words)
    } else cells.push({ c, colSpan: last - c + 1, words: [...words] })
  }
  return cells.sort((a, b) => a.c - b.c)
}
