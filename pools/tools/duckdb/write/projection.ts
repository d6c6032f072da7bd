import type { TableFormat } from '../../../../tasks/formats/table-steps/input.ts'
import type { Database } from '../database.ts'
import { type Column, SURE_DIGITS, toText } from '../read/types.ts'
import { name } from '../sql-text.ts'

/** The largest integer that every reader of JSON keeps. */
const LARGEST = 9_007_199_254_740_991

/** The cells of a table as a format has them, as the list of a SELECT. */
export async function project(
  database: Database,
  relation: string,
  columns: readonly Column[],
  format: TableFormat,
): Promise<string> {
  const large = format === 'json' || format === 'ndjson' ? await findLarge(database, relation, columns) : []
  return listCells(columns, format, new Set(large.map(column => column.name)))
}

/** The cells of a few rows as JSON has them, for which it need not be known which columns have large integers. */
export function projectFew(columns: readonly Column[]): string {
  return listCells(columns, 'json', new Set(columns.map(column => column.name)))
}

function listCells(columns: readonly Column[], format: TableFormat, large: ReadonlySet<string>): string {
  return columns.map(column => `${projectCell(column, format, large)} AS ${name(column.name)}`).join(', ')
}

function projectCell(column: Column, format: TableFormat, large: ReadonlySet<string>): string {
  const from = name(column.name)
  if (column.type === 'number') return `CASE WHEN isfinite(${from}) THEN ${from} END`
  if (format === 'parquet') return column.type === 'bigint' ? `CAST(${from} AS DECIMAL(38,0))` : from
  return format === 'json' || format === 'ndjson' ? projectJson(column, large) : projectText(column)
}

function projectJson(column: Column, large: ReadonlySet<string>): string {
  const from = name(column.name)
  const { type } = column
  if (type === 'integer' || type === 'bigint') return large.has(column.name) ? splitLarge(from) : from
  if (type.startsWith('decimal')) return projectDecimal(from, type)
  if (type === 'json') return `to_json(${from})`
  return type === 'boolean' || type === 'string' ? from : toText(column)
}

/** Integers that a reader may round are strings. */
function splitLarge(from: string): string {
  const isSafe = `${from} BETWEEN -${LARGEST} AND ${LARGEST}`
  return `CASE WHEN ${isSafe} THEN to_json(${from}) ELSE to_json(${from}::VARCHAR) END`
}

function projectText(column: Column): string {
  const isNative = ['string', 'integer', 'bigint', 'boolean', 'date', 'time', 'uuid'].includes(column.type)
  return isNative || column.type.startsWith('decimal') ? name(column.name) : toText(column)
}

function projectDecimal(from: string, type: string): string {
  const precision = Number(/\((\d+)/.exec(type)![1])
  return precision <= SURE_DIGITS ? `${from}::VARCHAR::JSON` : `to_json(${from}::VARCHAR)`
}

/** Columns of integers with a value that a reader of JSON may round. */
async function findLarge(database: Database, relation: string, columns: readonly Column[]): Promise<Column[]> {
  const whole = columns.filter(({ type }) => type === 'integer' || type === 'bigint')
  if (whole.length === 0) return []
  const checks = whole.map(
    ({ name: column }, index) =>
      `coalesce(max(${name(column)}) > ${LARGEST} OR min(${name(column)}) < -${LARGEST}, false) AS c${index}`,
  )
  const found = await database.row<Record<string, boolean>>(`SELECT ${checks.join(', ')} FROM ${relation}`)
  return whole.filter((_, index) => found[`c${index}`])
}
