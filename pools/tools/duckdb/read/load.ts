import { readFileSync } from 'node:fs'
import { Problem, type Warning } from '#kit'
import { GROUPED, IP_ADDRESS } from '../../../../tasks/formats/tables/number-text.ts'
import { openTable } from '../../../../tasks/formats/tables/open.ts'
import type { TableFormat } from '../../../../tasks/formats/tables/steps/input.ts'
import type { Database } from '../database.ts'
import type { SourceTable } from '../plan.ts'
import { TEXT_MARK } from '../relation.ts'
import { literal, name } from '../sql-text.ts'
import { writeCanonical } from './canonical.ts'
import { checkTypedNames, type LoadedTable, type LoadOptions, loadParquet } from './parquet.ts'
import { isPlain } from './plain-cells.ts'
import { planPlainRead } from './plain-csv.ts'
import {
  checkColumnCount,
  checkRowCount,
  distinctNames,
  MAX_ROWS,
  type RawTable,
  readCanonicalCsv,
  warnOfRenamed,
} from './raw-table.ts'
import { type Head, readHead } from './text-pieces.ts'
import { type Column, castText, NUMERIC, toEngineType } from './types.ts'
import type { readWorkbook } from './workbook.ts'

/** Makes a file a view of the database. */
export async function loadTable(database: Database, table: SourceTable, options: LoadOptions): Promise<LoadedTable> {
  const { settings } = table
  const head = readHead(options.file)
  const format = settings.format === 'auto' ? detectFormat(head.bytes, table) : settings.format
  if (format === 'parquet') return loadParquet(database, table, options)
  const raw =
    format === 'xlsx'
      ? await readSheet(readAll(options.file, head), table, options)
      : await readText(head, format, table, options)
  if (raw.rows !== undefined) checkRowCount(raw.rows)
  const { columns, texts } = await createTypedView(database, raw, table, options)
  const { types: given = {} } = settings
  const isEmpty = ({ name: column }: Column, index: number) =>
    raw.hasValues?.[index] === false && !Object.hasOwn(given, column)
  const empty = new Set(columns.filter(isEmpty).map(column => column.name))
  const { rows, format: found, warnings, outDelimiter, hasHeader, check, sheets } = raw
  return {
    columns,
    texts,
    rows,
    format: found,
    warnings,
    isUnread: true,
    empty,
    outDelimiter,
    hasHeader,
    check,
    sheets,
  }
}

/** Loaded by the calls that need it, because it takes longer than most calls. */
async function readSheet(...given: Parameters<typeof readWorkbook>): Promise<RawTable> {
  return (await import('./workbook.ts')).readWorkbook(...given)
}

const ZIP = 'PK\u0003\u0004'
/** The old binary workbooks, and encrypted new ones. */
const OLE = '\u00d0\u00cf\u0011\u00e0'

function detectFormat(bytes: Uint8Array, { fileName = '' }: SourceTable): TableFormat | 'auto' {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  if (start === 'PAR1') return 'parquet'
  if (start === ZIP || start === OLE) return 'xlsx'
  const extension = /\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase()
  return extension === 'tsv' || extension === 'ndjson' ? extension : 'auto'
}

type Opened = Awaited<ReturnType<typeof openTable>>

async function readText(
  head: Head,
  from: TableFormat | 'auto',
  table: SourceTable,
  options: LoadOptions,
): Promise<RawTable> {
  const { settings } = table
  const { file, as, mayGuess } = options
  const plain = mayGuess ? await readPlainText(head, from, table, options) : undefined
  if (plain) return plain
  const opened = await openText(readAll(file, head), from, table)
  const { rows, format } = opened
  const facts = describeText(opened, table)
  const path = `${file}-${as.replace(/\W/g, '')}.canonical`
  const isTyped = format === 'json' || format === 'ndjson'
  const rules = {
    nullValues: settings.csv.nullValues ?? [''],
    isLoose: settings.infer === 'loose',
    isTyped,
    keepsMixed: options.keepsMixed,
    maxRows: MAX_ROWS,
  }
  const written = await writeCanonical(rows, path, { ...rules, decimal: settings.csv.decimal })
  return {
    ...facts,
    ...written,
    relation: readCanonicalCsv(path, rows.columns.length, written.longestCell),
    isTyped: false,
  }
}

/** Reads only the first lines, if they tell how the database can read the file. */
async function readPlainText(
  head: Head,
  from: TableFormat | 'auto',
  table: SourceTable,
  { file, asText, carriesTexts }: LoadOptions,
): Promise<RawTable | undefined> {
  if (!head.isWhole && !isLikelyPlain(head.bytes)) return undefined
  const opened = await openText(head.bytes, from, table)
  const plain = opened.dialect && planPlainRead(file, opened, { ...table.settings, asText, carriesTexts }, head)
  return plain && { ...describeText(opened, table), ...plain }
}

const ANY_FORM = { hasQuotes: true, isCrlf: true }

