import { type InputFile, Problem } from '#kit'
import { openTable } from '../../formats/tables/open.ts'
import { createCaster } from '../../formats/tables/types.ts'
import { createTableWriter } from '../../formats/tables/writer.ts'
import { MAX_ROWS } from './check.ts'

export type Row = Record<string, unknown>

const CSV = {
  ...({ delimiter: 'auto', quote: '"', escape: '"', header: 'auto', encoding: 'auto', skipRows: 0 } as const),
  ...({ ragged: 'pad', trim: false, decimal: '.' } as const),
}
const PLAIN = { quoteAll: false, eol: 'lf', bom: false, nullAs: '' } as const

/** The rows of a table, with numbers as numbers. */
export async function readRows(file: InputFile): Promise<Row[]> {
  const { rows } = await openTable(file, { csv: CSV, nested: 'flatten' })
  const caster = createCaster(rows, { types: 'infer', nullValues: undefined, decimal: '.', bigIntAs: 'number' })
  const writer = createTableWriter(rows.columns, { to: 'json', outCsv: PLAIN, caster }, rows.bytes.length)
  const columns = rows.columns.map((_, column) => column)
  for (let count = 1; rows.next(); count++) {
    if (count > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: `more than ${MAX_ROWS}` })
    writer.writeRow(rows, columns)
  }
  const list = JSON.parse(Buffer.from(writer.finish()).toString()) as Row[]
  if (list.length === 0) throw new Problem('CHART_DATA_EMPTY')
  return list
}

export function requireColumns(rows: readonly Row[], columns: readonly (string | undefined)[]): void {
  const available = Object.keys(rows[0]!)
  for (const column of columns) {
    if (column !== undefined && !rows.some(row => column in row))
      throw new Problem('COLUMN_NOT_FOUND', { column, available: available.slice(0, 100) })
  }
}

const TIME = /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/

/** What kind of scale a column needs. */
export function findScale(rows: readonly Row[], column: string): 'quantitative' | 'temporal' | 'nominal' {
  const values = rows.map(row => row[column]).filter(value => value !== null && value !== undefined && value !== '')
  if (values.length > 0 && values.every(value => typeof value === 'number')) return 'quantitative'
  return values.length > 0 && values.every(value => typeof value === 'string' && TIME.test(value))
    ? 'temporal'
    : 'nominal'
}
