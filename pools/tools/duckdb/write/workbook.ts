import { Problem } from '#kit'
import {
  columnLetters,
  escapeXml,
  listFixedParts,
  nameSheets,
  renderStyles,
  renderWorkbook,
  STYLES,
} from '../../../../tasks/formats/tables/workbook-parts.ts'
import type { Database } from '../database.ts'
import type { Column } from '../read/types.ts'
import { hasHidden, renderCell } from './sheet-xml.ts'
import { ZipFile } from './zip-file.ts'

interface SheetToWrite {
  name: string
  relation: string
  columns: readonly Column[]
}

export interface WorkbookOptions {
  headerStyle?: boolean
  freezeHeader?: boolean
  autoFilter?: boolean
  columnWidths?: 'auto' | Record<string, number>
  formats?: Record<string, string>
  formulas?: boolean
  splitSheets?: boolean
  /** Opens the workbook, which is encrypted. */
  password?: string
}

const MAX_SHEET_ROWS = 1_048_576
const MAX_SHEET_COLUMNS = 16_384
const MAX_CELL = 32_767
const MAX_FILE = 500 * 2 ** 20

interface Part extends SheetToWrite {
  offset: number
  rows: number
}

/** Writes tables as the sheets of a workbook, row after row, and returns the number of rows. */
export async function writeWorkbook(
  database: Database,
  sheets: readonly SheetToWrite[],
  path: string,
  options: WorkbookOptions,
): Promise<number> {
  const parts: Part[] = []
  for (const option of ['formats', 'columnWidths'] as const) requireColumns(sheets, options[option])
  for (const sheet of sheets) parts.push(...(await splitSheet(database, sheet, options)))
  for (const [index, name] of nameSheets(parts.map(part => part.name)).entries()) parts[index]!.name = name
  const formats = [...new Set(Object.values(options.formats ?? {}))]
  const zip = new ZipFile(path)
  for (const [name, content] of listFixedParts(parts.length)) await zip.add(name, [content])
  await zip.add('xl/workbook.xml', [renderWorkbook(parts.map(({ name }) => name))])
  await zip.add('xl/styles.xml', [renderStyles(formats)])
  for (const [index, part] of parts.entries()) {
    await zip.add(`xl/worksheets/sheet${index + 1}.xml`, renderSheet(database, part, options, formats))
    if (zip.sizeBytes > MAX_FILE) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_FILE })
  }
  await zip.close()
  return parts.reduce((sum, { rows }) => sum + rows, 0)
}

/** What is said of a column is said of each sheet that has it. */
function requireColumns(sheets: readonly SheetToWrite[], given: 'auto' | Record<string, unknown> = {}): void {
  const known = new Set(sheets.flatMap(({ columns }) => columns.map(({ name }) => name)))
  const unknown = given === 'auto' ? undefined : Object.keys(given).find(column => !known.has(column))
  if (unknown !== undefined)
    throw new Problem('COLUMN_NOT_FOUND', { column: unknown, available: [...known].slice(0, 100) })
}

async function splitSheet(database: Database, sheet: SheetToWrite, { splitSheets }: WorkbookOptions): Promise<Part[]> {
  const { columns, relation } = sheet
  if (columns.length > MAX_SHEET_COLUMNS) throw new Problem('TOO_MANY_COLUMNS', { limit: MAX_SHEET_COLUMNS })
  const rows = await database.count(`SELECT count(*) FROM ${relation}`)
  const perSheet = MAX_SHEET_ROWS - 1
  if (rows > perSheet && !splitSheets)
    throw new Problem('TOO_MANY_ROWS', { limit: perSheet, actual: rows, hint: 'set splitSheets' })
  const count = Math.max(1, Math.ceil(rows / perSheet))
  return Array.from({ length: count }, (_, index) => ({
    ...sheet,
    offset: index * perSheet,
    rows: Math.min(perSheet, rows - index * perSheet),
  }))
}

