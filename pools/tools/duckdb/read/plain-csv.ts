import { CsvRows } from '../../../../tasks/formats/tables/csv-reader.ts'
import type { openTable } from '../../../../tasks/formats/tables/open.ts'
import { readCell } from '../../../../tasks/formats/tables/rows.ts'
import type { SourceTable } from '../plan.ts'
import { literal } from '../sql-text.ts'
import { classifyText, unifyKinds } from './cell-types.ts'
import type { RawTable } from './raw-table.ts'

const SAMPLE_ROWS = 1000

/**
 * A text of lines without quotes can be read by the engine itself, on all processors, with the same result as ours.
 * Returns undefined for any other.
 */
export function planPlainRead(
  file: string,
  given: Uint8Array,
  { rows, dialect, hasHeader }: Awaited<ReturnType<typeof openTable>>,
  { csv, infer }: SourceTable['settings'],
): Pick<RawTable, 'relation' | 'types' | 'isGuess' | 'rows'> | undefined {
  const isUsual = csv.quote === '"' && csv.escape === '"' && csv.comment === undefined && csv.nullValues === undefined
  const isStrict = csv.ragged === 'error' && !csv.trim && csv.skipRows === 0 && csv.decimal === '.' && infer !== 'loose'
  if (!isUsual || !isStrict || !(rows instanceof CsvRows) || rows.bytes.length !== given.length) return undefined
  const lines = countPlainLines(rows.bytes)
  if (lines === undefined) return undefined
  const kinds = classifySample(rows)
  const count = lines - (hasHeader ? 1 : 0)
  // A column without any value in the sample may be anything.
  if (count > SAMPLE_ROWS && kinds.includes(0)) return undefined
  const columns = rows.columns.map((_, index) => `${literal(`c${index}`)}: 'VARCHAR'`).join(', ')
  const relation = `read_csv(${literal(file)}, auto_detect = false, columns = {${columns}}, delim = ${literal(dialect!.delimiter)}, quote = '"', escape = '"', header = ${hasHeader}, nullstr = '', strict_mode = true, new_line = '\\n')`
  return { relation, types: kinds.map(unifyKinds), isGuess: true, rows: count }
}

/** The number of lines; undefined if there are quotes, other line ends or empty lines. */
function countPlainLines(bytes: Buffer): number | undefined {
  let lines = 0
  let before = 0x0a
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0x22 || byte === 0x0d || byte === 0) return undefined
    if (byte === 0x0a) {
      if (before === 0x0a) return undefined
      lines++
    }
    before = byte
  }
  return before === 0x0a ? lines : lines + 1
}

function classifySample(rows: CsvRows): number[] {
  const kinds = rows.columns.map(() => 0)
  for (let count = 0; count < SAMPLE_ROWS && rows.next(); count++) {
    for (let column = 0; column < kinds.length; column++) {
      const text = readCell(rows, column)!
      if (text !== '') kinds[column]! |= classifyText(text, false)
    }
  }
  rows.rewind()
  return kinds
}
