import { stat } from 'node:fs/promises'
import { Problem, type Warning } from '#kit'
import type { OutDialect } from '../../../../tasks/formats/tables/dialect.ts'
import type { TableFormat } from '../../../../tasks/formats/tables/steps/input.ts'
import type { Database } from '../database.ts'
import { keepsDigits } from '../read/cell-types.ts'
import type { Column } from '../read/types.ts'
import { literal, name } from '../sql-text.ts'
import { rewriteLineEnds } from './line-ends.ts'
import { spellNested } from './nested.ts'
import { findLostNumbers, type ProjectedTable, project, projectFew } from './projection.ts'
import { type WorkbookOptions, writeWorkbook } from './workbook.ts'

interface TableToWrite extends ProjectedTable {
  format: TableFormat
  outCsv: OutDialect
  /** The delimiter of the input, which its output keeps. */
  delimiter?: string
}

const MAX_BYTES = 500 * 2 ** 20

/** Writes a table to a file and returns its number of rows. */
export async function writeTable(
  database: Database,
  table: TableToWrite,
  path: string,
): Promise<{ rows: number; warnings: Warning[] }> {
  const { relation, columns, format } = table
  if (format === 'xlsx') return writeSheets(database, [{ name: 'Sheet1', relation, columns }], path, {})
  const { cells, warnings } = await project(database, table, format)
  const rows = await database.run(
    `COPY (SELECT ${cells} FROM ${relation}) TO ${literal(path)} (${describeFormat(table)})`,
  )
  if ((await stat(path)).size > MAX_BYTES) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_BYTES })
  const { eol, bom } = table.outCsv
  if ((format === 'csv' || format === 'tsv') && (eol === 'crlf' || bom)) await rewriteLineEnds(path, { eol, bom })
  return { rows, warnings }
}

/** Writes tables as the sheets of a workbook, and returns the number of their rows. */
export async function writeSheets(
  database: Database,
  sheets: Parameters<typeof writeWorkbook>[1],
  path: string,
  options: WorkbookOptions,
): Promise<{ rows: number; warnings: Warning[] }> {
  const spelled: (typeof sheets)[number][] = []
  for (const sheet of sheets) spelled.push({ ...sheet, relation: await spellSheet(database, sheet) })
  const rows = await writeWorkbook(database, spelled, path, options)
  if (options.password) await (await import('./protect.ts')).protectWorkbook(path, options.password)
  const warnings: Warning[] = []
  for (const { relation, columns } of sheets) warnings.push(...(await findLostNumbers(database, relation, columns)))
  return { rows, warnings }
}

/** The table of a sheet, with what is within its objects and lists as columns are written. */
async function spellSheet(database: Database, { relation, columns }: ProjectedTable): Promise<string> {
  const nested = await spellNested(database, relation, columns)
  const numbers = new Set(columns.filter(({ type }) => type === 'number').map(column => column.name))
  const cells = [...nested].map(
    ([column, cell]) => `${numbers.has(column) ? cell : `to_json(${cell})`} AS ${name(column)}`,
  )
  return cells.length === 0 ? relation : `(SELECT * REPLACE (${cells.join(', ')}) FROM ${relation})`
}

function describeFormat({ format, outCsv, delimiter }: TableToWrite): string {
  if (format === 'parquet') return 'FORMAT parquet, COMPRESSION zstd'
  if (format === 'json') return 'FORMAT json, ARRAY true'
  if (format === 'ndjson') return 'FORMAT json'
  const mark = outCsv.delimiter ?? (format === 'tsv' ? '\t' : (delimiter ?? ','))
  const quoted = outCsv.quoteAll ? ', FORCE_QUOTE *' : ''
  const header = outCsv.header ?? true
  return `FORMAT csv, HEADER ${header}, DELIMITER ${literal(mark)}, QUOTE '"', ESCAPE '"', NULLSTR ${literal(outCsv.nullAs)}${quoted}`
}

/** A name that no column is likely to have: it would come before the name of the table. */
const ROW = name('the whole row')

/** The first rows, with the values that JSON has for them. */
export async function previewTable(
  database: Database,
  relation: string,
  columns: readonly Column[],
  limit: number,
): Promise<Record<string, unknown>[]> {
  if (limit === 0) return []
  const first = `(SELECT * FROM ${relation} LIMIT ${limit})`
  const cells = await projectFew(database, relation, columns)
  const rows = await database.rows<{ row: string }>(
    `SELECT to_json(${ROW})::VARCHAR AS row FROM (SELECT ${cells} FROM ${first}) AS ${ROW}`,
  )
  const numbers = columns.filter(({ type }) => type === 'number').map(column => column.name)
  return rows.map(({ row }) => {
    const shown = JSON.parse(row, keepDigits as (key: string, value: unknown) => unknown) as Record<string, unknown>
    for (const column of numbers) if (typeof shown[column] === 'string') shown[column] = Number(shown[column])
    return shown
  })
}

/** Whole numbers within objects and lists that a reader of JSON would round are strings, as those of columns are. */
function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && !keepsDigits(source) ? source : value
}
