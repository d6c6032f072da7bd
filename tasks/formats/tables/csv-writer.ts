import { ByteSink } from './byte-sink.ts'
import type { OutDialect } from './dialect.ts'
import { NESTED, PLAIN, QUOTED, type Rows, readCell, SCALAR } from './rows.ts'
import type { CellCaster } from './types.ts'

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d]
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

export interface CsvOptions extends OutDialect {
  isTsv: boolean
  /** Tells the numbers of cells with a decimal comma, which are written with a point. */
  caster?: CellCaster
  escapeFormulas: boolean
}

/** The columns of the input that make up a row of the output. */
export type PickedColumns = readonly number[]

export class CsvWriter {
  readonly sink: ByteSink
  readonly #delimiter: number
  readonly #lineEnd: Buffer
  readonly #missing: Buffer
  readonly #options: CsvOptions

  constructor(options: CsvOptions, expectedBytes: number) {
    this.#options = options
    this.sink = new ByteSink(expectedBytes)
    this.#delimiter = (options.delimiter ?? (options.isTsv ? '\t' : ',')).charCodeAt(0)
    this.#lineEnd = Buffer.from(options.eol === 'crlf' ? '\r\n' : '\n')
    this.#missing = Buffer.from(options.nullAs)
    if (options.bom) this.sink.write(Buffer.from('\ufeff'))
  }

  writeHeader(names: readonly string[]): void {
    if (names.length === 0) return
    for (const [index, name] of names.entries()) {
      if (index > 0) this.sink.writeByte(this.#delimiter)
      this.#writeText(name)
    }
    this.sink.write(this.#lineEnd)
  }

  writeRow(rows: Rows, columns: PickedColumns): void {
    const { sink } = this
    const delimiter = this.#delimiter
    for (let index = 0; index < columns.length; index++) {
      if (index > 0) sink.writeByte(delimiter)
      this.#writeCell(rows, columns[index]!)
    }
    if (columns.length === 1 && sink.bytes[sink.length - 1] === LF) this.#writeEmptyCell()
    sink.write(this.#lineEnd)
  }

  /** Without quotes, a row of one empty cell would be an empty line, which readers skip. */
  #writeEmptyCell(): void {
    this.sink.writeByte(QUOTE)
    this.sink.writeByte(QUOTE)
  }

  #writeCell(rows: Rows, column: number): void {
    const number = this.#options.caster && readNumber(this.#options.caster(rows, column))
    if (number === undefined) this.#writeContent(rows, column)
    else this.#writeText(number)
  }

  #writeContent(rows: Rows, column: number): void {
    const kind = rows.kinds[column]!
    if (kind === PLAIN || kind === QUOTED || kind === SCALAR || kind === NESTED) {
      if (!this.#writeIfNull(rows, column, kind)) this.#writeBytes(rows.bytes, rows.starts[column]!, rows.ends[column]!)
      return
    }
    const text = readCell(rows, column)
    if (text === undefined) this.sink.write(this.#missing)
    else this.#writeText(text)
  }

  #writeIfNull(rows: Rows, column: number, kind: number): boolean {
    if (kind !== SCALAR || rows.bytes[rows.starts[column]!] !== 0x6e) return false
    this.sink.write(this.#missing)
    return true
  }

  #writeText(text: string): void {
    const bytes = Buffer.from(text)
    this.#writeBytes(bytes, 0, bytes.length)
  }

  /** Copies the bytes first, since most need no quotes; if some do, writes them again in quotes. */
  #writeBytes(from: Buffer, start: number, end: number): void {
    const options = this.#options
    const isFormula = options.escapeFormulas && start < end && looksLikeFormula(from, start, end)
    if (options.quoteAll || isFormula || !this.#tryCopy(from, start, end))
      this.#writeQuoted(from, start, end, isFormula)
  }

  #tryCopy(from: Buffer, start: number, end: number): boolean {
    const { sink } = this
    const delimiter = this.#delimiter
    sink.reserve(end - start)
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

  #writeQuoted(from: Buffer, start: number, end: number, isFormula: boolean): void {
    const { sink } = this
    sink.reserve((end - start) * 2 + 3)
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

/** Of the JSON of a cell. Integers that JSON would round are in quotes there. */
function readNumber(json: string | undefined): string | undefined {
  const text = json?.replace(/^"(.*)"$/, '$1')
  return text !== undefined && NUMBER.test(text) ? text : undefined
}

const FORMULA_STARTS = new Set([...'=+-@\t\r'].map(mark => mark.charCodeAt(0)))

/** A signed number is not a formula. */
function looksLikeFormula(from: Buffer, start: number, end: number): boolean {
  return FORMULA_STARTS.has(from[start]!) && !(end - start < 40 && NUMBER.test(from.toString('latin1', start, end)))
}
