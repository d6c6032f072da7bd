import { continuesHeading } from './heading-lines.ts'
import { endOf, type Row, startOf } from './rows.ts'
import type { Span, TextRun } from './spans.ts'
import type { TaggedText } from './structure.ts'
import { buildTable, measureTable, type Table } from './tables.ts'
import { divideIntoCells } from './tagged-cells.ts'
import type { TaggedRows } from './tagged-rows.ts'

export type Block =
  | { kind: 'heading'; level: number; runs: TextRun[] }
  | { kind: 'paragraph'; runs: TextRun[] }
  | { kind: 'item'; depth: number; marker: string; runs: TextRun[] }
  | { kind: 'code'; lines: string[] }
  | { kind: 'table'; table: Table; tag?: number }

export interface FontSizes {
  /** The size of most of the text. */
  body: number
  /** Sizes of headings, largest first. */
  headings: number[]
}

/** Finds the headings, paragraphs, lists, code and tables of one column. */
export function buildBlocks(rows: readonly Row[], fontSizes: FontSizes, tagged: TaggedRows): Block[] {
  const blocks: Block[] = []
  const margin = Math.min(...rows.map(startOf))
  const end = Math.max(...rows.map(endOf))
  let index = 0
  while (index < rows.length) {
    const known = tagged.take(rows, index)
    const length = known?.length ?? measureTable(rows, index)
    if (known) addTagged(blocks, known.text, rows.slice(index, index + length))
    else if (length > 0) blocks.push({ kind: 'table', table: buildTable(rows.slice(index, index + length)) })
    else addRow(blocks, rows, index, { ...fontSizes, margin, end })
    index += Math.max(1, length)
  }
  return blocks
}

function addTagged(blocks: Block[], text: TaggedText, rows: readonly Row[]): void {
  const lines = rows.map(row => joinCells(row).runs)
  if (text.kind === 'row') {
    addTaggedRow(blocks, text.table, divideIntoCells(lines, text.cells))
    return
  }
  const runs = lines.reduce((before, next) => joinLines(before, next))
  if (text.kind === 'heading') blocks.push({ kind: 'heading', level: text.level, runs })
  else {
    // A browser draws the marker of an unordered list as a shape, not as text.
    const marker = readListMarker(joinCells(rows[0]!)) ?? { text: '-', length: 0 }
    blocks.push({ kind: 'item', depth: text.depth, marker: marker.text, runs: dropStart(runs, marker.length) })
  }
}

function addTaggedRow(blocks: Block[], tag: number, row: Table['rows'][number]): void {
  const last = blocks.at(-1)
  if (last?.kind === 'table' && last.tag === tag) last.table.rows.push(row)
  else blocks.push({ kind: 'table', table: { rows: [row] }, tag })
}

/** Word draws its bullets with fonts of symbols, whose glyphs are private characters. */
const BULLET = /^\s*([•◦▪▸‣●○■□–—*·\uf0a7\uf0b7\uf0d8\uf0fc-])\s+(?=\S)/u
const NUMBER = /^\s*\(?((?:\d{1,3}|[a-zA-Z]|[ivx]{1,4}))[.)]\s+(?=\S)/u
const INDENT = 14

type Column = FontSizes & { margin: number; end: number }

function addRow(blocks: Block[], rows: readonly Row[], index: number, fontSizes: Column): void {
  const row = rows[index]!
  const span = joinCells(row)
  const before = rows[index - 1]
  const last = blocks.at(-1)
  const isNear = before !== undefined && row.top - before.bottom < 0.75 * Math.min(row.size, before.size)
  const level = headingLevel(row, span, fontSizes)
  const marker = readListMarker(span)
  if (span.isMono && level === 0) addCode(blocks, row, span, fontSizes.margin)
  else if (level > 0) addHeading(blocks, level, span, isNear && isSameHeading(before, row, fontSizes.end))
  else if (marker) {
    const depth = Math.max(0, Math.round((startOf(row) - fontSizes.margin) / INDENT))
    blocks.push({ kind: 'item', depth, marker: marker.text, runs: dropStart(span.runs, marker.length) })
  } else if (last && isNear && isContinuation(last, row, before!)) last.runs = joinLines(last.runs, span.runs)
  else blocks.push({ kind: 'paragraph', runs: span.runs })
}

type TextBlock = Extract<Block, { kind: 'paragraph' | 'item' }>

