/** An operand of a content stream. Strings are bytes, dictionaries are maps. */
export type Operand = number | boolean | null | Uint8Array | ContentName | Operand[] | Map<string, Operand>

export class ContentName {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export interface Operation {
  operator: string
  operands: Operand[]
  /** Byte range in the stream, operands included. */
  start: number
  end: number
}

const MAX_DEPTH = 50

/** Parses a content stream. Skips what it cannot parse, as viewers do. */
export function* parseOperations(bytes: Uint8Array): Generator<Operation> {
  const reader = new ContentReader(bytes)
  let operands: Operand[] = []
  let start = 0
  while (reader.skipWhitespace()) {
    if (operands.length === 0) start = reader.offset
    const token = reader.readToken(0)
    if (!(token instanceof Keyword)) {
      if (token !== undefined) operands.push(token)
      continue
    }
    const operator = token.text
    if (operator === 'BI') operands = [reader.readInlineImage()]
    yield { operator: operator === 'BI' ? 'EI' : operator, operands, start, end: reader.offset }
    operands = []
  }
}

/** Counts the graphics states that a stream saves and never restores. */
export function countOpenStates(bytes: Uint8Array): number {
  let depth = 0
  for (const { operator } of parseOperations(bytes)) {
    if (operator === 'q') depth += 1
    else if (operator === 'Q') depth = Math.max(0, depth - 1)
  }
  return depth
}

class Keyword {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const WHITESPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set([...'()<>[]{}/%'].map(character => character.charCodeAt(0)))
const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 }
const OPEN_PAREN = 40
const CLOSE_PAREN = 41
const LESS_THAN = 60
const GREATER_THAN = 62
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const SLASH = 47
const PERCENT = 37
const BACKSLASH = 92

class ContentReader {
  offset = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Moves to the next token. Returns false at the end. */
  skipWhitespace(): boolean {
    const bytes = this.#bytes
    while (this.offset < bytes.length) {
      const byte = bytes[this.offset]!
      if (byte === PERCENT) this.#skipComment()
      else if (WHITESPACE.has(byte)) this.offset += 1
      else return true
    }
    return false
  }

  #skipComment(): void {
    const bytes = this.#bytes
    while (this.offset < bytes.length && bytes[this.offset] !== 10 && bytes[this.offset] !== 13) this.offset += 1
  }

  readToken(depth: number): Operand | Keyword | undefined {
    const byte = this.#bytes[this.offset]
    if (byte === SLASH) return this.#readName()
    if (byte === OPEN_PAREN) return this.#readString()
    if (byte === LESS_THAN)
      return this.#bytes[this.offset + 1] === LESS_THAN ? this.#readDictionary(depth) : this.#readHexString()
    if (byte === OPEN_BRACKET) return this.#readArray(depth)
    if (byte !== undefined && DELIMITERS.has(byte)) {
      this.offset += 1
      return undefined
    }
    return this.#readNumberOrKeyword()
  }

