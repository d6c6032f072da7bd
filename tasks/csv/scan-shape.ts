import { Problem } from '#kit'
import type { Dialect } from './dialect-shape.ts'
import { DOUBLED, MISSING, PLAIN, QUOTED, type Rows } from './rows-shape.ts'

export const MOST_COLUMNS = 16_384
const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09]
const EXTRA = '_extra'

export type ScanRules = Omit<Dialect, 'header' | 'encoding' | 'decimal'>

/** Reads CSV over its bytes. Every mark is ASCII, so that no byte of a longer letter is taken for one. */
export class CsvRows implements Rows {
  columns: string[] = []
  readonly bytes: Buffer
  kinds = new Uint8Array(64)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  line = 0
  /** Cells of the row at hand. */
  width = 0
  private nextLine = 1
  private at: number
  private body = { at: 0, line: 1 }
  private readonly rules: ScanRules
  private readonly delimiter: number
  private readonly quote: number
  private readonly escape: number
  private readonly comment: number

  constructor(bytes: Buffer, start: number, rules: ScanRules, hasHeader: boolean | undefined) {
    this.bytes = bytes
    this.rules = rules
    this.at = start
    this.delimiter = rules.delimiter.charCodeAt(0)
    this.quote = rules.quote.charCodeAt(0)
    this.escape = rules.escape.charCodeAt(0)
    this.comment = rules.comment?.charCodeAt(0) ?? -1
    for (let skipped = 0; skipped < rules.skipRows && this.readLine(); skipped++);
    this.mark()
    if (hasHeader !== undefined) this.readHeader(hasHeader)
  }

  private readHeader(hasHeader: boolean): void {
    if (!this.readLine()) return
    const names = this.texts()
    this.columns = hasHeader ? names : names.map((_, index) => `column${index + 1}`)
    if (this.rules.ragged === 'collect') this.columns.push(EXTRA)
    if (hasHeader) this.mark()
    else this.rewind()
  }

  private mark(): void {
    this.body = { at: this.at, line: this.nextLine }
  }

  rewind(): void {
    this.at = this.body.at
    this.nextLine = this.body.line
  }

  next(): boolean {
    if (!this.readLine()) return false
    const expected = this.rules.ragged === 'collect' ? this.columns.length - 1 : this.columns.length
    if (this.width !== expected) this.mend(expected)
    else if (this.rules.ragged === 'collect') this.put(expected, MISSING, 0, 0)
    return true
  }

  private mend(expected: number): void {
    const { ragged } = this.rules
    const found = this.width
    const isTaken = ragged === 'collect' || ragged === 'truncate' || (ragged === 'pad' && found < expected)
    if (!isTaken) throw new Problem('RAGGED_ROW', { line: this.line, expected, found })
    const [start, end] = [this.starts[expected]!, this.ends[found - 1]!]
    for (let column = found; column < expected; column++) this.put(column, MISSING, 0, 0)
    if (ragged === 'collect') this.put(expected, found > expected ? PLAIN : MISSING, start, end)
    this.width = expected
  }

  /** The cells of the row at hand, for the few rows whose texts are needed at once. */
  texts(): string[] {
    return Array.from({ length: this.width }, (_, column) => {
      const text = this.bytes.toString('utf8', this.starts[column]!, this.ends[column]!)
      return this.kinds[column] === DOUBLED ? this.unescape(text) : text
    })
  }

  unescape(text: string): string {
    const { quote, escape: mark } = this.rules
    if (mark === quote) return text.replaceAll(quote + quote, quote)
    return text.replaceAll(mark + quote, quote).replaceAll(mark + mark, mark)
  }

  /** Reads one row of whatever length. Empty lines and comments are no rows. */
  readLine(): boolean {
    const { bytes } = this
    for (;;) {
      if (this.at >= bytes.length) return false
      const first = bytes[this.at]!
      if (first === this.comment) this.skipLine()
      else if (first !== LF && first !== CR) break
      else this.endLine()
    }
    this.line = this.nextLine
    this.width = 0
    while (this.readCell());
    return true
  }

  private skipLine(): void {
    while (this.at < this.bytes.length && this.bytes[this.at] !== LF && this.bytes[this.at] !== CR) this.at++
    this.endLine()
  }

  private endLine(): void {
    if (this.bytes[this.at] === CR && this.bytes[this.at + 1] === LF) this.at++
    this.at++
    this.nextLine++
  }

  /** Reads a cell and the mark after it; says whether another cell follows. */
  private readCell(): boolean {
    const { bytes, delimiter } = this
    let at = this.rules.trim ? this.skipSpace(this.at) : this.at
    if (bytes[at] === this.quote) return this.readQuoted(at)
    const start = at
    const { length } = bytes
    let byte = 0
    while (at < length) {
      byte = bytes[at]!
      if (byte === delimiter || byte === LF || byte === CR) break
      at++
    }
    this.add(PLAIN, start, this.rules.trim ? this.trimmedEnd(start, at) : at)
    return this.pass(at)
  }

  private trimmedEnd(start: number, end: number): number {
    let last = end
    while (last > start && (this.bytes[last - 1] === SPACE || this.bytes[last - 1] === TAB)) last--
    return last
  }

  private readQuoted(from: number): boolean {
    const { end, kind } = this.quotedEnd(from + 1)
    this.add(kind, from + 1, end)
    let at = end + 1
    if (this.rules.trim) at = this.skipSpace(at)
    const after = this.bytes[at]
    const isEnd = after === undefined || after === this.delimiter || after === LF || after === CR
    if (!isEnd) throw this.fault('text after a closing quote')
    return this.pass(at)
  }

  /** Where the closing quote stands, and whether anything before it is written in two marks. */
  private quotedEnd(from: number): { end: number; kind: number } {
    const { bytes, quote, escape: mark } = this
    let kind = QUOTED
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === mark && (bytes[at + 1] === quote || mark !== quote)) {
        kind = DOUBLED
        at++
      } else if (byte === quote) return { end: at, kind }
      else if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) this.nextLine++
    }
    throw this.fault('a quote without its end')
  }

  private skipSpace(from: number): number {
    let at = from
    while (this.bytes[at] === SPACE || (this.bytes[at] === TAB && this.delimiter !== TAB)) at++
    return at
  }

  private pass(at: number): boolean {
    this.at = at
    if (at >= this.bytes.length) return false
    if (this.bytes[at] === this.delimiter) {
      this.at++
      if (this.at < this.bytes.length) return true
      this.add(PLAIN, this.at, this.at)
      return false
    }
    this.endLine()
    return false
  }

  private add(kind: number, start: number, end: number): void {
    this.put(this.width, kind, start, end)
    this.width++
  }

  private put(column: number, kind: number, start: number, end: number): void {
    if (column >= this.kinds.length) this.grow()
    this.kinds[column] = kind
    this.starts[column] = start
    this.ends[column] = end
  }

  private grow(): void {
    const length = this.kinds.length * 2
    if (length > MOST_COLUMNS * 2) throw new Problem('TOO_MANY_COLUMNS', { limit: MOST_COLUMNS })
    const larger = { kinds: new Uint8Array(length), starts: new Int32Array(length), ends: new Int32Array(length) }
    larger.kinds.set(this.kinds)
    larger.starts.set(this.starts)
    larger.ends.set(this.ends)
    Object.assign(this, larger)
  }

  private fault(detail: string): Problem {
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
