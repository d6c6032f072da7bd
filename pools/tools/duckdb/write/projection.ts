import type { Warning } from '#kit'
import type { OutDialect } from '../../../../tasks/formats/tables/dialect.ts'
import type { TableFormat } from '../../../../tasks/formats/tables/steps/input.ts'
import type { Database } from '../database.ts'
import { type Column, SURE_DIGITS, toText } from '../read/types.ts'
import { name } from '../sql-text.ts'
import { findNestedLosses, spellNested } from './nested.ts'

/** The largest integer that every reader of JSON keeps. */
const LARGEST = 9_007_199_254_740_991

export interface ProjectedTable {
  relation: string
  columns: readonly Column[]
  /** By column: the one that has its cells as the file writes them. */
  texts?: ReadonlyMap<string, string>
  outCsv?: Pick<OutDialect, 'nullAs'>
}

interface Projection {
  /** As the list of a SELECT. */
  cells: string
  warnings: Warning[]
}

/** The cells of a table as a format has them. */
export async function project(database: Database, table: ProjectedTable, format: TableFormat): Promise<Projection> {
  const { relation, columns } = table
  const nested: Nested = format === 'parquet' ? new Map() : await spellNested(database, relation, columns)
  if (format === 'csv' || format === 'tsv') {
    const lists = columns.filter(({ type }) => type === 'json')
    return { cells: listTexts(table, nested), warnings: await findLostNumbers(database, relation, lists) }
  }
  const isJson = format === 'json' || format === 'ndjson'
  const { large, warnings } = isJson ? await scanNumbers(database, relation, columns) : { large: [], warnings: [] }
  return { cells: listCells(columns, format, { large: new Set(large.map(column => column.name)), nested }), warnings }
}

/** The cells of a few rows as JSON has them, for which it need not be known which columns have large integers. */
export async function projectFew(database: Database, relation: string, columns: readonly Column[]): Promise<string> {
  const nested = await spellNested(database, relation, columns)
  return listCells(columns, 'json', { large: new Set(columns.map(column => column.name)), nested })
}

/** By column: what stands for it. */
type Nested = ReadonlyMap<string, string>

interface Known {
  large: ReadonlySet<string>
  nested: Nested
}

function listCells(columns: readonly Column[], format: TableFormat, known: Known): string {
  return columns.map(column => `${projectCell(column, format, known)} AS ${name(column.name)}`).join(', ')
}

/** A missing cell of the only column is one in quotes: readers skip a line without anything. */
function listTexts({ columns, texts, outCsv }: ProjectedTable, nested: Nested): string {
  const isAlone = columns.length === 1 && outCsv?.nullAs === ''
  const cells = columns.map(column => {
    const text = texts?.get(column.name)
    const cell = text === undefined ? projectText(column, nested.get(column.name)) : name(text)
    return `${isAlone ? `coalesce(${cell}::VARCHAR, '')` : cell} AS ${name(column.name)}`
  })
  return cells.join(', ')
}

function projectCell(column: Column, format: TableFormat, known: Known): string {
  const from = name(column.name)
  if (format === 'parquet') return column.type === 'bigint' ? `CAST(${from} AS DECIMAL(38,0))` : from
  return projectJson(column, known)
}

function projectJson(column: Column, { large, nested }: Known): string {
  const from = name(column.name)
  const { type } = column
  if (type === 'number') return nested.get(column.name) ?? from
  if (type === 'integer' || type === 'bigint') return large.has(column.name) ? splitLarge(from) : from
  if (type.startsWith('decimal')) return projectDecimal(from, type)
  if (type === 'json') return `to_json(${nested.get(column.name) ?? from})`
  return type === 'boolean' || type === 'string' ? from : toText(column)
}

/** Integers that a reader may round are strings. */
function splitLarge(from: string): string {
  const isSafe = `${from} BETWEEN -${LARGEST} AND ${LARGEST}`
  return `CASE WHEN ${isSafe} THEN to_json(${from}) ELSE to_json(${from}::VARCHAR) END`
}

/** A text within JSON is a text of CSV, and has no quotes of its own there. */
function projectText(column: Column, nested = name(column.name)): string {
  const text = toText(column, nested)
  if (column.type === 'json')
    return `CASE WHEN json_type(to_json(${nested})) = 'VARCHAR' THEN to_json(${nested}) ->> '$' ELSE ${text} END`
  if (column.type === 'number') return spellNumber(name(column.name))
  const isNative = ['string', 'integer', 'bigint', 'boolean', 'date', 'time', 'uuid'].includes(column.type)
  return isNative || column.type.startsWith('decimal') ? name(column.name) : text
}

/** Twelve is 12, as JSON and workbooks have it, also in a column that has halves. */
function spellNumber(from: string): string {
  const isWhole = `${from} = trunc(${from}) AND abs(${from}) <= ${LARGEST}`
  return `CASE WHEN ${isWhole} THEN ${from}::BIGINT::VARCHAR ELSE ${from}::VARCHAR END`
}

function projectDecimal(from: string, type: string): string {
  const precision = Number(/\((\d+)/.exec(type)![1])
  return precision <= SURE_DIGITS ? `${from}::VARCHAR::JSON` : `to_json(${from}::VARCHAR)`
}

/** Columns of integers with a value that a reader of JSON may round, and what is said of numbers that JSON lacks. */
async function scanNumbers(
  database: Database,
  relation: string,
  columns: readonly Column[],
): Promise<{ large: Column[]; warnings: Warning[] }> {
  const losses = await findNestedLosses(database, relation, columns)
  const checks = columns.flatMap(column => {
    const check = checkNumbers(column, losses)
    return check === undefined ? [] : [{ column, check }]
  })
  if (checks.length === 0) return { large: [], warnings: [] }
  const listed = checks.map(({ check }, index) => `coalesce(${check}, false) AS c${index}`)
  const row = await database.row<Record<string, boolean>>(`SELECT ${listed.join(', ')} FROM ${relation}`)
  const found = checks.filter((_, index) => row[`c${index}`]).map(({ column }) => column)
  const isLarge = ({ type }: Column) => type === 'integer' || type === 'bigint'
  return { large: found.filter(isLarge), warnings: warnOfLost(found.filter(column => !isLarge(column))) }
}

function checkNumbers({ name: column, type }: Column, losses: ReadonlyMap<string, string>): string | undefined {
  const from = name(column)
  if (type === 'integer' || type === 'bigint') return `max(${from}) > ${LARGEST} OR min(${from}) < -${LARGEST}`
  if (type === 'number') return `bool_or(NOT isfinite(${from}))`
  const loss = losses.get(column)
  return loss && `bool_or(${loss})`
}

/** What is said of a workbook, which lacks them too, and of lists and objects in CSV. */
export async function findLostNumbers(
  database: Database,
  relation: string,
  columns: readonly Column[],
): Promise<Warning[]> {
  const numbers = columns.filter(({ type }) => type === 'number' || type === 'json')
  return (await scanNumbers(database, relation, numbers)).warnings
}

function warnOfLost(columns: readonly Column[]): Warning[] {
  if (columns.length === 0) return []
  const names = columns.slice(0, 10).map(column => column.name)
  const keepers = columns.some(({ type }) => type === 'json') ? 'Parquet keeps them' : 'CSV and Parquet keep them'
  const message = `Infinity and NaN are null in this format, in ${names.join(', ')}; ${keepers}.`
  return [{ code: 'NUMBERS_LOST', message }]
}
