import type { InputFile, Warning } from '#kit'
import { decode } from './decode-shape.ts'
import type { Dialect, Format, ResolvedDialect } from './dialect-shape.ts'
import { JsonRows } from './json-rows-shape.ts'
import { JsonScan } from './json-scan-shape.ts'
import type { Rows } from './rows-shape.ts'
import { CsvRows } from './scan-shape.ts'
import { sniff } from './sniff-shape.ts'

export interface TableOptions {
  from?: Format | 'auto'
  csv: Dialect
  nested?: 'flatten' | 'json' | 'error'
  jsonPath?: string
}

export interface Table {
  rows: Rows
  format: Format
  dialect?: ResolvedDialect
  warnings: Warning[]
}

/** Opens a table of any of the four formats. */
export async function openTable(file: InputFile, options: TableOptions): Promise<Table> {
  const { csv } = options
  const { bytes, encoding, warnings } = decode(await file.bytes(), csv.encoding, file.type)
  const guessed = options.jsonPath === undefined ? formatOf(bytes, file) : 'json'
  const format = !options.from || options.from === 'auto' ? guessed : options.from
  if (format === 'json' || format === 'ndjson') {
    const rules = { nested: options.nested ?? 'json', jsonPath: options.jsonPath, isLines: format === 'ndjson' }
    return { rows: new JsonRows(bytes, rules), format, warnings }
  }
  const { delimiter, header, eol, start } = sniff(
    bytes,
    format === 'tsv' && csv.delimiter === 'auto' ? { ...csv, delimiter: '\t' } : csv,
  )
  const rows = new CsvRows(bytes, start, { ...csv, delimiter }, header)
  const dialect = { delimiter, quote: csv.quote, header, encoding, eol }
  if (new Set(rows.columns).size < rows.columns.length) warnings.push(DUPLICATE)
  return { rows, format: delimiter === '\t' ? 'tsv' : 'csv', dialect, warnings }
}

const DUPLICATE: Warning = { code: 'DUPLICATE_COLUMN', message: 'Some columns have the same name.' }

function formatOf(bytes: Buffer, { name }: InputFile): Format {
  const scan = new JsonScan(bytes)
  const first = scan.peek()
  if (first !== 0x5b && first !== 0x7b) return /\.tsv$/i.test(name ?? '') ? 'tsv' : 'csv'
  if (first === 0x5b) return isOneValue(scan) ? 'json' : 'ndjson'
  return isOneValue(scan) && hasList(bytes) ? 'json' : 'ndjson'
}

/** Whether the whole is one value; where it is broken, that is told when it is read. */
function isOneValue(scan: JsonScan): boolean {
  try {
    scan.skip()
  } catch {
    return true
  }
  return scan.peek() === -1
}

/** An object with a list in it is not itself a row: the list is meant. */
function hasList(bytes: Buffer): boolean {
  const scan = new JsonScan(bytes)
  let found = false
  try {
    scan.members(() => {
      found ||= scan.peek() === 0x5b
      scan.skip()
    })
  } catch {
    return true
  }
  return found
}
