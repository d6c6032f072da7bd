import { closeSync, openSync, writeSync } from 'node:fs'
import { Problem } from '#kit'
import type { MockColumn, MockTable } from '../../../tasks/engines/mock/table.ts'
import { toText } from '../../../tasks/engines/mock/table.ts'
import type { Value } from '../../../tasks/engines/mock/values.ts'
import type { MadeTable, MockRequest, RowWriter } from './plan.ts'
import { createSqlWriter } from './sql.ts'

const FLUSH_CHARACTERS = 1 << 20
const MAX_BYTES = 500 * 2 ** 20

/** Writes each table to a file of its own, or all to one script of SQL. */
export function writeTables(
  tables: readonly MockTable[],
  request: MockRequest,
  out: (name: string) => string,
): MadeTable[] {
  const budget = { leftBytes: MAX_BYTES }
  const { format } = request
  const shared = format === 'sql' ? new TextFile(out('made.sql'), budget) : undefined
  return tables.map(({ name, rows, columns }, index) => {
    const file = shared ?? new TextFile(out(`made-${index}.${format}`), budget)
    const isHead = request.keepsHeads && rows === 0
    const writer = isHead ? createCsvWriter(columns, HEAD) : createWriter(name, columns, request)
    const preview: Record<string, unknown>[] = []
    file.write(writer.begin)
    for (let row = 0; row < rows; row++) {
      const values = columns.map(({ cell }) => cell(row))
      if (row < request.preview)
        preview.push(Object.fromEntries(columns.map((column, at) => [column.name, values[at]])))
      file.write(writer.row(values, row))
    }
    file.write(writer.end)
    if (!shared || index === tables.length - 1) file.close()
    return {
      name,
      rows,
      columns: columns.map(column => ({ name: column.name, type: column.type })),
      preview,
      path: file.path,
    }
  })
}

class TextFile {
  readonly path: string
  readonly #budget: { leftBytes: number }
  readonly #file: number
  #text = ''

  constructor(path: string, budget: { leftBytes: number }) {
    this.path = path
    this.#budget = budget
    this.#file = openSync(path, 'w', 0o600)
  }

  write(text: string): void {
    this.#text += text
    if (this.#text.length > FLUSH_CHARACTERS) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text)
    this.#budget.leftBytes -= bytes.length
    if (this.#budget.leftBytes < 0) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_BYTES })
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    this.#text = ''
  }
}

function createWriter(name: string, columns: readonly MockColumn[], request: MockRequest): RowWriter {
  const { format } = request
  if (format === 'sql') return createSqlWriter(name, columns, request.sql)
  return format === 'json' || format === 'ndjson'
    ? createJsonWriter(columns, format === 'ndjson')
    : createCsvWriter(columns, request)
}

/** A decimal is a number with all of its digits. */
function toJson(value: Value, type: string): string {
  return type.startsWith('decimal') && typeof value === 'string' ? value : JSON.stringify(value)
}

function createJsonWriter(columns: readonly MockColumn[], isLines: boolean): RowWriter {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  const types = columns.map(({ type }) => type)
  const object = (values: readonly Value[]) =>
    `{${values.map((value, index) => keys[index] + toJson(value, types[index]!)).join(',')}}`
  if (isLines) return { begin: '', row: values => `${object(values)}\n`, end: '' }
  return { begin: '[', row: (values, index) => `${index > 0 ? ',' : ''}\n${object(values)}`, end: '\n]\n' }
}

const HEAD = { format: 'csv', outCsv: { quoteAll: false, eol: 'lf', bom: false, nullAs: '' } } as const

function createCsvWriter(
  columns: readonly MockColumn[],
  { format, outCsv }: Pick<MockRequest, 'format' | 'outCsv'>,
): RowWriter {
  const { quoteAll, bom, nullAs, header = true, delimiter = format === 'tsv' ? '\t' : ',' } = outCsv
  const lineEnd = outCsv.eol === 'crlf' ? '\r\n' : '\n'
  const quote = (text: string) => {
    const isPlain = !quoteAll && text !== nullAs && !/["\r\n]/.test(text) && !text.includes(delimiter)
    return isPlain ? text : `"${text.replaceAll('"', '""')}"`
  }
  const line = (cells: readonly string[]) => cells.join(delimiter) + lineEnd
  const names = header ? line(columns.map(({ name }) => quote(name))) : ''
  return {
    begin: (bom ? '\ufeff' : '') + names,
    row: values => line(values.map(value => (value === null ? nullAs : quote(toText(value))))),
    end: '',
  }
}
