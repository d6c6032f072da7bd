import { CsvRows } from '../../../../tasks/formats/tables/csv-reader.ts'
import type { Dialect } from '../../../../tasks/formats/tables/dialect.ts'
import { sniffDialect } from '../../../../tasks/formats/tables/dialect-sniffer.ts'
import { type Html, html } from '../html.ts'

const MAX_ROWS = 50
const MAX_COLUMNS = 12
const MAX_CELL_CHARS = 200
const DETECTED: Dialect = {
  delimiter: 'auto',
  quote: '"',
  escape: '"',
  header: 'auto',
  encoding: 'auto',
  skipRows: 0,
  ragged: 'truncate',
  trim: false,
  decimal: '.',
}

interface TableData {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  /** Undefined if there may be more than were read. */
  rowCount: number | undefined
}

/** Reads the first rows of a CSV, of which `bytes` may be only the beginning. Throws if it is no table. */
export function readCsv(bytes: Buffer, isWhole: boolean): TableData {
  const end = isWhole ? bytes.length : bytes.lastIndexOf(0x0a) + 1
  const body = bytes.subarray(0, end)
  const { delimiter, header, start } = sniffDialect(body, DETECTED)
  const reader = new CsvRows(body, start, { ...DETECTED, delimiter }, header)
  const rows: string[][] = []
  let rowCount = 0
  while (reader.next()) if (rowCount++ < MAX_ROWS) rows.push(reader.readTexts())
  return { columns: reader.columns, rows, rowCount: isWhole ? rowCount : undefined }
}

/** Rows of a result: a list of objects. */
export function readObjects(items: readonly object[]): TableData {
  const shown = items.slice(0, MAX_ROWS)
  const columns = [...new Set(shown.flatMap(item => Object.keys(item)))]
  const rows = shown.map(item => columns.map(name => formatCell((item as Record<string, unknown>)[name])))
  return { columns, rows, rowCount: items.length }
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

export function renderTable({ columns, rows, rowCount }: TableData, label: string): Html {
  const shown = columns.slice(0, MAX_COLUMNS)
  const cut = (cell: string) => (cell.length > MAX_CELL_CHARS ? `${cell.slice(0, MAX_CELL_CHARS)}…` : cell)
  const head = shown.map(name => html`<th scope="col">${cut(name)}</th>`)
  const body = rows.map(row => html`<tr>${shown.map((_, index) => html`<td>${cut(row[index] ?? '')}</td>`)}</tr>`)
  const notes = [
    rowCount === undefined || rowCount > rows.length
      ? `the first ${rows.length} rows${rowCount === undefined ? '' : ` of ${rowCount.toLocaleString('en-US')}`}`
      : '',
    columns.length > shown.length ? `the first ${shown.length} of ${columns.length} columns` : '',
  ].filter(Boolean)
  return html`<div class="sheet" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
${notes.length > 0 && html`<p class="dim small">These are ${notes.join(' and ')}.</p>`}`
}