/** A line continues a paragraph unless it is indented, or the line before is short and ends a sentence. */
function isContinuation(last: Block, row: Row, before: Row): last is TextBlock {
  if (last.kind === 'item') return startOf(row) > startOf(before) - 2
  if (last.kind !== 'paragraph' || Math.abs(row.size - before.size) > 1) return false
  const isIndented = startOf(row) - startOf(before) > row.size * 0.8
  const endsEarly = /[.!?:]["'”’)]?$/.test(joinCells(before).text.trim()) && endOf(before) < endOf(row) - row.size * 6
  return !isIndented && !endsEarly
}

function addCode(blocks: Block[], row: Row, { text }: Span, margin: number): void {
  const characterWidth = row.size * 0.6
  const line = ' '.repeat(Math.max(0, Math.round((row.left - margin) / characterWidth))) + text.trimEnd()
  const last = blocks.at(-1)
  if (last?.kind === 'code') last.lines.push(line)
  else blocks.push({ kind: 'code', lines: [line] })
}

function isSameHeading(before: Row, row: Row, end: number): boolean {
  const lineOf = (each: Row) => ({ row: each, text: joinCells(each).text })
  return before.size === row.size && continuesHeading(lineOf(before), lineOf(row), end)
}

function addHeading(blocks: Block[], level: number, { runs }: Span, isSame: boolean): void {
  const last = blocks.at(-1)
  if (last?.kind === 'heading' && last.level === level && isSame) last.runs = joinLines(last.runs, runs)
  else blocks.push({ kind: 'heading', level, runs })
}

const MAX_HEADING_LENGTH = 150

/** The level follows from the font size. A short bold line of body size is a heading too. */
function headingLevel({ cells, size }: Row, { text, runs, isMono }: Span, { body, headings }: FontSizes): number {
  if (text.length > MAX_HEADING_LENGTH || !/[\p{L}\p{N}]/u.test(text) || cells.length > 1 || isMono) return 0
  const sizeIndex = headings.findIndex(heading => Math.abs(heading - size) < 0.6)
  if (sizeIndex >= 0) return Math.min(6, sizeIndex + 1)
  const isBold = runs.every(run => run.bold || run.text.trim() === '')
  const isTitle = isBold && text.length < 80 && !/[.,;:]$/.test(text.trim()) && Math.abs(size - body) < 1
  return isTitle && !BULLET.test(text) ? Math.min(6, headings.length + 1) : 0
}

function readListMarker({ text }: Span): { text: string; length: number } | undefined {
  const bullet = BULLET.exec(text)
  if (bullet) return { text: '-', length: bullet[0].length }
  const number = NUMBER.exec(text)
  if (!number) return undefined
  return { text: /^\d/.test(number[1]!) ? `${number[1]}.` : `- ${number[0].trim()}`, length: number[0].length }
}

function dropStart(runs: readonly TextRun[], length: number): TextRun[] {
  let remaining = length
  return runs.flatMap(run => {
    const cut = Math.min(remaining, run.text.length)
    remaining -= cut
    const text = run.text.slice(cut)
    return text === '' ? [] : [{ ...run, text }]
  })
}

function joinCells({ cells }: Row): Span {
  if (cells.length === 1) return cells[0]!
  const runs = cells.flatMap((cell, index) =>
    index === 0 ? cell.runs : [{ ...cell.runs[0]!, text: ' ' }, ...cell.runs],
  )
  return {
    ...cells[0]!,
    runs,
    text: runs.map(({ text }) => text).join(''),
    isMono: cells.every(cell => cell.isMono),
  }
}

/** Joins two lines, and the halves of a word hyphenated at the end of the first. */
function joinLines(before: readonly TextRun[], next: readonly TextRun[]): TextRun[] {
  const last = before.at(-1)
  const first = next[0]
  if (!last || !first) return [...before, ...next]
  const isHyphenated = /\p{L}[-\u2010]$/u.test(last.text.trimEnd()) && /^\p{Ll}/u.test(first.text)
  const text = isHyphenated
    ? last.text.trimEnd().slice(0, -1)
    : `${last.text.trimEnd()}${isUnspaced(last.text, first.text) ? '' : ' '}`
  return [...before.slice(0, -1), { ...last, text }, { ...first, text: first.text.trimStart() }, ...next.slice(1)]
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、-〟]/u

/** Chinese and Japanese lines are joined without a space. */
function isUnspaced(before: string, after: string): boolean {
  return UNSPACED.test(before.trimEnd().at(-1) ?? '') && UNSPACED.test(after.trimStart()[0] ?? '')
}
