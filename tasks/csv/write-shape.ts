import { Type } from 'typebox'
import { FileOutput, type OutputFile } from '#kit'
import { CONTENT_TYPES, type Format, type OutDialect, type ResolvedDialect } from './dialect-shape.ts'
import type { Rows } from './rows-shape.ts'
import type { Caster } from './types-shape.ts'
import { type CsvManner, CsvWriter, type Picked } from './write-csv-shape.ts'
import { type JsonShape, JsonWriter } from './write-json-shape.ts'

export interface WriteOptions {
  to: Format
  outCsv: OutDialect
  escapeFormulas?: boolean
  jsonShape?: Exclude<JsonShape, 'lines'>
  caster?: Caster
}

export interface TableWriter {
  row(rows: Rows, picked: Picked): void
  finished(): Uint8Array
}

/** A writer of any of the four formats, its header already written. */
export function writerFor(names: readonly string[], options: WriteOptions, expectedBytes: number): TableWriter {
  const { to, outCsv, escapeFormulas = false, jsonShape = 'objects', caster } = options
  if (to === 'json') return new JsonWriter(jsonShape, names, caster, expectedBytes * 2)
  if (to === 'ndjson') return new JsonWriter('lines', names, caster, expectedBytes * 2)
  const manner: CsvManner = { ...outCsv, isTsv: to === 'tsv', escapeFormulas }
  const writer = new CsvWriter(manner, expectedBytes + 1024)
  writer.header(names)
  return { row: (rows, picked) => writer.row(rows, picked), finished: () => writer.sink.finished() }
}

export const TableOutput = FileOutput(Object.values(CONTENT_TYPES))
export const Count = Type.Integer({ minimum: 0 })

export function tableFile(bytes: Uint8Array, format: Format, name: string | undefined): OutputFile {
  const stem = (name ?? 'table').replace(/\.[^.]*$/, '')
  return { bytes, contentType: CONTENT_TYPES[format], name: `${stem}.${format}` }
}

/** As the input was written, or plainly. */
export function outLike(dialect: ResolvedDialect | undefined): OutDialect {
  const plain: OutDialect = { quoteAll: false, eol: 'lf', bom: false, header: true, nullAs: '' }
  return dialect ? { ...plain, delimiter: dialect.delimiter, header: dialect.header } : plain
}
