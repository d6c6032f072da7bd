import type { DocumentPage } from '../document/page.ts'
import type { Rect } from '../geometry/rect.ts'
import { findRightToLeft, orderForReading } from '../words/direction.ts'
import type { Found } from './model.ts'

export type Word = DocumentPage['lines'][number]['words'][number]

/** Words that stand together in a row. */
export interface Segment {
  text: string
  words: Word[]
  box: Rect
}

export interface Row {
  segments: Segment[]
  text: string
  words: Word[]
  top: number
  bottom: number
}

/** A gap as wide as this many heights of a line separates segments. */
const SEGMENT_GAP = 1.3

/** The rows of a page from top to bottom, each from left to right, whatever order the words were read in. */
export function buildRows(page: DocumentPage): Row[] {
  const words = page.lines.flatMap(line => (line.words.length > 0 ? line.words : [line]))
  const sorted = [...words].sort((one, other) => centerOf(one) - centerOf(other))
  const groups: Word[][] = []
  for (const word of sorted) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    // A large name beside two small lines belongs to neither.
    const height = last ? Math.min(heightOf(last), heightOf(word)) : 0
    if (group && last && centerOf(word) - centerOf(last) < height * 0.45) group.push(word)
    else groups.push([word])
  }
  return groups.map(group => buildRow(group.sort((one, other) => one.box[0] - other.box[0])))
}

function buildRow(words: Word[]): Row {
  const height = Math.max(...words.map(heightOf))
  const parts: Word[][] = []
  for (const word of words) {
    const last = parts.at(-1)
    if (last && word.box[0] - last.at(-1)!.box[2] < height * SEGMENT_GAP) last.push(word)
    else parts.push([word])
  }
  const segments = parts.map(buildSegment)
  const [, top, , bottom] = boundWords(words)
  return { segments, text: joinWords(words), words, top, bottom }
}

function buildSegment(words: Word[]): Segment {
  return { text: joinWords(words), words, box: boundWords(words) }
}

export function joinWords(words: readonly Word[]): string {
  return orderWords(words)
    .map(({ text }) => text)
    .join(' ')
}

function orderWords(words: readonly Word[]): Word[] {
  return orderForReading(words, findRightToLeft(words.map(({ text }) => text)) === true)
}

function boundWords(words: readonly Word[]): Rect {
  return [
    Math.min(...words.map(({ box }) => box[0])),
    Math.min(...words.map(({ box }) => box[1])),
    Math.max(...words.map(({ box }) => box[2])),
    Math.max(...words.map(({ box }) => box[3])),
  ]
}

function centerOf({ box: [, top, , bottom] }: Word): number {
  return (top + bottom) / 2
}

export function heightOf({ box: [, top, , bottom] }: Pick<Word, 'box'>): number {
  return bottom - top
}

export function overlaps([left, , right]: Rect, [otherLeft, , otherRight]: Rect): boolean {
  return left < otherRight && otherLeft < right
}

/** A value as it was found among words: with their place, and no surer than they were read. */
export function placeValue(
  value: string,
  {
    raw,
    words,
    certainty,
    source,
  }: { raw: string; words: readonly Word[]; certainty: number; source: Found['source'] },
): Found {
  const text = joinWords(words)
  const at = Math.max(0, text.indexOf(raw))
  let position = 0
  const covered = orderWords(words).filter(word => {
    const start = position
    position += word.text.length + 1
    return start < at + raw.length && position - 1 > at
  })
  const used = covered.length > 0 ? covered : words
  const read = used.reduce((sum, { confidence }) => sum + confidence, 0) / used.length
  return { value, raw, confidence: Math.round(read * certainty * 1000) / 1000, source, box: boundWords(used) }
}
