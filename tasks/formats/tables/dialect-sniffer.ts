import { Problem } from '#kit'
import { CsvRows } from './csv-reader.ts'
import type { Dialect } from './dialect.ts'

const SAMPLE_BYTES = 64 * 1024
const SAMPLE_ROWS = 200
const DELIMITERS = [',', ';', '\t', '|']

interface SniffedDialect {
  delimiter: string
  header: boolean
  eol: 'lf' | 'crlf' | 'cr'
  /** Where the table begins: after a line such as `sep=;`. */
  start: number
}

export function sniffDialect(bytes: Buffer, dialect: Dialect): SniffedDialect {
  const named = /^sep=([^\r\n])\r?\n/i.exec(bytes.toString('latin1', 0, 8))
  const start = named ? Buffer.byteLength(named[0]) : 0
  const delimiter =
    dialect.delimiter === 'auto' ? (named?.[1] ?? guessDelimiter(bytes, start, dialect)) : dialect.delimiter
  const rows = readSample(bytes, start, { ...dialect, delimiter })
  const header = dialect.header === 'auto' ? hasHeader(rows) : dialect.header
  return { delimiter, header, eol: detectLineEnd(bytes), start }
}

function detectLineEnd(bytes: Buffer): SniffedDialect['eol'] {
  const at = bytes.indexOf(0x0a)
  if (at < 0) return bytes.includes(0x0d) ? 'cr' : 'lf'
  return at > 0 && bytes[at - 1] === 0x0d ? 'crlf' : 'lf'
}

/** The delimiter that splits most rows into the same number of cells, more than one. */
function guessDelimiter(bytes: Buffer, start: number, dialect: Dialect): string {
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const widths = readSample(bytes, start, { ...dialect, delimiter }).map(row => row.length)
    const counts = Map.groupBy(widths, width => width)
    const [width, same] = [...counts].sort((a, b) => b[1].length - a[1].length)[0] ?? [1, []]
    const score = width > 1 ? (same.length / widths.length) * (1 + Math.min(width, 20) / 100) : 0
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** The cells of the first rows; reading stops at the first malformed row. */
function readSample(bytes: Buffer, start: number, dialect: Dialect): string[][] {
  const head = bytes.length > SAMPLE_BYTES ? bytes.subarray(0, findSampleEnd(bytes)) : bytes
  const cells: string[][] = []
  try {
    const rows = new CsvRows(head, start, dialect, undefined)
    while (cells.length < SAMPLE_ROWS && rows.readLine()) cells.push(rows.readTexts())
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
  return cells
}

function findSampleEnd(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a, SAMPLE_BYTES)
  return end > 0 ? end + 1 : SAMPLE_BYTES
}

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:e[+-]?\d+)?%?$/i
const YEAR = /^(?:19|20)\d\d$/

/** The first row is not a header if it has numbers in columns whose other cells are numbers as well. */
function hasHeader([first, ...rest]: string[][]): boolean {
  if (!first || rest.length === 0) return true
  const isNumeric = (cell: string | undefined) => NUMBER.test((cell ?? '').trim())
  const numeric = first.map((_, column) => rest.every(row => isNumeric(row[column]) || (row[column] ?? '') === ''))
  const shared = first.filter((cell, column) => numeric[column] && isNumeric(cell))
  if (shared.length > 0) {
    const areYears = shared.every(cell => YEAR.test(cell.trim()))
    const isNamed = lacksOnlyFirst(first) || first.some(cell => !isEmpty(cell) && !isNumeric(cell))
    return areYears ? isNamed : countsColumns(first, rest[0]!)
  }
  const mayBeData = first.some(isEmpty) && rest.some(row => !row.some(isEmpty))
  return !mayBeData || lacksOnlyFirst(first) || first.some((cell, column) => numeric[column] && !isEmpty(cell))
}

function isEmpty(cell: string): boolean {
  return cell.trim() === ''
}

/** The names of columns without names are their numbers, beside rows that are numbered from 0 too. */
function countsColumns(first: string[], second: string[]): boolean {
  return lacksOnlyFirst(first) && second[0] === '0' && first.slice(1).every((cell, index) => cell === String(index))
}

/** Programs that number the rows write no name above the numbers. */
function lacksOnlyFirst([first, ...others]: string[]): boolean {
  return isEmpty(first!) && others.length > 0 && !others.some(isEmpty)
}
