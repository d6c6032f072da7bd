import { isUtf8 } from 'node:buffer'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { TypeGuessFailed } from '../problems.ts'
import { classifyText, fitsType, isDay, keepsDigits, LONG_FRACTION, PRINTED_DIGITS } from './cell-types.ts'

const [LF, CR, QUOTE, PLUS, MINUS, POINT, ZERO] = [0x0a, 0x0d, 0x22, 0x2b, 0x2d, 0x2e, 0x30]
const EMPTY_LINE = Buffer.from([LF, LF])
const EMPTY_LINE_CRLF = Buffer.from([LF, CR])
const MAX_WHOLE = 18
const MAX_FRACTION = 24
/** A number of so many characters has no more digits than 64 bits keep. */
const SURE_LENGTH = 15

interface PlainText {
  /** Whole lines; the last may lack its end. A piece is not used when the next one is asked for. */
  pieces: Iterable<Buffer>
  hasHeader: boolean
  delimiter: string
  /** The type of each column; of text nothing is checked. */
  types: readonly string[]
  form: TextForm
}

/** What the first lines of a text have, and so all of them may have. */
export interface TextForm {
  /** Texts in quotes, each on one line. */
  hasQuotes: boolean
  /** Each line ends with both characters. */
  isCrlf: boolean
  /** No integer begins with a plus, which its value would lack. */
  hasNoPlus?: boolean
}

/**
 * Checks that a text is UTF-8 of the given form, each cell of the type that its column was guessed to have, and each
 * line of the same number of cells. The database reads the text meanwhile; its answer counts if this ends without an
 * error. Returns the number of rows.
 */
export async function checkCells({ pieces, hasHeader, delimiter, types, form }: PlainText): Promise<number> {
  const checkLines = compileCheck(types, form)
  const lineEnd = Buffer.from(form.isCrlf ? [CR, LF] : [LF])
  const mark = delimiter.charCodeAt(0)
  const seen: Progress = { at: 0, rows: 0 }
  let isFirst = hasHeader
  for (const piece of pieces) {
    if (!isPlain(piece, types.length, form)) throw new TypeGuessFailed()
    const lastLine = piece.lastIndexOf(LF) + 1
    seen.at = isFirst ? piece.indexOf(LF) + 1 || piece.length : 0
    isFirst = false
    checkLines(piece, lastLine, mark, seen)
    if (seen.at < piece.length) {
      const line = Buffer.concat([piece.subarray(seen.at), lineEnd])
      seen.at = 0
      checkLines(line, line.length, mark, seen)
    }
    await yieldToOthers()
  }
  return seen.rows
}

/** Where a line has several cells, an empty one is noticed by its missing cells. */
export function isPlain(lines: Buffer, width: number, { hasQuotes, isCrlf }: TextForm): boolean {
  const hasGap = width === 1 && (isLineEnd(lines[0]) || lines.includes(isCrlf ? EMPTY_LINE_CRLF : EMPTY_LINE))
  const isOther = (!hasQuotes && lines.includes(QUOTE)) || (!isCrlf && lines.includes(CR)) || lines.includes(0)
  return !hasGap && !isOther && isUtf8(lines)
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR
}

interface Progress {
  /** Where the next line begins. */
  at: number
  rows: number
}

type LineCheck = (bytes: Buffer, end: number, mark: number, seen: Progress) => void
type SkipCell = (bytes: Buffer, start: number, mark: number) => number

/**
 * A function made for the types of a table, which takes half the time of one that asks for the type of each cell. Its
 * code consists of the texts below and nothing else. Every line ends, so that no loop looks for the end of the bytes.
 */
function compileCheck(types: readonly string[], form: TextForm): LineCheck {
  const last = types.length - 1
  const lineEnd = form.isCrlf ? `if (byte !== ${CR} || bytes[++at] !== ${LF}) fail()` : `if (byte !== ${LF}) fail()`
  const cells = types.map(
    (type, column) => `byte = bytes[at]
    ${skipCode(type, column, form)}
    ${column === last ? lineEnd : 'if (byte !== mark) fail()'}
    at++`,
  )
  const make = new Function(
    ...['skips', 'fail', 'keeps'],
    `return (bytes, end, mark, seen) => {
    let at = seen.at, rows = 0, byte = 0, digit = 0, first = 0, start = 0, begin = 0
    while (at < end) {
      ${cells.join('\n')}
      rows++
    }
    seen.at = at
    seen.rows += rows
  }`,
  ) as (skips: readonly SkipCell[], fail: () => never, keeps: typeof keepsCell) => LineCheck
  const fail = () => {
    throw new TypeGuessFailed()
  }
  return make(
    types.map(type => createSkip(type, form)),
    fail,
    keepsCell,
  )
}

