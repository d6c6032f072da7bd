import type { DocumentPage } from '../document/page.ts'
import { type Amount, type DecimalMark, findAmounts, findDecimalMark } from './amounts.ts'
import { findDate } from './dates.ts'
import { cutInnerLabel, cutLabel, type Label } from './labels.ts'
import type { Found } from './model.ts'
import { buildRows, heightOf, overlaps, placeValue, type Row, type Segment, type Word } from './rows.ts'
import { findRunningRows } from './running.ts'

export interface ReadingOptions {
  /** BCP 47: decides how numbers and dates are read that could be read in two ways. */
  locale?: string
}

/** What every part of reading an invoice needs. */
export interface Reading {
  page: DocumentPage
  rows: Row[]
  mark: DecimalMark | undefined
  isMonthFirst: boolean
  /** Whether a row is a header or a footer of the pages. */
  isRunning(row: Row): boolean
  place(value: string, raw: string, words: readonly Word[], certainty: number): Found
}

const MONTH_FIRST_LOCALE = /^en(-(US|PH|Latn-US))?$/i

/** The pages of one document write their numbers and dates alike. */
export function openReadings(pages: readonly DocumentPage[], { locale }: ReadingOptions): Reading[] {
  const opened = pages.map(page => ({ page, rows: buildRows(page) }))
  const text = opened.flatMap(({ rows }) => rows.map(row => row.text)).join('\n')
  const conventions = findConventions(text, locale)
  const running = findRunningRows(opened)
  return opened.map(({ page, rows }) => ({
    ...{ page, rows, ...conventions },
    // What states an amount may be an item that a page has at the same place.
    isRunning: row => running.has(row) && findAmounts(row.text, conventions.mark).length === 0,
    place: (value, raw, words, certainty) => placeValue(value, { raw, words, certainty, source: page.source }),
  }))
}

/** How a text writes numbers and dates that could be read in two ways. */
export function findConventions(text: string, locale?: string): Pick<Reading, 'mark' | 'isMonthFirst'> {
  const isMonthFirst = locale ? MONTH_FIRST_LOCALE.test(locale) : /\$|\bUSD\b/.test(text)
  return { mark: (locale && readMark(locale)) || findDecimalMark(text), isMonthFirst }
}

function readMark(locale: string): DecimalMark | undefined {
  try {
    const [, mark] = /1(.)5/.exec(new Intl.NumberFormat(locale).format(1.5)) ?? []
    return mark === ',' || mark === '.' ? mark : undefined
  } catch {
    return undefined
  }
}

/** What stands for a label: after it, to the right of it, or below it. */
interface Candidate {
  text: string
  words: Word[]
  certainty: number
}

/** How many rows below a label its value may be. */
const ROWS_BELOW = 2

function* listCandidates({ rows }: Reading, label: Label): Generator<Candidate> {
  yield* listAfterLabels(rows, label)
  // Several fields may stand in one line: `Invoice date 2026-06-30 Payment due 2026-07-30`.
  for (const { text, words } of rows.flatMap(({ segments }) => segments)) {
    const rest = cutInnerLabel(text, label)
    if (rest) yield { text: rest, words, certainty: 0.85 }
  }
}

function* listAfterLabels(rows: readonly Row[], label: Label): Generator<Candidate> {
  for (const [index, row] of rows.entries())
    for (const [at, segment] of row.segments.entries()) {
      const rest = cutLabel(segment.text, label)
      if (rest) yield { text: rest, words: segment.words, certainty: 0.95 }
      if (rest === '') yield* listNeighbours(rows, index, at)
    }
}

function* listNeighbours(rows: readonly Row[], index: number, at: number): Generator<Candidate> {
  const { segments } = rows[index]!
  const right = segments[at + 1]
  if (right) yield { text: right.text, words: right.words, certainty: 0.92 }
  yield* listBelow(rows, index, segments[at]!)
}

function* listBelow(rows: readonly Row[], index: number, segment: Segment): Generator<Candidate> {
  for (const row of rows.slice(index + 1, index + 1 + ROWS_BELOW)) {
    if (row.top - segment.box[3] > heightOf(segment) * 2) return
    const below = row.segments.find(({ box }) => overlaps(box, segment.box))
    if (below) yield { text: below.text, words: below.words, certainty: 0.85 }
  }
}

/** The first value of a label that has the right form. */
export function findLabelled(
  reading: Reading,
  label: Label,
  parse: (text: string) => { value: string; raw: string; certainty?: number } | undefined,
): Found | undefined {
  for (const { text, words, certainty } of listCandidates(reading, label)) {
    const parsed = parse(text)
    if (parsed) return reading.place(parsed.value, parsed.raw, words, certainty * (parsed.certainty ?? 1))
  }
  return undefined
}

export function parseDateText({ isMonthFirst }: Reading): (text: string) => ReturnType<typeof readDate> {
  return text => readDate(text, isMonthFirst)
}

function readDate(text: string, isMonthFirst: boolean) {
  const date = findDate(text, isMonthFirst)
  return date && { value: date.value, raw: date.raw, certainty: date.isAmbiguous ? 0.6 : 1 }
}

export function amountsOf({ mark }: Reading, text: string, isStrict = true): Amount[] {
  return findAmounts(text, mark, isStrict)
}
