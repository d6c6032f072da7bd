import { CsvRows } from '../../../../tasks/formats/tables/csv-reader.ts'
import type { openTable } from '../../../../tasks/formats/tables/open.ts'
import { readCell } from '../../../../tasks/formats/tables/rows.ts'
import type { SourceTable } from '../plan.ts'
import { literal } from '../sql-text.ts'
import { classifyText, unifyKinds } from './cell-types.ts'
import type { LoadOptions } from './parquet.ts'
import { checkCells, isPlain } from './plain-cells.ts'
import type { RawTable } from './raw-table.ts'
import { type Head, readPieces } from './text-pieces.ts'
import { toEngineType } from './types.ts'

const SAMPLE_ROWS = 1000
const LF = 0x0a

type PlainRead = Pick<RawTable, 'relation' | 'types' | 'hasValues' | 'isTyped' | 'check'>

/**
 * A text of lines without quotes can be read by the engine itself, on all processors, with the same result as ours: the
 * types of its first rows are taken, and what `check` finds out meanwhile tells whether all rows have them. Returns
 * undefined for any other.
 */
export function planPlainRead(
  file: string,
  { rows, dialect, hasHeader }: Awaited<ReturnType<typeof openTable>>,
  { csv, infer, types: given = {}, asText }: SourceTable['settings'] & Pick<LoadOptions, 'asText'>,
  head: Head,
): PlainRead | undefined {
  const { delimiter, encoding } = dialect!
  const isUsual = csv.quote === '"' && csv.escape === '"' && csv.comment === undefined && csv.nullValues === undefined
  const isStrict = csv.ragged === 'error' && !csv.trim && csv.skipRows === 0 && csv.decimal === '.' && infer !== 'loose'
  if (!isUsual || !isStrict || !(rows instanceof CsvRows) || encoding !== 'utf-8') return undefined
  const { bytes, columns } = rows
  const hasMark = bytes.length !== head.bytes.length || bytes.toString('latin1', 0, 4) === 'sep='
  if (hasMark || bytes[0] === LF || !isPlain(bytes, columns.length)) return undefined
  const { kinds, isWhole } = classifySample(rows)
  // A column without any value in the sample may be anything.
  if (!(isWhole && head.isWhole) && kinds.includes(0)) return undefined
  const isText = (column: number) =>
    infer === 'none' || Object.hasOwn(given, columns[column]!) || asText.has(columns[column]!.toLowerCase())
  const types = kinds.map((kind, column) => (isText(column) ? 'string' : unifyKinds(kind)))
  return {
    relation: readPlainCsv(file, types, { delimiter, hasHeader }),
    types,
    isTyped: true,
    hasValues: kinds.map(kind => kind !== 0),
    check: () => checkCells({ pieces: head.isWhole ? [bytes] : readPieces(file), hasHeader, delimiter, types }),
  }
}

/** The engine reads these forms of times more loosely than we do, so they come as text. */
const READ_AS_TEXT = new Set(['datetime', 'timestamptz'])

function readPlainCsv(
  file: string,
  types: readonly string[],
  { delimiter, hasHeader }: { delimiter: string; hasHeader: boolean },
): string {
  const typed = types.map(type => (READ_AS_TEXT.has(type) ? 'VARCHAR' : toEngineType(type)))
  const columns = typed.map((type, index) => `${literal(`c${index}`)}: ${literal(type)}`).join(', ')
  const read = `read_csv(${literal(file)}, auto_detect = false, columns = {${columns}}, delim = ${literal(delimiter)}, quote = '"', escape = '"', header = ${hasHeader}, nullstr = '', strict_mode = true, new_line = '\\n')`
  const cells = types.map((type, index) =>
    READ_AS_TEXT.has(type) ? `CAST(c${index} AS ${toEngineType(type)}) AS c${index}` : `c${index}`,
  )
  return types.some(type => READ_AS_TEXT.has(type)) ? `(SELECT ${cells.join(', ')} FROM ${read})` : read
}

/** What the first rows are, and whether there are no others. */
function classifySample(rows: CsvRows): { kinds: number[]; isWhole: boolean } {
  const kinds = rows.columns.map(() => 0)
  let isWhole = false
  for (let count = 0; count < SAMPLE_ROWS && !isWhole; count++) {
    isWhole = !rows.next()
    for (let column = 0; column < kinds.length && !isWhole; column++) {
      const text = readCell(rows, column)!
      if (text !== '') kinds[column]! |= classifyText(text, false)
    }
  }
  rows.rewind()
  return { kinds, isWhole }
}
