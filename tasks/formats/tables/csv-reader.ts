import { Problem } from '#kit'
import type { Dialect } from './dialect.ts'
import { DOUBLED, MISSING, PLAIN, QUOTED, type Rows } from './rows.ts'

// Decision 0050: read tables with our own reader.

export const MAX_COLUMNS = 16_384
const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09]
/** In characters. */
const LONG_CELL = 65_536
const EXTRA_COLUMN = '_extra'

type CsvRules = Omit<Dialect, 'header' | 'encoding' | 'decimal'>

/** Reads CSV as bytes. All syntax is ASCII, so no byte of a multi-byte character can be mistaken for it. */
export class CsvRows implements Rows {
  columns: string[] = []
  readonly bytes: Buffer
  kinds = new Uint8Array(64)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  line = 0
  /** Cells of the current row. */
  width = 0
  #nextLine = 1
  #at: number
  #bodyStart = { at: 0, line: 1 }
  readonly #rules: CsvRules
  /** Called with the line of the first quote inside a cell without quotes. */
  #onStrayQuote: ((line: number) => void) | undefined
  readonly #delimiter: number
  readonly #quote: number
  readonly #escape: number
  readonly #comment: number

  constructor(
    bytes: Buffer,
    start: number,
    rules: CsvRules,
    hasHeader: boolean | undefined,
    onStrayQuote?: (line: number) => void,
  ) {
    this.bytes = bytes
    this.#rules = rules
    this.#onStrayQuote = onStrayQuote
    this.#at = start
    this.#delimiter = rules.delimiter.charCodeAt(0)
    this.#quote = rules.quote.charCodeAt(0)
    this.#escape = rules.escape.charCodeAt(0)
    this.#comment = rules.comment?.charCodeAt(0) ?? -1
    for (let skipped = 0; skipped < rules.skipRows && this.readLine(); skipped++);
    this.#markBodyStart()
    if (hasHeader !== undefined) this.#readHeader(hasHeader)
  }

  #readHeader(hasHeader: boolean): void {
    if (!this.readLine()) return
    const names = this.readTexts()
    this.columns = hasHeader ? names : names.map((_, index) => `column${index + 1}`)
    if (this.#rules.ragged === 'collect') this.columns.push(EXTRA_COLUMN)
    if (hasHeader) this.#markBodyStart()
    else this.rewind()
  }

