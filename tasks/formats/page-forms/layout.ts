import { boundingBox, joinText, sharesRow, type TableWord } from '../../engines/page-tables/table.ts'
import { groupRows, listWords, type TextRow } from '../../engines/page-tables/text-rows.ts'
import type { DocumentPage } from '../document/page.ts'
import type { Rect } from '../geometry/rect.ts'
import { findChecks } from './checks.ts'
import { type FormField, typeOfValue } from './field.ts'

interface Label {
  words: TableWord[]
  box: Rect
  size: number
}

const MAX_LABEL = 80
const SIGNATURE = /\b(?:signature|signed|sign here|unterschrift|firma|assinatura|handtekening|podpis)\b/i
const BLANK = /^[_.…·\s]+$/

/**
 * Reads the labels and values of a page: after a colon, on or above a line that begins after the label, or below the
 * label. A label without a value has the value "".
 */
export function readFormFields(page: DocumentPage): FormField[] {
  const words = listWords(page.lines, page.source)
  const { checks, used } = findChecks(page, words)
  const rows = groupRows(words.filter(word => !used.has(word)))
  const lines = page.rulings?.horizontal ?? []
  const taken = new Set<TableWord>()
  const fields: FormField[] = []
  const labelled = rows.map(row => ({ ...row, labels: listLabels(row, lines) }))
  const labels = labelled.flatMap((row, index) => row.labels.map(label => ({ label, row, index })))
  const allLabels = new Set(labels.flatMap(({ label }) => label.words))
  for (const { label, row, index } of labels) {
    if (label.words.some(word => taken.has(word))) continue
    const isFree = (word: TableWord) => !allLabels.has(word) && !taken.has(word)
    const end = Math.min(Infinity, ...row.labels.map(({ box }) => box[0]).filter(left => left > label.box[2]))
    const line = findLine(label, lines)
    const beside = listBeside(label, row.chunks, end).filter(isFree)
    const written = beside.length > 0 || !line ? beside : wordsAbove(line, words).filter(isFree)
    const value = written.length > 0 || line ? written : findBelow(label, rows.slice(index + 1, index + 3), isFree)
    for (const word of value) taken.add(word)
    fields.push(toField(label, value, line, page))
  }
  return [...fields, ...checks].sort((a, b) => compare(a.keyBox ?? a.valueBox!, b.keyBox ?? b.valueBox!))
}

function compare(one: Rect, other: Rect): number {
  return sharesRow(one, other) ? one[0] - other[0] : one[1] - other[1]
}

/** The texts of a row that end in a colon, or that a line follows. */
function listLabels(row: TextRow, lines: readonly Rect[]): Label[] {
  return row.chunks
    .flatMap(({ words }) => {
      const labels = listColonLabels(words, row)
      const whole = toLabel(
        words.filter(({ text }) => !BLANK.test(text)),
        row,
      )
      if (labels.length > 0 || !/\p{L}/u.test(joinText(whole.words))) return labels
      return findLine(whole, lines) || words.some(({ text }) => /^_{3,}$/.test(text)) ? [whole] : []
    })
    .filter(label => joinText(label.words).length <= MAX_LABEL)
}

/** After a first value in the same piece of text, only the last word before a colon is a label. */
function listColonLabels(words: readonly TableWord[], row: TextRow): Label[] {
  const ends = words.flatMap(({ text }, index) => (/[:：]$/.test(text) ? [index] : []))
  return ends.flatMap((end, index) => {
    const label = words.slice(index === 0 ? 0 : end, end + 1)
    return /\p{L}/u.test(joinText(label)) ? [toLabel(label, row)] : []
  })
}

/** What stands right of a label, up to the next one. */
function listBeside({ box, size }: Label, chunks: TextRow['chunks'], end: number): TableWord[] {
  return chunks.flatMap(({ words }) => words).filter(word => word.box[0] >= box[2] - size * 0.2 && word.box[0] < end)
}

function toLabel(words: TableWord[], { size }: TextRow): Label {
  return { words, box: boundingBox(words.map(({ box }) => box)), size }
}

/** The line to write on, which begins close after its label. */
function findLine({ box, size }: Label, lines: readonly Rect[]): Rect | undefined {
  return lines.find(([left, top, right]) => {
    const isBeside = left > box[2] - size * 0.5 && left < box[2] + 3 * size
    return isBeside && right - left > 2.5 * size && top > box[1] + 0.4 * size && top < box[3] + 0.6 * size
  })
}

function wordsAbove([left, top, right]: Rect, words: readonly TableWord[]): TableWord[] {
  return words.filter(({ box, height }) => {
    const x = (box[0] + box[2]) / 2
    return x > left && x < right && box[3] > top - 1.2 * height && box[3] < top + 0.5 * height
  })
}

/** The piece of text right below a label, if it begins where the label does. */
function findBelow(label: Label, rows: readonly TextRow[], isFree: (word: TableWord) => boolean): TableWord[] {
  for (const { chunks, box } of rows) {
    if (box[1] - label.box[3] > 1.2 * label.size) return []
    const below = chunks.find(chunk => Math.abs(chunk.box[0] - label.box[0]) < label.size && chunk.words.every(isFree))
    if (below) return below.words
  }
  return []
}

function toField(label: Label, value: readonly TableWord[], line: Rect | undefined, page: DocumentPage): FormField {
  const key = joinText(label.words)
    .replace(/\s*[:：]$/, '')
    .replace(/[\s_.…]+$/, '')
  const written = value.filter(({ text }) => !BLANK.test(text))
  const text = joinText(written)
  const all = [...label.words, ...written]
  const confidence = all.reduce((sum, word) => sum + word.confidence, 0) / all.length
  const space: Rect | undefined = line && [line[0], Math.max(0, line[1] - 2 * label.size), line[2], line[3]]
  const valueBox = written.length > 0 ? boundingBox(written.map(({ box }) => box)) : space
  return {
    ...{ key, value: text, type: SIGNATURE.test(key) ? 'signature' : typeOfValue(text) },
    ...{ keyBox: label.box, ...(valueBox && { valueBox }) },
    ...{ confidence: Math.round(confidence * 1000) / 1000, source: page.source },
  }
}
