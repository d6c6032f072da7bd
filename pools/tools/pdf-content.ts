/** An operand of a content stream. Strings are bytes, names carry their word. */
export type Operand = number | boolean | null | Uint8Array | ContentName | Operand[] | Map<string, Operand>

export class ContentName {
  readonly word: string
  constructor(word: string) {
    this.word = word
  }
}

export interface Operation {
  operator: string
  operands: Operand[]
  /** Where it stands in the stream, its operands included. */
  start: number
  end: number
}

const DEEPEST = 50

/** Reads a content stream, one operation after the other; what makes no sense is passed over. */
export function* operationsIn(bytes: Uint8Array): Generator<Operation> {
  const reader = new ContentReader(bytes)
  let operands: Operand[] = []
  let start = 0
  while (reader.skipSpace()) {
    if (operands.length === 0) start = reader.at
    const token = reader.token(0)
    if (!(token instanceof Word)) {
      if (token !== undefined) operands.push(token)
      continue
    }
    const operator = token.text
    if (operator === 'BI') operands = [reader.inlineImage()]
    yield { operator: operator === 'BI' ? 'EI' : operator, operands, start, end: reader.at }
    operands = []
  }
}

/** How many states a stream leaves open that a reader would have to close again. */
export function openStates(bytes: Uint8Array): number {
  let depth = 0
  for (const { operator } of operationsIn(bytes)) {
    if (operator === 'q') depth += 1
    else if (operator === 'Q') depth = Math.max(0, depth - 1)
  }
  return depth
}

class Word {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const SPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set([...'()<>[]{}/%'].map(sign => sign.charCodeAt(0)))
const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 }
const [OPEN, CLOSE, LESS, MORE, LEFT, RIGHT, SLASH, PERCENT, BACK] = [...'()<>[]/%\\'].map(sign =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number, number]

class ContentReader {
  at = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Goes on to the next token; false at the end. */
  skipSpace(): boolean {
    const { bytes } = this
    while (this.at < bytes.length) {
      const byte = bytes[this.at]!
      if (byte === PERCENT) this.skipComment()
      else if (SPACE.has(byte)) this.at += 1
      else return true
    }
    return false
  }

  private skipComment(): void {
    while (this.at < this.bytes.length && this.bytes[this.at] !== 10 && this.bytes[this.at] !== 13) this.at += 1
  }

  token(depth: number): Operand | Word | undefined {
    const byte = this.bytes[this.at]
    if (byte === SLASH) return this.name()
    if (byte === OPEN) return this.text()
    if (byte === LESS) return this.bytes[this.at + 1] === LESS ? this.map(depth) : this.hex()
    if (byte === LEFT) return this.list(depth)
    if (byte !== undefined && DELIMITERS.has(byte)) {
      this.at += 1
      return undefined
    }
    return this.word()
  }

  private regular(): string {
    const start = this.at
    while (this.at < this.bytes.length && !SPACE.has(this.bytes[this.at]!) && !DELIMITERS.has(this.bytes[this.at]!))
      this.at += 1
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, this.at - start).toString('latin1')
  }

  private name(): ContentName {
    this.at += 1
    const plain = this.regular()
    return new ContentName(
      plain.replaceAll(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    )
  }

  private word(): Operand | Word {
    const text = this.regular()
    if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return Number(text)
    // Some writers leave a sign or a second point inside a number; readers take what stands before it.
    if (/^[+-]*[\d.]/.test(text)) return Number.parseFloat(text.replace(/^[+-]+/, sign => sign.at(-1)!)) || 0
    if (text === 'true' || text === 'false') return text === 'true'
    return text === 'null' ? null : new Word(text)
  }

  private text(): Uint8Array {
    const made: number[] = []
    let depth = 0
    for (this.at += 1; this.at < this.bytes.length; this.at += 1) {
      const byte = this.bytes[this.at]!
      if (byte === CLOSE && depth === 0) break
      if (byte === BACK) {
        this.escape(made)
        continue
      }
      if (byte === OPEN) depth += 1
      if (byte === CLOSE) depth -= 1
      made.push(byte)
    }
    this.at += 1
    return Uint8Array.from(made)
  }

  private escape(made: number[]): void {
    const rest = Buffer.from(this.bytes.subarray(this.at + 1, this.at + 4)).toString('latin1')
    const octal = /^[0-7]{1,3}/.exec(rest)?.[0]
    if (octal) {
      made.push(Number.parseInt(octal, 8) & 255)
      this.at += octal.length
      return
    }
    const letter = rest[0] ?? ''
    this.at += letter === '\r' && rest[1] === '\n' ? 2 : 1
    if (letter !== '\r' && letter !== '\n' && letter !== '') made.push(ESCAPES[letter] ?? letter.charCodeAt(0))
  }

  private hex(): Uint8Array {
    const start = this.at + 1
    const found = this.bytes.indexOf(MORE, start)
    const end = found < 0 ? this.bytes.length : found
    this.at = end + 1
    const digits = Buffer.from(this.bytes.subarray(start, end))
      .toString('latin1')
      .replaceAll(/[^\da-f]/gi, '')
    return Uint8Array.from(Buffer.from(digits.length % 2 === 1 ? `${digits}0` : digits, 'hex'))
  }

  private list(depth: number): Operand[] {
    this.at += 1
    const items = this.itemsUntil(() => this.bytes[this.at] === RIGHT, depth)
    this.at += 1
    return items
  }

  private map(depth: number): Map<string, Operand> {
    this.at += 2
    const items = this.itemsUntil(() => this.bytes[this.at] === MORE, depth)
    this.at += 2
    return inPairs(items)
  }

  private itemsUntil(isEnd: () => boolean, depth: number): Operand[] {
    const items: Operand[] = []
    while (this.skipSpace() && !isEnd()) {
      if (depth >= DEEPEST) this.at += 1
      const item = depth < DEEPEST ? this.token(depth + 1) : undefined
      if (item !== undefined && !(item instanceof Word)) items.push(item)
    }
    return items
  }

  /** The dictionary of a picture inside the stream; its data are passed over. */
  inlineImage(): Map<string, Operand> {
    const items: Operand[] = []
    while (this.skipSpace()) {
      const item = this.token(0)
      if (item instanceof Word && item.text === 'ID') break
      if (item !== undefined && !(item instanceof Word)) items.push(item)
    }
    this.at = endOfData(this.bytes, this.at + 1)
    return inPairs(items)
  }
}

function inPairs(items: readonly Operand[]): Map<string, Operand> {
  const entries = new Map<string, Operand>()
  for (let index = 0; index + 1 < items.length; index += 2) {
    const key = items[index]
    if (key instanceof ContentName) entries.set(key.word, items[index + 1]!)
  }
  return entries
}

/** The end of `EI` that stands alone with something readable after it: the two letters may be in the data too. */
function endOfData(bytes: Uint8Array, start: number): number {
  for (let at = start; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 69 || bytes[at + 1] !== 73) continue
    const next = bytes[at + 2]
    const isAlone = SPACE.has(bytes[at - 1]!) && (next === undefined || SPACE.has(next))
    if (isAlone && [...bytes.subarray(at + 2, at + 12)].every(byte => byte < 127 && (byte > 31 || SPACE.has(byte))))
      return at + 2
  }
  return bytes.length
}
