import type { Rect } from '../geometry/rect.ts'
import { buildLine } from './line.ts'

interface Word {
  text: string
  confidence: number
  box: Rect
}

interface Line extends Word {
  words: Word[]
}

type Span = readonly [left: number, right: number]

/** In heights of a line. */
const MIN_GUTTER = 1.2
const MAX_PITCH = 2.5
const MAX_INDENT = 3
/** In distances of the lines above, for the lines of the longer column that follow the last of the other. */
const MAX_REST_PITCH = 1.25
const MIN_LINES = 3
const MIN_WORDS_PER_LINE = 2.5
const MIN_FILLED = 0.6
const MIN_CONTINUED = 0.5

/**
 * Reads two paragraphs that stand side by side one after the other, where they were read across. Tables, forms and lists
 * stay as they are: their cells are no running text.
 */
export function separateColumns<Recognized extends { text: string; lines: Line[] }>(page: Recognized): Recognized {
  const lines: Line[] = []
  const texts: string[] = []
  const shown = listShownLines(page)
  let hasColumns = false
  for (let at = 0; at < page.lines.length; ) {
    const { end, gutter } = findGutter(page.lines, at)
    const columns = gutter && splitAt(page.lines.slice(at, end), gutter)
    if (columns?.every(isRunningText)) {
      hasColumns = true
      for (const column of columns) {
        lines.push(...column)
        texts.push(...column.map(({ text }) => `${text}\n`), '\n')
      }
      at = end
    } else {
      lines.push(page.lines[at]!)
      texts.push(shown[at]!)
      at += 1
    }
  }
  return hasColumns
    ? {
        ...page,
        lines,
        text: texts
          .join('')
          .replaceAll(/\n{3,}/g, '\n\n')
          .trim(),
      }
    : page
}

/** The text of each line with the empty lines after it, which end a paragraph. */
function listShownLines({ text, lines }: { text: string; lines: readonly Line[] }): string[] {
  const shown = `${text}\n`.match(/[^\n]+\n+/g) ?? []
  return shown.length === lines.length ? shown : lines.map(line => `${line.text}\n`)
}

/** The lines from `start` that all have one gap at one place; none if it may be one of several, as in a table. */
function findGutter(lines: readonly Line[], start: number): { end: number; gutter?: Span } {
  const first = lines[start]!
  const width = MIN_GUTTER * heightOf(first)
  const reaches = listGaps(first)
    .filter(([left, right]) => right - left >= width)
    .map(gap => followGap(lines, start, gap, width))
    .filter(({ end }) => end - start >= MIN_LINES)
  if (reaches.length !== 1) return { end: start }
  const { end, gutter } = reaches[0]!
  return { end: followRest(lines, start, end, gutter), gutter }
}

function followGap(lines: readonly Line[], start: number, gap: Span, width: number): { end: number; gutter: Span } {
  let gutter = gap
  let end = start + 1
  while (end < lines.length && isNext(lines[end - 1]!, lines[end]!)) {
    const shared = listGaps(lines[end]!)
      .map(([left, right]): Span => [Math.max(left, gutter[0]), Math.min(right, gutter[1])])
      .find(([left, right]) => right - left >= width)
    if (!shared) break
    gutter = shared
    end += 1
  }
  return { end, gutter }
}

function followRest(lines: readonly Line[], start: number, end: number, [left, right]: Span): number {
  const topOf = (index: number) => lines[index]!.box[1]
  const pitch = (topOf(end - 1) - topOf(start)) / (end - 1 - start)
  const [columnLeft, columnRight] = [
    lines[start]!.box[0],
    lines[start]!.words.find(({ box }) => box[0] >= right)!.box[0],
  ]
  let next = end
  while (next < lines.length) {
    const { box } = lines[next]!
    const isOfLeft = box[2] <= left + (right - left) / 2 && Math.abs(box[0] - columnLeft) <= right - left
    const isOfRight = Math.abs(box[0] - columnRight) <= (right - left) / 2
    const distance = topOf(next) - topOf(next - 1)
    if (!(isOfLeft || isOfRight) || distance <= 0 || distance > MAX_REST_PITCH * pitch) return next
    next += 1
  }
  return next
}

function isNext(before: Line, line: Line): boolean {
  const pitch = line.box[1] - before.box[1]
  return pitch > 0 && pitch <= MAX_PITCH * heightOf(before)
}

function heightOf({ box: [, top, , bottom] }: Line): number {
  return bottom - top
}

function listGaps({ words }: Line): Span[] {
  return words.slice(1).map(({ box }, index): Span => [words[index]!.box[2], box[0]])
}

function splitAt(lines: readonly Line[], [, right]: Span): [Line[], Line[]] {
  const take = (isTaken: (word: Word) => boolean) =>
    lines
      .map(({ words }) => words.filter(isTaken))
      .filter(words => words.length > 0)
      .map(buildLine)
  return [take(({ box }) => box[0] < right), take(({ box }) => box[0] >= right)]
}

/** Its lines begin at one edge, reach the other, and go on in the middle of a sentence, of which there are several words. */
function isRunningText(column: readonly Line[]): boolean {
  const [lefts, rights] = [column.map(({ box }) => box[0]), column.map(({ box }) => box[2])]
  const [left, width] = [Math.min(...lefts), Math.max(...rights) - Math.min(...lefts)]
  const words = column.flatMap(line => line.words)
  const isAligned = Math.max(...lefts) - left <= MAX_INDENT * heightOf(column[0]!)
  const isFilled = rights.slice(0, -1).every(right => right - left >= MIN_FILLED * width)
  const continued = column.slice(1).filter(({ text }) => /^\p{Ll}/u.test(text)).length
  return (
    isAligned &&
    isFilled &&
    words.length >= MIN_WORDS_PER_LINE * column.length &&
    continued >= MIN_CONTINUED * (column.length - 1) &&
    column.some(({ text }) => /\p{L}[.,;!?](?:\s|$)/u.test(text)) &&
    !column.some(({ text }) => text.endsWith(':'))
  )
}