  #markBodyStart(): void {
    this.#bodyStart = { at: this.#at, line: this.#nextLine }
  }

  rewind(): void {
    this.#at = this.#bodyStart.at
    this.#nextLine = this.#bodyStart.line
  }

  next(): boolean {
    if (!this.readLine()) return false
    const expected = this.#rules.ragged === 'collect' ? this.columns.length - 1 : this.columns.length
    if (this.width !== expected) this.#fitWidth(expected)
    else if (this.#rules.ragged === 'collect') this.#setCell(expected, MISSING, 0, 0)
    return true
  }

  #fitWidth(expected: number): void {
    const { ragged } = this.#rules
    const found = this.width
    const isTaken = ragged === 'collect' || ragged === 'truncate' || (ragged === 'pad' && found < expected)
    if (!isTaken) throw new Problem('RAGGED_ROW', { line: this.line, expected, found })
    const [start, end] = [this.starts[expected]!, this.ends[found - 1]!]
    for (let column = found; column < expected; column++) this.#setCell(column, MISSING, 0, 0)
    if (ragged === 'collect') this.#setCell(expected, found > expected ? PLAIN : MISSING, start, end)
    this.width = expected
  }

  /** The cells of the current row as text, for callers that need a whole row at once. */
  readTexts(): string[] {
    return Array.from({ length: this.width }, (_, column) => {
      const text = this.bytes.toString('utf8', this.starts[column]!, this.ends[column]!)
      return this.kinds[column] === DOUBLED ? this.unescape(text) : text
    })
  }

  unescape(text: string): string {
    const { quote, escape: escapeMark } = this.#rules
    if (text.length > LONG_CELL) return this.#unescapeLong(text)
    if (escapeMark === quote) return text.replaceAll(quote + quote, quote)
    return text.replaceAll(escapeMark + quote, quote).replaceAll(escapeMark + escapeMark, escapeMark)
  }

  /** Replacing millions of escapes in a text would take a piece of memory for each. */
  #unescapeLong(text: string): string {
    const bytes = Buffer.from(text)
    let length = 0
    for (let at = 0; at < bytes.length; at++) {
      const next = bytes[at + 1]
      if (bytes[at] === this.#escape && (next === this.#quote || next === this.#escape)) at++
      bytes[length++] = bytes[at]!
    }
    return bytes.toString('utf8', 0, length)
  }

  /** Reads one row of any length. Empty lines and comments are skipped. */
  readLine(): boolean {
    const { bytes } = this
    for (;;) {
      if (this.#at >= bytes.length) return false
      const first = bytes[this.#at]!
      if (first === this.#comment) this.#skipLine()
      else if (first !== LF && first !== CR) break
      else this.#endLine()
    }
    this.line = this.#nextLine
    this.width = 0
    while (this.#readCell());
    return true
  }

  #skipLine(): void {
    while (this.#at < this.bytes.length && this.bytes[this.#at] !== LF && this.bytes[this.#at] !== CR) this.#at++
    this.#endLine()
  }

  #endLine(): void {
    if (this.bytes[this.#at] === CR && this.bytes[this.#at + 1] === LF) this.#at++
    this.#at++
    this.#nextLine++
  }

  /** Reads a cell and the delimiter or line end after it; returns whether another cell follows. */
  #readCell(): boolean {
    const { bytes } = this
    const delimiter = this.#delimiter
    let at = this.#rules.trim ? this.#skipSpace(this.#at) : this.#at
    const quote = this.#quote
    if (bytes[at] === quote) return this.#readQuoted(at)
    const start = at
    const { length } = bytes
    let byte = 0
    while (at < length) {
      byte = bytes[at]!
      if (byte === delimiter || byte === LF || byte === CR) break
      if (byte === quote) this.#noteStrayQuote()
      at++
    }
    this.#addCell(PLAIN, start, this.#rules.trim ? this.#findTrimmedEnd(start, at) : at)
    return this.#finishCell(at)
  }

  #noteStrayQuote(): void {
    this.#onStrayQuote?.(this.line)
    this.#onStrayQuote = undefined
  }

  #findTrimmedEnd(start: number, end: number): number {
    let last = end
    while (last > start && (this.bytes[last - 1] === SPACE || this.bytes[last - 1] === TAB)) last--
    return last
  }

  #readQuoted(from: number): boolean {
    const { end, kind } = this.#findQuotedEnd(from + 1)
    this.#addCell(kind, from + 1, end)
    let at = end + 1
    if (this.#rules.trim) at = this.#skipSpace(at)
    const after = this.bytes[at]
    const isEnd = after === undefined || after === this.#delimiter || after === LF || after === CR
    if (!isEnd) throw this.#createProblem('text after a closing quote')
    return this.#finishCell(at)
  }

  /** The position of the closing quote, and whether the text before it contains escapes. */
  #findQuotedEnd(from: number): { end: number; kind: number } {
    const { bytes } = this
    const [quote, escapeMark] = [this.#quote, this.#escape]
    let kind = QUOTED
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === escapeMark && (bytes[at + 1] === quote || escapeMark !== quote)) {
        kind = DOUBLED
        at++
      } else if (byte === quote) return { end: at, kind }
      else if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) this.#nextLine++
    }
    throw this.#createProblem('a quote is not closed')
  }

  #skipSpace(from: number): number {
    let at = from
    while (this.bytes[at] === SPACE || (this.bytes[at] === TAB && this.#delimiter !== TAB)) at++
    return at
  }

  #finishCell(at: number): boolean {
    this.#at = at
    if (at >= this.bytes.length) return false
    if (this.bytes[at] === this.#delimiter) {
      this.#at++
      if (this.#at < this.bytes.length) return true
      this.#addCell(PLAIN, this.#at, this.#at)
      return false
    }
    this.#endLine()
    return false
  }

  #addCell(kind: number, start: number, end: number): void {
    this.#setCell(this.width, kind, start, end)
    this.width++
  }

  #setCell(column: number, kind: number, start: number, end: number): void {
    if (column >= this.kinds.length) this.#grow()
    this.kinds[column] = kind
    this.starts[column] = start
    this.ends[column] = end
  }

  #grow(): void {
    const length = this.kinds.length * 2
    if (length > MAX_COLUMNS * 2) throw new Problem('TOO_MANY_COLUMNS', { limit: MAX_COLUMNS })
    const larger = { kinds: new Uint8Array(length), starts: new Int32Array(length), ends: new Int32Array(length) }
    larger.kinds.set(this.kinds)
    larger.starts.set(this.starts)
    larger.ends.set(this.ends)
    Object.assign(this, larger)
  }

  #createProblem(detail: string): Problem {
    const end = Math.min(this.bytes.length, this.starts[0]! + 80)
    const excerpt = this.width > 0 ? this.bytes.toString('utf8', this.starts[0]!, end) : ''
    return new Problem('CSV_PARSE_FAILED', {
      line: this.line,
      column: this.width + 1,
      detail,
      ...(excerpt && { excerpt }),
    })
  }
}