async function* renderSheet(
  database: Database,
  part: Part,
  options: WorkbookOptions,
  formats: readonly string[],
): AsyncIterable<string> {
  const { columns, relation, rows, offset } = part
  const { headerStyle = true, freezeHeader = true, autoFilter = true } = options
  const last = columnLetters(columns.length - 1)
  const numbered = `SELECT *, row_number() OVER () + 1 AS "\u0001row" FROM (SELECT * FROM ${relation}${offset > 0 || rows === MAX_SHEET_ROWS - 1 ? ` LIMIT ${rows} OFFSET ${offset}` : ''})`
  const withHidden = await checkTexts(database, part)
  yield `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:${last}${rows + 1}"/>`
  if (freezeHeader)
    yield '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
  yield await renderWidths(database, part, options.columnWidths ?? 'auto')
  yield '<sheetData><row r="1">'
  for (const [index, { name }] of columns.entries())
    yield `<c r="${columnLetters(index)}1" t="inlineStr"${headerStyle ? ` s="${STYLES.header}"` : ''}><is><t xml:space="preserve">${escapeXml(name)}</t></is></c>`
  yield '</row>'
  const cells = columns.map((column, index) => {
    const format = options.formats?.[column.name]
    const style = format === undefined ? undefined : STYLES.first + formats.indexOf(format)
    return renderCell(column, columnLetters(index), {
      style,
      hasFormulas: options.formulas ?? false,
      hasHidden: withHidden.has(column),
    })
  })
  const rendered = await renderCells(database, cells, numbered)
  const row = `concat('<row r="', "\u0001row", '">', ${rendered.cells.join(', ')}, '</row>')`
  for await (const [texts] of database.chunks(`SELECT ${row} FROM ${rendered.from}`)) yield (texts as string[]).join('')
  for (const table of rendered.tables) await database.run(`DROP TABLE ${table}`)
  yield '</sheetData>'
  if (autoFilter) yield `<autoFilter ref="A1:${last}${rows + 1}"/>`
  yield '</worksheet>'
}

const MAX_GROUP = 100

/** The engine has a buffer for each part of an expression, so that many cells are rendered a hundred columns at a time. */
async function renderCells(database: Database, cells: readonly string[], numbered: string) {
  if (cells.length <= MAX_GROUP) return { cells, from: `(${numbered})`, tables: [] }
  const count = Math.ceil(cells.length / MAX_GROUP)
  const tables = Array.from({ length: count }, (_, index) => `"cells ${index}"`)
  for (const [index, table] of tables.entries()) {
    const group = cells.slice(index * MAX_GROUP, (index + 1) * MAX_GROUP)
    const number = index === 0 ? '"\u0001row", ' : ''
    await database.run(
      `CREATE TABLE ${table} AS SELECT ${number}concat(${group.join(', ')}) AS cells FROM (${numbered})`,
    )
  }
  return { cells: tables.map(table => `${table}.cells`), from: tables.join(' POSITIONAL JOIN '), tables }
}

/** One value of each column, some columns at a time. */
async function scanColumns(
  database: Database,
  columns: readonly Column[],
  relation: string,
  cell: (from: string) => string,
): Promise<(string | boolean | null)[]> {
  const found: (string | boolean | null)[] = []
  for (let at = 0; at < columns.length; at += MAX_GROUP) {
    const cells = columns.slice(at, at + MAX_GROUP).map(({ name }, index) => {
      const from = `"${name.replaceAll('"', '""')}"::VARCHAR`
      return `${cell(from)} AS c${index}`
    })
    const row = await database.row<Record<string, string | boolean | null>>(
      `SELECT ${cells.join(', ')} FROM ${relation}`,
    )
    found.push(...Object.values(row))
  }
  return found
}

/** Refuses texts that are too long, and returns the columns with characters that XML cannot hold. */
async function checkTexts(database: Database, { columns, relation }: Part): Promise<ReadonlySet<Column>> {
  const texts = columns.filter(({ type }) => type === 'string' || type === 'json')
  const lengths = await scanColumns(database, texts, relation, from => `max(length(${from}))`)
  const long = texts.find((_, index) => Number(lengths[index]) > MAX_CELL)
  if (long)
    throw new Problem('OUTPUT_TOO_LARGE', { column: long.name, limit: MAX_CELL, of: 'characters of a cell in XLSX' })
  const hidden = await scanColumns(database, texts, relation, from => `coalesce(bool_or(${hasHidden(from)}), false)`)
  return new Set(texts.filter((_, index) => hidden[index] === true))
}

const [MIN_WIDTH, MAX_WIDTH] = [8, 60]

async function renderWidths(
  database: Database,
  { columns, relation }: Part,
  wanted: 'auto' | Record<string, number>,
): Promise<string> {
  const widths =
    wanted === 'auto' ? await measureWidths(database, columns, relation) : columns.map(({ name }) => wanted[name])
  const rendered = widths.map((width, index) =>
    width === undefined ? '' : `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  return rendered.some(text => text !== '') ? `<cols>${rendered.join('')}</cols>` : ''
}

async function measureWidths(database: Database, columns: readonly Column[], relation: string): Promise<number[]> {
  const first = `(SELECT * FROM ${relation} LIMIT 200)`
  const lengths = await scanColumns(database, columns, first, from => `max(length(${from}))`)
  return columns.map(({ name }, index) =>
    Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, name.length + 3, Number(lengths[index]) + 1)),
  )
}
