import type { Row } from './paper-rows.ts'
import type { Part, Span } from './paper-spans.ts'
import { type Table, tableLength, tableOf } from './paper-tables.ts'

export type Block =
  | { kind: 'heading'; level: number; parts: Part[] }
  | { kind: 'paragraph'; parts: Part[] }
  | { kind: 'item'; depth: number; mark: string; parts: Part[] }
  | { kind: 'code'; lines: string[] }
  | { kind: 'table'; table: Table }

export interface Measures {
  /** The size most of the text has. */
  body: number
  /** Sizes of headings, the largest first. */
  headings: number[]
}

/** Headings, paragraphs, lists, code and tables of one column. */
export function blocksOf(rows: readonly Row[], measures: Measures): Block[] {
  const blocks: Block[] = []
  const margin = Math.min(...rows.map(({ left }) => left))
  let at = 0
  while (at < rows.length) {
    const length = tableLength(rows, at)
    if (length > 0) {
      blocks.push({ kind: 'table', table: tableOf(rows.slice(at, at + length)) })
      at += length
    } else {
      add(blocks, rows, at, { ...measures, margin })
      at += 1
    }
  }
  return blocks
}

const BULLET = /^\s*([•◦▪▸‣●○■□–—*·-])\s+(?=\S)/u
const NUMBER = /^\s*\(?((?:\d{1,3}|[a-zA-Z]|[ivx]{1,4}))[.)]\s+(?=\S)/u
const INDENT = 14

function add(blocks: Block[], rows: readonly Row[], at: number, measures: Measures & { margin: number }): void {
  const row = rows[at]!
  const span = wholeOf(row)
  const before = rows[at - 1]
  const last = blocks.at(-1)
  const isNear = before !== undefined && row.top - before.bottom < 0.75 * Math.min(row.size, before.size)
  const level = headingLevel(row, span, measures)
  const mark = markOf(span)
  if (span.isMono && level === 0) addCode(blocks, row, span, measures.margin)
  else if (level > 0) addHeading(blocks, level, span, isNear && before!.size === row.size)
  else if (mark) {
    const depth = Math.max(0, Math.round((row.left - measures.margin) / INDENT))
    blocks.push({ kind: 'item', depth, mark: mark.shown, parts: withoutStart(span.parts, mark.length) })
  } else if (last && isNear && goesOn(last, row, before!)) last.parts = continued(last.parts, span.parts)
  else blocks.push({ kind: 'paragraph', parts: span.parts })
}

type Running = Extract<Block, { kind: 'paragraph' | 'item' }>

/** A line goes on with what is before it unless it is set in or the line before ends early with a full stop. */
function goesOn(last: Block, row: Row, before: Row): last is Running {
  if (last.kind === 'item') return row.left > before.left - 2
  if (last.kind !== 'paragraph' || Math.abs(row.size - before.size) > 1) return false
  const isSetIn = row.left - before.left > row.size * 0.8
  const endsEarly = /[.!?:]["'”’)]?$/.test(wholeOf(before).text.trim()) && before.right < row.right - row.size * 6
  return !isSetIn && !endsEarly
}

function addCode(blocks: Block[], row: Row, { text }: Span, margin: number): void {
  const letter = row.size * 0.6
  const line = ' '.repeat(Math.max(0, Math.round((row.left - margin) / letter))) + text.trimEnd()
  const last = blocks.at(-1)
  if (last?.kind === 'code') last.lines.push(line)
  else blocks.push({ kind: 'code', lines: [line] })
}

function addHeading(blocks: Block[], level: number, { parts }: Span, isNear: boolean): void {
  const last = blocks.at(-1)
  if (last?.kind === 'heading' && last.level === level && isNear) last.parts = continued(last.parts, parts)
  else blocks.push({ kind: 'heading', level, parts })
}

const LONGEST_HEADING = 150

/** By its size; a short bold line of the size of the text heads something too. */
function headingLevel({ cells, size }: Row, { text, parts, isMono }: Span, { body, headings }: Measures): number {
  if (text.length > LONGEST_HEADING || !/[\p{L}\p{N}]/u.test(text) || cells.length > 1 || isMono) return 0
  const found = headings.findIndex(heading => Math.abs(heading - size) < 0.6)
  if (found >= 0) return Math.min(6, found + 1)
  const isBold = parts.every(part => part.bold || part.text.trim() === '')
  const isTitle = isBold && text.length < 80 && !/[.,;:]$/.test(text.trim()) && Math.abs(size - body) < 1
  return isTitle && !BULLET.test(text) ? Math.min(6, headings.length + 1) : 0
}

function markOf({ text }: Span): { shown: string; length: number } | undefined {
  const bullet = BULLET.exec(text)
  if (bullet) return { shown: '-', length: bullet[0].length }
  const number = NUMBER.exec(text)
  if (!number) return undefined
  return { shown: /^\d/.test(number[1]!) ? `${number[1]}.` : `- ${number[0].trim()}`, length: number[0].length }
}

function withoutStart(parts: readonly Part[], length: number): Part[] {
  let left = length
  return parts.flatMap(part => {
    const cut = Math.min(left, part.text.length)
    left -= cut
    const text = part.text.slice(cut)
    return text === '' ? [] : [{ ...part, text }]
  })
}

export function wholeOf({ cells }: Row): Span {
  if (cells.length === 1) return cells[0]!
  const parts = cells.flatMap((cell, index) =>
    index === 0 ? cell.parts : [{ ...cell.parts[0]!, text: ' ' }, ...cell.parts],
  )
  return { ...cells[0]!, parts, text: parts.map(({ text }) => text).join(''), isMono: cells.every(cell => cell.isMono) }
}

/** One line after the other; a word divided at the end of a line is whole again. */
export function continued(before: readonly Part[], next: readonly Part[]): Part[] {
  const last = before.at(-1)
  const first = next[0]
  if (!last || !first) return [...before, ...next]
  const isDivided = /\p{L}[-\u2010]$/u.test(last.text.trimEnd()) && /^\p{Ll}/u.test(first.text)
  const text = isDivided
    ? last.text.trimEnd().slice(0, -1)
    : `${last.text.trimEnd()}${isUnspaced(last.text, first.text) ? '' : ' '}`
  return [...before.slice(0, -1), { ...last, text }, { ...first, text: first.text.trimStart() }, ...next.slice(1)]
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、-〟]/u

/** Chinese and Japanese lines follow each other without a space. */
function isUnspaced(before: string, after: string): boolean {
  return UNSPACED.test(before.trimEnd().at(-1) ?? '') && UNSPACED.test(after.trimStart()[0] ?? '')
}
