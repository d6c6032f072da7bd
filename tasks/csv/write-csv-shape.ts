import type { OutDialect } from './dialect-shape.ts'
import { NESTED, PLAIN, QUOTED, type Rows, SCALAR, textAt } from './rows-shape.ts'
import { Sink } from './sink-shape.ts'

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d]
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

export interface CsvManner extends OutDialect {
  isTsv: boolean
  escapeFormulas: boolean
}

/** Where the cells of a row of the output come from: columns of the input. */
export type Picked = readonly number[]

export class CsvWriter {
  readonly sink: Sink
  private readonly delimiter: number
  private readonly end: Buffer
  private readonly missing: Buffer
  private readonly manner: CsvManner

  constructor(manner: CsvManner, expectedBytes: number) {
    this.manner = manner
    this.sink = new Sink(expectedBytes)
    this.delimiter = (manner.delimiter ?? (manner.isTsv ? '\t' : ',')).charCodeAt(0)
    this.end = Buffer.from(manner.eol === 'crlf' ? '\r\n' : '\n')
    this.missing = Buffer.from(manner.nullAs)
    if (manner.bom) this.sink.put(Buffer.from('\ufeff'))
  }

  header(names: readonly string[]): void {
    if (!this.manner.header || names.length === 0) return
    for (const [index, name] of names.entries()) {
      if (index > 0) this.sink.byte(this.delimiter)
      this.text(name)
    }
    this.sink.put(this.end)
  }

  row(rows: Rows, picked: Picked): void {
    const { sink, delimiter } = this
    for (let index = 0; index < picked.length; index++) {
      if (index > 0) sink.byte(delimiter)
      this.cell(rows, picked[index]!)
    }
    if (picked.length === 1 && sink.bytes[sink.length - 1] === LF) this.emptyLine()
    sink.put(this.end)
  }

  /** A row of one empty cell would be no row at all. */
  private emptyLine(): void {
    this.sink.byte(QUOTE)
    this.sink.byte(QUOTE)
  }

  private cell(rows: Rows, column: number): void {
    const kind = rows.kinds[column]!
    if (kind === PLAIN || kind === QUOTED || kind === SCALAR || kind === NESTED) {
      if (!this.isNull(rows, column, kind)) this.bytes(rows.bytes, rows.starts[column]!, rows.ends[column]!)
      return
    }
    const text = textAt(rows, column)
    if (text === undefined) this.sink.put(this.missing)
    else this.text(text)
  }

  private isNull(rows: Rows, column: number, kind: number): boolean {
    if (kind !== SCALAR || rows.bytes[rows.starts[column]!] !== 0x6e) return false
    this.sink.put(this.missing)
    return true
  }

  private text(text: string): void {
    const bytes = Buffer.from(text)
    this.bytes(bytes, 0, bytes.length)
  }

  /** Copied at once as if nothing stood in the way; what needs quotes is written again with them. */
  private bytes(from: Buffer, start: number, end: number): void {
    const { manner } = this
    const isFormula = manner.escapeFormulas && start < end && looksLikeFormula(from, start, end)
    if (manner.quoteAll || isFormula || !this.copied(from, start, end)) this.quoted(from, start, end, isFormula)
  }

  private copied(from: Buffer, start: number, end: number): boolean {
    const { sink, delimiter } = this
    sink.room(end - start)
    const { bytes } = sink
    let out = sink.length
    for (let at = start; at < end; at++) {
      const byte = from[at]!
      if (byte === delimiter || byte === QUOTE || byte === LF || byte === CR) return false
      bytes[out++] = byte
    }
    sink.length = out
    return true
  }

  private quoted(from: Buffer, start: number, end: number, isFormula: boolean): void {
    const { sink } = this
    sink.room((end - start) * 2 + 3)
    const { bytes } = sink
    let out = sink.length
    bytes[out++] = QUOTE
    if (isFormula) bytes[out++] = 0x27
    for (let at = start; at < end; at++) {
      const byte = from[at]!
      if (byte === QUOTE) bytes[out++] = QUOTE
      bytes[out++] = byte
    }
    bytes[out++] = QUOTE
    sink.length = out
  }
}

const FORMULA_STARTS = new Set([...'=+-@\t\r'].map(mark => mark.charCodeAt(0)))

/** A number with its sign stays a number. */
function looksLikeFormula(from: Buffer, start: number, end: number): boolean {
  return FORMULA_STARTS.has(from[start]!) && !(end - start < 40 && NUMBER.test(from.toString('latin1', start, end)))
}