/** What the beginning of a text cannot tell is found out when all of it is read. */
function isLikelyPlain(bytes: Buffer): boolean {
  return isPlain(bytes, 0, ANY_FORM) && !/^\s*(?:[[{]|$)/.test(bytes.toString('latin1', 0, 100))
}

function openText(
  bytes: Buffer<ArrayBuffer>,
  from: TableFormat | 'auto',
  { settings, type, fileName }: SourceTable,
): Promise<Opened> {
  const input = { type, name: fileName, bytes: async () => bytes }
  return openTable(input, { from: from as 'auto', csv: settings.csv, nested: 'json' })
}

function describeText({ rows, format, warnings, dialect, hasHeader }: Opened, { settings }: SourceTable) {
  checkColumnCount(rows.columns.length)
  const names = distinctNames(rows.columns)
  return {
    names,
    format,
    warnings: [...warnings.filter(isUseful), ...warnOfRenamed(rows.columns, names)],
    decimal: settings.csv.decimal,
    hasHeader,
    ...(dialect && { outDelimiter: dialect.delimiter }),
  }
}

/** Nothing else waits for this process, and reading in pieces takes longer where all bytes are wanted. */
function readAll(file: string, { bytes, isWhole }: Head): Buffer<ArrayBuffer> {
  return isWhole ? bytes : readFileSync(file)
}

/** Names are made distinct, which is said by a warning of our own. */
function isUseful({ code }: Warning): boolean {
  return code !== 'DUPLICATE_COLUMN'
}

async function createTypedView(
  database: Database,
  raw: RawTable,
  { settings }: SourceTable,
  { as, asText: wanted, keepsJson, carriesTexts }: LoadOptions,
): Promise<Pick<LoadedTable, 'columns' | 'texts'>> {
  const { types = {}, infer, onCastError } = settings
  const asText = keepsJson && /json$/.test(raw.format) ? new Set() : wanted
  checkTypedNames(types, raw.names)
  const columns = raw.names.map((column, index) => {
    const given = Object.hasOwn(types, column) ? types[column]! : undefined
    const isText = infer === 'none' || (keepsText(raw, index) && asText.has(column.toLowerCase()))
    return { name: column, type: given ?? (isText ? 'string' : raw.types[index]!) }
  })
  const cells = columns.map(({ name: column, type }, index) => {
    const text = readCell(index, type, raw)
    if (Object.hasOwn(types, column)) return castText(text, type)
    return raw.isTyped ? text : castInferred(text, type, infer === 'loose')
  })
  if (onCastError === 'error')
    await checkCasts(
      database,
      raw,
      columns.filter(({ name: column }) => Object.hasOwn(types, column)),
    )
  const texts = carriesTexts && infer === 'safe' ? hideTexts(raw, types) : []
  const select = [
    ...columns.map(({ name: column }, index) => `${cells[index]} AS ${name(column)}`),
    ...texts.map(({ text, hidden }) => `${text} AS ${name(hidden)}`),
  ].join(', ')
  await database.run(`CREATE VIEW ${name(as)} AS SELECT ${select} FROM ${raw.relation}`)
  return { columns, texts: new Map(texts.map(({ column, hidden }) => [column, hidden])) }
}

/** The cells of columns that may be written otherwise than they are, except where a caller wants another type. */
function hideTexts({ names, texts = [], types, format, hasBlanks }: RawTable, given: Record<string, string>) {
  if (format !== 'csv' && format !== 'tsv') return []
  return names.flatMap((column, index) => {
    const text = texts[index]
    if (text === undefined || Object.hasOwn(given, column)) return []
    const cell = hasBlanks?.[index] && types[index] !== 'string' ? `nullif(${text}, '')` : text
    return [{ column, text: cell, hidden: `${TEXT_MARK}${index}` }]
  })
}

/** The cells of a workbook have types, and a comma as the mark of decimals is read only once. */
function keepsText({ format, decimal, types }: RawTable, index: number): boolean {
  return format !== 'xlsx' && decimal === '.' && types[index] !== 'json'
}

/** An empty cell in quotes is missing where the column is not one of texts. */
function readCell(index: number, type: string, { decimal, hasBlanks, format }: RawTable): string {
  const cell = hasBlanks?.[index] && type !== 'string' ? `nullif(c${index}, '')` : `c${index}`
  if (decimal === '.' || !NUMERIC.test(type)) return cell
  const isWhole = type === 'integer' || type === 'bigint'
  const point = (text: string) => (isWhole ? text : `replace(${text}, ',', '.')`)
  return /json$/.test(format) ? point(cell) : joinThousands(cell, point)
}

/** The same as `toPoint`; a whole number has no mark of decimals. */
function joinThousands(cell: string, point: (text: string) => string): string {
  const matches = ({ source }: RegExp) => `regexp_full_match(${cell}, ${literal(source)})`
  const isGrouped = `${matches(GROUPED)} AND NOT ${matches(IP_ADDRESS)}`
  const ungrouped = point(`replace(${cell}, '.', '')`)
  return `CASE WHEN NOT contains(${cell}, '.') THEN ${point(cell)} WHEN ${isGrouped} THEN ${ungrouped} ELSE '?' || ${cell} END`
}

/** The first cell that is not of its type, by a query of its own, because the view itself yields null for it. */
async function checkCasts(database: Database, raw: RawTable, columns: readonly Column[]): Promise<void> {
  for (const { name: column, type } of columns) {
    const index = raw.names.indexOf(column)
    const cell = `c${index}`
    const text = readCell(index, type, raw)
    const numbered = `SELECT row_number() OVER () AS number, ${cell} FROM ${raw.relation}`
    const [bad] = await database.rows<{ number: string; value: string }>(
      `SELECT number, ${cell} AS value FROM (${numbered}) WHERE ${text} IS NOT NULL AND (${castText(text, type)}) IS NULL LIMIT 1`,
    )
    if (!bad) continue
    throw new Problem('TYPE_MISMATCH', { column, type, row: Number(bad.number), value: bad.value.slice(0, 80) })
  }
}

/** All cells are known to be of the type. */
function castInferred(text: string, type: string, isLoose: boolean): string {
  if (type === 'string' || type === 'json') return type === 'json' ? `${text}::JSON` : text
  const cell = isLoose ? `trim(${text})` : text
  return `CAST(${cell} AS ${toEngineType(type)})`
}
