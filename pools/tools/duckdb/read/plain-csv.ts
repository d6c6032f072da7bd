import { setTimeout as delay } from 'node:timers/promises'
import { CsvRows } from '../../../../tasks/formats/tables/csv-reader.ts'
import type { openTable } from '../../../../tasks/formats/tables/open.ts'
import { PLAIN, readCell } from '../../../../tasks/formats/tables/rows.ts'
import type { SourceTable } from '../plan.ts'
import { literal } from '../sql-text.ts'
import { classifyText, DECIMAL, IS_TEXT, unifyKinds } from './cell-types.ts'
import type { LoadOptions } from './parquet.ts'
import { checkCells, isPlain, type TextForm } from './plain-cells.ts'
import type { RawTable } from './raw-table.ts'
import { type Head, readPieces } from './text-pieces.ts'
import { toEngineType } from './types.ts'

// Decision 0121: guess types from the first rows and check every cell.

const SAMPLE_ROWS = 1000
/** The short queries before the one that reads a large text would wait for its check. */
const PLANNING_MS = 15
const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22]

type PlainRead = Pick<RawTable, 'relation' | 'types' | 'hasValues' | 'hasBlanks' | 'isTyped' | 'texts' | 'check'>

/**
 * A text whose cells have no lines of their own can be read by the engine itself, on all processors, with the same
 * result as ours: the types of its first rows are taken, and what `check` finds out meanwhile tells whether all rows
 * have them. Returns undefined for any other.
 */
export function planPlainRead(
  file: string,
  { rows, dialect, hasHeader }: Awaited<ReturnType<typeof openTable>>,
  {
    csv,
    infer,
    types: given = {},
    asText,
    carriesTexts,
  }: SourceTable['settings'] & Pick<LoadOptions, 'asText' | 'carriesTexts'>,
  head: Head,
): PlainRead | undefined {
  const { delimiter, encoding, eol } = dialect!
  if (!isUsual(csv) || infer === 'loose' || !(rows instanceof CsvRows) || encoding !== 'utf-8') return undefined
  const { bytes, columns } = rows
  const hasMark = bytes.length !== head.bytes.length || bytes.toString('latin1', 0, 4) === 'sep='
  const form = { hasQuotes: bytes.includes(QUOTE), isCrlf: eol === 'crlf' }
  if (hasMark || startsOddly(bytes, form) || !isPlain(bytes, columns.length, form)) return undefined
  const { kinds, blanks, isWhole } = classifySample(rows)
  // A column without any value in the sample may be anything.
  if (!(isWhole && head.isWhole) && kinds.includes(0)) return undefined
  const isText = (column: number) =>
    infer === 'none' || Object.hasOwn(given, columns[column]!) || asText.has(columns[column]!.toLowerCase())
  // An empty cell in quotes is no number, and the database does not read it as a missing one.
  if ([...blanks].some(column => !isText(column) && unifyKinds(kinds[column]!) !== 'string')) return undefined
  const types = kinds.map((kind, column) => (isText(column) ? 'string' : unifyKinds(kind)))
  // Its digits are known when all of it is read.
  if (types.includes(DECIMAL)) return undefined
  const castTypes = carriesTexts ? WRITTEN_FREELY : READ_AS_TEXT
  return {
    relation: readPlainCsv(file, types, { delimiter, hasHeader, isCrlf: form.isCrlf, castTypes }),
    types,
    isTyped: true,
    hasValues: kinds.map(kind => kind !== 0),
    hasBlanks: types.map(type => form.hasQuotes && type === 'string'),
    texts: types.map((type, index) => (castTypes.has(type) ? `t${index}` : undefined)),
    check: async () => {
      if (!head.isWhole) await delay(PLANNING_MS)
      const pieces = head.isWhole ? [bytes] : readPieces(file)
      return checkCells({ pieces, hasHeader, delimiter, types, form: { ...form, hasNoPlus: carriesTexts } })
    },
  }
}

function isUsual(csv: SourceTable['settings']['csv']): boolean {
  const isPlain = csv.quote === '"' && csv.escape === '"' && csv.comment === undefined && csv.nullValues === undefined
  return isPlain && csv.ragged === 'error' && !csv.trim && csv.skipRows === 0 && csv.decimal === '.'
}

/** With an empty line, or with a quote that does not end on the first line. */
function startsOddly(bytes: Buffer, { hasQuotes }: TextForm): boolean {
  if (bytes[0] === LF || bytes[0] === CR) return true
  const line = hasQuotes ? bytes.subarray(0, bytes.indexOf(LF) + 1 || bytes.length) : []
  return line.filter((byte: number) => byte === QUOTE).length % 2 === 1
}

/** The engine reads these forms of times more loosely than we do, so they come as text. */
const READ_AS_TEXT = new Set(['datetime', 'timestamptz'])
/** One value has several texts. */
const WRITTEN_FREELY = new Set([...READ_AS_TEXT, 'number'])

function readPlainCsv(
  file: string,
  types: readonly string[],
  {
    delimiter,
    hasHeader,
    isCrlf,
    castTypes,
  }: { delimiter: string; hasHeader: boolean; isCrlf: boolean; castTypes: ReadonlySet<string> },
): string {
  const typed = types.map(type => (castTypes.has(type) ? 'VARCHAR' : toEngineType(type)))
  const columns = typed.map((type, index) => `${literal(`c${index}`)}: ${literal(type)}`).join(', ')
  // The engine finds line ends of two characters itself; told of them, it reads no rows.
  const lineEnd = isCrlf ? '' : ", new_line = '\\n'"
  const read = `read_csv(${literal(file)}, auto_detect = false, columns = {${columns}}, delim = ${literal(delimiter)}, quote = '"', escape = '"', header = ${hasHeader}, nullstr = '', allow_quoted_nulls = false, strict_mode = true${lineEnd})`
  const cells = types.map((type, index) =>
    castTypes.has(type) ? `CAST(c${index} AS ${toEngineType(type)}) AS c${index}, c${index} AS t${index}` : `c${index}`,
  )
  return types.some(type => castTypes.has(type)) ? `(SELECT ${cells.join(', ')} FROM ${read})` : read
}

/** What the first rows are, in which columns there are empty cells in quotes, and whether there are no other rows. */
function classifySample(rows: CsvRows): { kinds: number[]; blanks: Set<number>; isWhole: boolean } {
  const kinds = rows.columns.map(() => 0)
  const blanks = new Set<number>()
  let isWhole = false
  for (let count = 0; count < SAMPLE_ROWS && !isWhole; count++) {
    isWhole = !rows.next()
    for (let column = 0; column < kinds.length && !isWhole; column++) classifyCell(column)
  }
  rows.rewind()
  // A column of nothing else is one of texts.
  for (const column of isWhole ? blanks : []) kinds[column] ||= IS_TEXT
  return { kinds, blanks, isWhole }

  function classifyCell(column: number): void {
    const text = readCell(rows, column)!
    if (text !== '') kinds[column]! |= classifyText(text, false)
    else if (rows.kinds[column] !== PLAIN) blanks.add(column)
  }
}
