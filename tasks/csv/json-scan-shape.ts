import { Problem } from '#kit'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const MOST_DEPTH = 200
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const ESCAPED = new Set([...'"\\/bfnrt'].map(letter => letter.charCodeAt(0)))

/** Walks JSON byte by byte without building anything. */
export class JsonScan {
  at = 0
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The next byte that is no white space, still unread. */
  peek(): number {
    const { bytes } = this
    for (;;) {
      const byte = bytes[this.at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte ?? -1
      this.at++
    }
  }

  take(mark: string): void {
    if (this.peek() !== mark.charCodeAt(0)) throw this.fault(`${mark} expected`)
    this.at++
  }

  /** After an item: whether a comma follows, or the closing mark. */
  more(close: string): boolean {
    const byte = this.peek()
    this.at++
    if (byte === 0x2c) return true
    if (byte === close.charCodeAt(0)) return false
    this.at--
    throw this.fault(`, or ${close} expected`)
  }

  /** Passes a string and gives where its content begins; it ends before the quote just passed. */
  string(): number {
    this.take('"')
    const start = this.at
    const { bytes } = this
    for (;;) {
      const byte = bytes[this.at]
      if (byte === QUOTE) break
      if (byte === undefined || byte < 0x20) throw this.fault('a string without its end')
      if (byte === BACKSLASH) this.escape()
      this.at++
    }
    this.at++
    return start
  }

  private escape(): void {
    const next = this.bytes[++this.at] ?? -1
    if (next === 0x75) {
      if (!/^[0-9a-fA-F]{4}$/.test(this.bytes.toString('latin1', this.at + 1, this.at + 5)))
        throw this.fault('a bad escape')
      this.at += 4
    } else if (!ESCAPED.has(next)) throw this.fault('a bad escape')
  }

  /** Passes a number or one of the three words. */
  scalar(): number {
    this.peek()
    const start = this.at
    const { bytes } = this
    for (let byte = bytes[this.at]!; isScalarByte(byte); byte = bytes[this.at]!) this.at++
    const text = bytes.toString('latin1', start, this.at)
    if (!NUMBER.test(text) && text !== 'true' && text !== 'false' && text !== 'null') {
      this.at = start
      throw this.fault('a value expected')
    }
    return start
  }

  /** Passes any value. */
  skip(depth = 0): void {
    const byte = this.peek()
    if (depth > MOST_DEPTH) throw this.fault(`deeper than ${MOST_DEPTH}`)
    if (byte === QUOTE) this.string()
    else if (byte === 0x7b) this.members(() => this.skip(depth + 1))
    else if (byte === 0x5b) this.items(() => this.skip(depth + 1))
    else this.scalar()
  }

  /** Calls `each` before every value of an object, with where its key stands. */
  members(each: (keyStart: number, keyEnd: number) => void): void {
    this.take('{')
    if (this.peek() === 0x7d) {
      this.at++
      return
    }
    do {
      const start = this.string()
      const end = this.at - 1
      this.take(':')
      each(start, end)
    } while (this.more('}'))
  }

  items(each: () => void): void {
    this.take('[')
    if (this.peek() === 0x5d) {
      this.at++
      return
    }
    do each()
    while (this.more(']'))
  }

  fault(detail: string): Problem {
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