  #readRegularCharacters(): string {
    const bytes = this.#bytes
    const start = this.offset
    const isRegular = (byte: number) => !WHITESPACE.has(byte) && !DELIMITERS.has(byte)
    while (this.offset < bytes.length && isRegular(bytes[this.offset]!)) this.offset += 1
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, this.offset - start).toString('latin1')
  }

  #readName(): ContentName {
    this.offset += 1
    const encoded = this.#readRegularCharacters()
    return new ContentName(
      encoded.replaceAll(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    )
  }

  #readNumberOrKeyword(): Operand | Keyword {
    const text = this.#readRegularCharacters()
    if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text)
    // Some writers put a sign or a second point inside a number; viewers use the digits before it.
    if (/^[+-]*[\d.]/.test(text)) return Number.parseFloat(text.replace(/^[+-]+/, signs => signs.at(-1)!)) || 0
    if (text === 'true' || text === 'false') return text === 'true'
    return text === 'null' ? null : new Keyword(text)
  }

  #readString(): Uint8Array {
    const string: number[] = []
    let depth = 0
    for (this.offset += 1; this.offset < this.#bytes.length; this.offset += 1) {
      const byte = this.#bytes[this.offset]!
      if (byte === CLOSE_PAREN && depth === 0) break
      if (byte === BACKSLASH) {
        this.#readEscape(string)
        continue
      }
      if (byte === OPEN_PAREN) depth += 1
      if (byte === CLOSE_PAREN) depth -= 1
      string.push(byte)
    }
    this.offset += 1
    return Uint8Array.from(string)
  }

  #readEscape(string: number[]): void {
    const rest = Buffer.from(this.#bytes.subarray(this.offset + 1, this.offset + 4)).toString('latin1')
    const octal = /^[0-7]{1,3}/.exec(rest)?.[0]
    if (octal) {
      string.push(Number.parseInt(octal, 8) & 255)
      this.offset += octal.length
      return
    }
    const character = rest[0] ?? ''
    this.offset += character === '\r' && rest[1] === '\n' ? 2 : 1
    if (character !== '\r' && character !== '\n' && character !== '')
      string.push(ESCAPES[character] ?? character.charCodeAt(0))
  }

  #readHexString(): Uint8Array {
    const start = this.offset + 1
    const found = this.#bytes.indexOf(GREATER_THAN, start)
    const end = found < 0 ? this.#bytes.length : found
    this.offset = end + 1
    const hexDigits = Buffer.from(this.#bytes.subarray(start, end))
      .toString('latin1')
      .replaceAll(/[^\da-f]/gi, '')
    return Uint8Array.from(Buffer.from(hexDigits.length % 2 === 1 ? `${hexDigits}0` : hexDigits, 'hex'))
  }

  #readArray(depth: number): Operand[] {
    this.offset += 1
    const items = this.#readItemsUntil(() => this.#bytes[this.offset] === CLOSE_BRACKET, depth)
    this.offset += 1
    return items
  }

  #readDictionary(depth: number): Map<string, Operand> {
    this.offset += 2
    const items = this.#readItemsUntil(() => this.#bytes[this.offset] === GREATER_THAN, depth)
    this.offset += 2
    return toEntries(items)
  }

  #readItemsUntil(isEnd: () => boolean, depth: number): Operand[] {
    const items: Operand[] = []
    while (this.skipWhitespace() && !isEnd()) {
      if (depth >= MAX_DEPTH) this.offset += 1
      const item = depth < MAX_DEPTH ? this.readToken(depth + 1) : undefined
      if (item !== undefined && !(item instanceof Keyword)) items.push(item)
    }
    return items
  }

  /** Reads the dictionary of an inline image and skips its data. */
  readInlineImage(): Map<string, Operand> {
    const items: Operand[] = []
    while (this.skipWhitespace()) {
      const item = this.readToken(0)
      if (item instanceof Keyword && item.text === 'ID') break
      if (item !== undefined && !(item instanceof Keyword)) items.push(item)
    }
    this.offset = findInlineImageEnd(this.#bytes, this.offset + 1)
    return toEntries(items)
  }
}

function toEntries(items: readonly Operand[]): Map<string, Operand> {
  const entries = new Map<string, Operand>()
  for (let index = 0; index + 1 < items.length; index += 2) {
    const key = items[index]
    if (key instanceof ContentName) entries.set(key.name, items[index + 1]!)
  }
  return entries
}

/** Finds an `EI` that is a word of its own, with text after it: the two bytes may occur inside the data too. */
function findInlineImageEnd(bytes: Uint8Array, start: number): number {
  for (let offset = start; offset + 1 < bytes.length; offset += 1) {
    if (bytes[offset] !== 69 || bytes[offset + 1] !== 73) continue
    const next = bytes[offset + 2]
    const isAlone = WHITESPACE.has(bytes[offset - 1]!) && (next === undefined || WHITESPACE.has(next))
    if (
      isAlone &&
      [...bytes.subarray(offset + 2, offset + 12)].every(byte => byte < 127 && (byte > 31 || WHITESPACE.has(byte)))
    )
      return offset + 2
  }
  return bytes.length
}