/** Goes to the end of a cell; a cell that is not of the type ends elsewhere, or nowhere. */
function skipCode(type: string, column: number, form: TextForm): string {
  const isInside = `byte !== mark && byte !== ${LF}${form.isCrlf ? ` && byte !== ${CR}` : ''}`
  if (type === 'string') return skipTextCode(isInside, form)
  const isNumber = type === 'integer' || type === 'number'
  if (!isNumber) return `if (${isInside}) { at = skips[${column}](bytes, at, mark); byte = bytes[at] }`
  // Few numbers have an exponent or another odd form.
  return `if (${isInside}) odd: {
      begin = at
      plain: { ${skipNumberCode(type)}
        if (!(${isInside})) break odd
      }
      at = skips[${column}](bytes, begin, mark)
      byte = bytes[at]
    }`
}

/** A quote within a cell without quotes, or after the end of one with quotes, is no mark. */
function skipTextCode(isInside: string, { hasQuotes }: TextForm): string {
  if (!hasQuotes) return `while (${isInside}) byte = bytes[++at]`
  return `if (byte !== ${QUOTE}) {
      while (${isInside} && byte !== ${QUOTE}) byte = bytes[++at]
    } else {
      for (;;) {
        byte = bytes[++at]
        if (byte === ${LF} || byte === ${CR}) fail()
        if (byte === ${QUOTE} && (byte = bytes[++at]) !== ${QUOTE}) break
      }
    }`
}

function keepsCell(bytes: Buffer, start: number, end: number): boolean {
  return keepsDigits(bytes.toString('latin1', start, end))
}

const SKIP_DIGITS = `do { byte = bytes[++at]; digit = (byte - ${ZERO}) >>> 0 } while (digit <= 9)`

/** Digits without a zero before others, no zero with a minus, and as many as an integer of 64 bits has in any case. */
function skipNumberCode(type: 'integer' | 'number'): string {
  const fraction = `if (byte === ${POINT}) {
      first = at
      ${SKIP_DIGITS}
      if (at - first < 2 || at - first > ${MAX_FRACTION + 1}) break plain
      if (at - first > ${LONG_FRACTION} && at - start <= ${PRINTED_DIGITS + 1}) start = at
    }
    if (at - start > ${SURE_LENGTH} && !keeps(bytes, start, at)) break plain`
  return `
    start = at
    if (byte === ${MINUS}) {
      byte = bytes[++at]
      if (byte === ${ZERO}${type === 'number' ? ` && bytes[at + 1] !== ${POINT}` : ''}) break plain
    }
    first = at
    digit = (byte - ${ZERO}) >>> 0
    if (digit > 9) break plain
    if (digit === 0) byte = bytes[++at]
    else {
      ${SKIP_DIGITS}
      if (at - first > ${MAX_WHOLE}) break plain
    }
    ${type === 'number' ? fraction : ''}`
}

function createSkip(type: string, { hasNoPlus }: TextForm): SkipCell {
  if (type === 'date') return skipDate
  const refusesPlus = hasNoPlus && (type === 'integer' || type === 'bigint')
  return (bytes, start, mark) => (refusesPlus && bytes[start] === PLUS ? -1 : skipOther(bytes, start, mark, type))
}

function skipText(bytes: Buffer, start: number, mark: number): number {
  let at = start
  let byte = bytes[at]
  while (byte !== mark && !isLineEnd(byte)) byte = bytes[++at]
  return at
}

const DATE_LENGTH = 10

function skipDate(bytes: Buffer, start: number): number {
  if (bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return -1
  const [year, month, day] = [
    readDigits(bytes, start, 4),
    readDigits(bytes, start + 5, 2),
    readDigits(bytes, start + 8, 2),
  ]
  return isDay(year, month, day) ? start + DATE_LENGTH : -1
}

/** NaN if there are others. */
function readDigits(bytes: Buffer, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at++) {
    const digit = bytes[at]! - ZERO
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return value
}

function skipOther(bytes: Buffer, start: number, mark: number, type: string): number {
  const end = skipText(bytes, start, mark)
  return fitsType(classifyText(bytes.toString('latin1', start, end), false), type) ? end : -1
}
