import type { PageLine } from '../../formats/document/page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import { boundingBox, sharesRow, type TableWord } from './table.ts'

/** Words that stand together, with a wide gap to the next. */
export interface Chunk {
  words: TableWord[]
  box: Rect
}

/** What stands at one height of a page, from left to right. */
export interface TextRow {
  chunks: Chunk[]
  box: Rect
  /** The height of most of its words. */
  size: number
}

/** The gap between columns, in heights of the text. Between words it is about a quarter. */
const COLUMN_GAP = 0.4
/** The boxes of OCR end where the letters end, so the tallest word of a line is measured. */
const OCR_HEIGHT = 1.4
/** What OCR reads where a line was. */
const LINE_REMAINS = /^[|¦[\]_]+$/

export function listWords(lines: readonly PageLine[], source: 'text-layer' | 'ocr'): TableWord[] {
  return lines.flatMap(({ words }, line) => {
    const heightOf = ({ box: [, top, , bottom] }: { box: Rect }) => bottom - top
    const tallest = Math.max(...words.map(heightOf)) * OCR_HEIGHT
    return words
      .filter(({ text }) => text.trim() !== '' && !(source === 'ocr' && LINE_REMAINS.test(text)))
      .map(word => ({ ...word, line, height: source === 'ocr' ? tallest : heightOf(word) }))
  })
}

/** Groups words at the same height. */
export function groupRows(words: readonly TableWord[]): TextRow[] {
  const rows: { words: TableWord[]; box: Rect }[] = []
  for (const word of [...words].sort((a, b) => a.box[1] + a.box[3] - b.box[1] - b.box[3])) {
    const row = rows.slice(-3).findLast(({ box }) => sharesRow(box, word.box))
    if (!row) rows.push({ words: [word], box: word.box })
    else {
      row.words.push(word)
      row.box = boundingBox([row.box, word.box])
    }
  }
  return rows.sort((a, b) => a.box[1] - b.box[1]).map(({ words: found, box }) => buildRow(found, box))
}

function buildRow(words: TableWord[], box: Rect): TextRow {
  const heights = words.map(({ height }) => height).sort((a, b) => a - b)
  const size = heights[Math.floor(heights.length / 2)]!
  const chunks: Chunk[] = []
  for (const word of words.sort((a, b) => a.box[0] - b.box[0])) {
    const last = chunks.at(-1)
    if (last && word.box[0] - last.box[2] < COLUMN_GAP * size) {
      last.words.push(word)
      last.box = boundingBox([last.box, word.box])
    } else chunks.push({ words: [word], box: word.box })
  }
  return { chunks, box, size }
}
