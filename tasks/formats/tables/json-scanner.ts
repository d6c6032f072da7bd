import { Problem } from '#kit'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const MAX_DEPTH = 200
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const ESCAPABLE = new Set([...'"\\/bfnrt'].map(letter => letter.charCodeAt(0)))

/** Scans JSON byte by byte without building values. */
export class JsonScanner {
  at = 0
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The next byte that is not white space, without consuming it. */
  peek(): number {
    const { bytes } = this
    for (;;) {
      const byte = bytes[this.at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte ?? -1
      this.at++
    }
  }

  expect(mark: string): void {
    if (this.peek() !== mark.charCodeAt(0)) throw this.createProblem(`${mark} expected`)
    this.at++
  }

  /** Reads what follows an item: true for a comma, false for the closing bracket. */
  hasMore(close: string): boolean {
    const byte = this.peek()
    this.at++
    if (byte === 0x2c) return true
    if (byte === close.charCodeAt(0)) return false
    this.at--
    throw this.createProblem(`, or ${close} expected`)
  }

  /** Skips a string and returns where its content begins; it ends before the quote just skipped. */
  skipString(): number {
    this.expect('"')
    const start = this.at
    const { bytes } = this
    for (;;) {
      const byte = bytes[this.at]
      if (byte === QUOTE) break
      if (byte === undefined || byte < 0x20) throw this.createProblem('a string is not closed')
      if (byte === BACKSLASH) this.#skipEscape()
      this.at++
    }
    this.at++
    return start
  }

  #skipEscape(): void {
    const next = this.bytes[++this.at] ?? -1
    if (next === 0x75) {
      if (!/^[0-9a-fA-F]{4}$/.test(this.bytes.toString('latin1', this.at + 1, this.at + 5)))
        throw this.createProblem('a bad escape')
      this.at += 4
    } else if (!ESCAPABLE.has(next)) throw this.createProblem('a bad escape')
  }

  /** Skips a number, true, false or null; returns where it begins. */
  skipScalar(): number {
    this.peek()
    const start = this.at
    const { bytes } = this
    for (let byte = bytes[this.at]!; isScalarByte(byte); byte = bytes[this.at]!) this.at++
    const text = bytes.toString('latin1', start, this.at)
    if (!NUMBER.test(text) && text !== 'true' && text !== 'false' && text !== 'null') {
      this.at = start
      throw this.createProblem('a value expected')
    }
    return start
  }

  /** Skips any value. */
  skipValue(depth = 0): void {
    const byte = this.peek()
    if (depth > MAX_DEPTH) throw this.createProblem(`deeper than ${MAX_DEPTH}`)
    if (byte === QUOTE) this.skipString()
    else if (byte === 0x7b) this.eachMember(() => this.skipValue(depth + 1))
    else if (byte === 0x5b) this.eachItem(() => this.skipValue(depth + 1))
    else this.skipScalar()
  }

  /** Calls `each` before every value of an object, with the position of its key. */
  eachMember(each: (keyStart: number, keyEnd: number) => void): void {
    this.expect('{')
    if (this.peek() === 0x7d) {
      this.at++
      return
    }
    do {
      const start = this.skipString()
      const end = this.at - 1
      this.expect(':')
      each(start, end)
    } while (this.hasMore('}'))
  }

  eachItem(each: () => void): void {
    this.expect('[')
    if (this.peek() === 0x5d) {
      this.at++
      return
    }
    do each()
    while (this.hasMore(']'))
  }

  createProblem(detail: string): Problem {
    const before = this.bytes.subarray(0, this.at)
    const lineStart = before.lastIndexOf(0x0a) + 1
    let line = 1
    for (let at = before.indexOf(0x0a); at >= 0; at = before.indexOf(0x0a, at + 1)) line++
    const excerpt = this.bytes.toString('utf8', this.at, Math.min(this.bytes.length, this.at + 60))
    return new Problem('JSON_PARSE_FAILED', { line, column: this.at - lineStart + 1, detail, excerpt })
  }
}

function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  )
}
