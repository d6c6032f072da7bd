import type { InputFile, Warning } from '#kit'
import { decodeToUtf8 } from './charset.ts'
import { CsvRows } from './csv-reader.ts'
import type { Dialect, Format, ResolvedDialect } from './dialect.ts'
import { sniffDialect } from './dialect-sniffer.ts'
import { JsonRows } from './json-reader.ts'
import { JsonScanner } from './json-scanner.ts'
import type { Rows } from './rows.ts'

interface TableOptions {
  from?: Format | 'auto'
  csv: Dialect
  nested?: 'flatten' | 'json' | 'error'
  jsonPath?: string
}

interface Table {
  rows: Rows
  format: Format
  dialect?: ResolvedDialect
  /** Whether the input gives names to the columns. */
  hasHeader: boolean
  warnings: Warning[]
}

type TextFile = Pick<InputFile, 'bytes' | 'type' | 'name'>

/** Opens a table of any of the four formats. */
export async function openTable(file: TextFile, options: TableOptions): Promise<Table> {
  const { csv } = options
  const { bytes, encoding, warnings } = decodeToUtf8(await file.bytes(), csv.encoding, file.type)
  const guessed = options.jsonPath === undefined ? detectFormat(bytes, file) : 'json'
  const format = !options.from || options.from === 'auto' ? guessed : options.from
  if (format === 'json' || format === 'ndjson') {
    const rules = { nested: options.nested ?? 'json', jsonPath: options.jsonPath, isLines: format === 'ndjson' }
    const rows = new JsonRows(bytes, rules)
    warnings.push(...warnOfSameNames(rows.columns))
    return { rows, format, hasHeader: rows.hasNames || rows.columns.length === 0, warnings }
  }
  const { delimiter, header, eol, start } = sniffDialect(
    bytes,
    format === 'tsv' && csv.delimiter === 'auto' ? { ...csv, delimiter: '\t' } : csv,
  )
  const rows = new CsvRows(bytes, start, { ...csv, delimiter }, header, line => warnings.push(createQuoteWarning(line)))
  const dialect = { delimiter, quote: csv.quote, header, encoding, eol }
  warnings.push(...warnOfSameNames(rows.columns))
  return { rows, format: delimiter === '\t' ? 'tsv' : 'csv', dialect, hasHeader: header, warnings }
}

function createQuoteWarning(line: number): Warning {
  const message = `Line ${line} has a quote inside a cell without quotes; it was read as part of the text.`
  return { code: 'UNESCAPED_QUOTE', message }
}

function warnOfSameNames(columns: readonly string[]): Warning[] {
  if (new Set(columns).size === columns.length) return []
  return [{ code: 'DUPLICATE_COLUMN', message: 'Some columns have the same name.' }]
}

function detectFormat(bytes: Buffer, { name }: TextFile): Format {
  const scan = new JsonScanner(bytes)
  const first = scan.peek()
  if (!startsRow(first)) return /\.tsv$/i.test(name ?? '') ? 'tsv' : 'csv'
  if (first === 0x5b) return isSingleValue(scan) || !startsRow(scan.peek()) ? 'json' : 'ndjson'
  return isSingleValue(scan) && containsList(bytes) ? 'json' : 'ndjson'
}

function startsRow(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b
}

/** Whether the text is one JSON value. Malformed text counts as one: the error is reported when it is read. */
function isSingleValue(scan: JsonScanner): boolean {
  try {
    scan.skipValue()
  } catch {
    return true
  }
  return scan.peek() === -1
}

/** An object that contains a list is taken as a wrapper around the rows, not as a row. */
function containsList(bytes: Buffer): boolean {
  const scan = new JsonScanner(bytes)
  let found = false
  try {
    scan.eachMember(() => {
      found ||= scan.peek() === 0x5b
      scan.skipValue()
    })
  } catch {
    return true
  }
  return found
}
