import type { Rect } from '../../formats/geometry/rect.ts'
import { findDecimalMark, parseLocalNumber } from '../../formats/numbers/locale.ts'
import { type FoundCell, type FoundTable, joinText, type TableMethod } from './table.ts'

export interface PageTableCell {
  r: number
  c: number
  rowSpan: number
  colSpan: number
  text: string
  confidence: number
  box: Rect
  /** What the text shows, if it is a number and numbers were asked for. */
  number?: number
}

export interface PageTable {
  method: TableMethod
  box: Rect
  rows: number
  cols: number
  headerRows: number
  caption?: string
  cells: PageTableCell[]
}

export interface TableOptions {
  header: 'auto' | 'first-row' | 'none'
  /** A cell over several rows or columns: kept, or its text in each of its places, or in the first of them only. */
  merge: 'repeat' | 'blank' | 'span'
  numbers: 'keep' | 'parse'
}

/** A table as it is answered, with a cell for every place. */
export function presentTable(found: FoundTable, { header, merge, numbers }: TableOptions): PageTable {
  const { method, box, rows, cols, caption } = found
  const filled = fillGaps(found)
  const headerRows = { auto: countHeaderRows(filled, rows), 'first-row': 1, none: 0 }[header]
  const cells = merge === 'span' ? filled : filled.flatMap(cell => splitCell(cell, merge === 'repeat'))
  const numbered = numbers === 'parse' ? addNumbers(cells) : cells
  const sorted = numbered.sort((a, b) => a.r - b.r || a.c - b.c)
  return { method, box, rows, cols, headerRows, ...(caption !== undefined && { caption }), cells: sorted }
}

function toCell({ r, c, rowSpan, colSpan, words, box }: FoundCell): PageTableCell {
  const mean = words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length)
  const confidence = words.length === 0 ? 1 : Math.round(mean * 1000) / 1000
  return { r, c, rowSpan, colSpan, text: joinText(words), confidence, box }
}

/** Adds empty cells where there is none. Their sides are those of their neighbours. */
function fillGaps({ cells, rows, cols, box }: FoundTable): PageTableCell[] {
  const covered = new Set(cells.flatMap(placesOf).map(({ r, c }) => r * cols + c))
  const rowSides = findSides(cells.map(({ r, rowSpan, box: [, top, , bottom] }) => [r, rowSpan, top, bottom]))
  const colSides = findSides(cells.map(({ c, colSpan, box: [left, , right] }) => [c, colSpan, left, right]))
  const filled = cells.map(toCell)
  for (let r = 0; r < rows; r += 1)
    for (let c = 0; c < cols; c += 1) {
      if (covered.has(r * cols + c)) continue
      const [top, bottom] = rowSides.get(r) ?? [box[1], box[3]]
      const [left, right] = colSides.get(c) ?? [box[0], box[2]]
      filled.push({ r, c, rowSpan: 1, colSpan: 1, text: '', confidence: 1, box: [left, top, right, bottom] })
    }
  return filled
}

function findSides(spans: readonly (readonly [at: number, span: number, from: number, to: number])[]) {
  return new Map(spans.flatMap(([at, span, from, to]) => (span === 1 ? [[at, [from, to] as const] as const] : [])))
}

function placesOf({ r, c, rowSpan, colSpan }: Pick<FoundCell, 'r' | 'c' | 'rowSpan' | 'colSpan'>) {
  return Array.from({ length: rowSpan * colSpan }, (_, index) => ({
    r: r + Math.floor(index / colSpan),
    c: c + (index % colSpan),
  }))
}

function splitCell(cell: PageTableCell, repeats: boolean): PageTableCell[] {
  return placesOf(cell).map((place, index) => {
    const text = repeats || index === 0 ? cell.text : ''
    return { ...cell, ...place, rowSpan: 1, colSpan: 1, text }
  })
}

function addNumbers(cells: readonly PageTableCell[]): PageTableCell[] {
  const decimal = findDecimalMark(cells.map(({ text }) => text))
  return cells.map(cell => {
    const number = parseLocalNumber(cell.text, decimal)
    return number === undefined ? cell : { ...cell, number: Number(number) }
  })
}

const NUMERIC = /^[-+(\p{Sc}\s]*\d[\d.,'\s%)–-]*[\p{Sc}]?$/u

/**
 * The rows above the first row of values. The first row is one if its texts are words and the rows below have numbers in
 * the same columns, or if all of its columns are filled and every text is a word. A heading over several columns has
 * another row of headings below it.
 */
function countHeaderRows(cells: readonly PageTableCell[], rows: number): number {
  if (rows < 2) return 0
  const rowOf = (r: number) => cells.filter(cell => cell.r === r)
  const isWords = (r: number) => rowOf(r).every(({ text }) => !NUMERIC.test(text) || /^(?:19|20)\d\d$/.test(text))
  const [first] = [rowOf(0)]
  if (!isWords(0) || first.every(({ text }) => text === '')) return 0
  const hasGroups = first.some(({ colSpan, text }) => colSpan > 1 && text !== '')
  const isTitle = first.filter(({ text }) => text !== '').length === 1
  if (hasGroups || isTitle) return rows > 2 && isWords(1) ? 2 : 1
  const below = cells.filter(({ r, text }) => r > 0 && text !== '')
  const hasNumbers = below.some(({ text }) => NUMERIC.test(text))
  const deep = Math.max(...first.map(({ rowSpan }) => rowSpan))
  if (deep > 1 && deep < rows) return deep
  const isFull = first.every(({ text }, index) => text !== '' || index === 0)
  return hasNumbers || isFull ? 1 : 0
}
