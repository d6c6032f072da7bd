import { Type } from 'typebox'
import { FileOutput, type OutputFile } from '#kit'
import { type CsvOptions, CsvWriter, type PickedColumns } from './csv-writer.ts'
import { CONTENT_TYPES, type Format, type OutDialect, type ResolvedDialect } from './dialect.ts'
import { type JsonShape, JsonWriter } from './json-writer.ts'
import type { Rows } from './rows.ts'
import type { CellCaster } from './types.ts'

interface WriteOptions {
  to: Format
  outCsv: OutDialect
  escapeFormulas?: boolean
  jsonShape?: Exclude<JsonShape, 'lines'>
  /** Whether the names come from the input. Names that were made up are written only if the caller asks for a header. */
  hasHeader?: boolean
  caster?: CellCaster
}

interface TableWriter {
  writeRow(rows: Rows, columns: PickedColumns): void
  finish(): Uint8Array
}

/** Creates a writer for any of the four formats; the header is already written. */
export function createTableWriter(names: readonly string[], options: WriteOptions, expectedBytes: number): TableWriter {
  const { to, outCsv, escapeFormulas = false, jsonShape = 'objects', hasHeader = true, caster } = options
  if (to === 'json') return new JsonWriter(jsonShape, names, caster, expectedBytes * 2, hasHeader)
  if (to === 'ndjson') return new JsonWriter('lines', names, caster, expectedBytes * 2)
  const csvOptions: CsvOptions = { ...outCsv, isTsv: to === 'tsv', escapeFormulas, caster }
  const writer = new CsvWriter(csvOptions, expectedBytes + 1024)
  if (outCsv.header ?? hasHeader) writer.writeHeader(names)
  return { writeRow: (rows, columns) => writer.writeRow(rows, columns), finish: () => writer.sink.finish() }
}

export const TableOutput = FileOutput(Object.values(CONTENT_TYPES))
export const Count = Type.Integer({ minimum: 0 })

export function createTableFile(bytes: Uint8Array, format: Format, name: string | undefined): OutputFile {
  const stem = (name ?? 'table').replace(/\.[^.]*$/, '')
  return { bytes, contentType: CONTENT_TYPES[format], name: `${stem}.${format}` }
}

/** The dialect of the input where there is one, otherwise the default. */
export function outputDialectLike(dialect: ResolvedDialect | undefined, header: boolean): OutDialect {
  const plain: OutDialect = { quoteAll: false, eol: 'lf', bom: false, header, nullAs: '' }
  return dialect ? { ...plain, delimiter: dialect.delimiter } : plain
}
