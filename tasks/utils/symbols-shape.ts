import { Problem } from '#kit'

const NO_SYMBOL = 255
export const BLANK = 254
const PAD = 61
const WHITESPACE = ' \t\r\n\f\v'

/** An alphabet of a power of two, as RFC 4648 defines them. */
export interface BitAlphabet {
  symbols: string
  bitsEach: number
  /** Symbols that fill whole bytes: padding completes to a multiple of it. */
  group: number
  /** Symbols of other alphabets that a lenient reader takes for these. */
  alike?: Record<string, string>
  ignoresCase?: boolean
}

export interface Strictness {
  padding: boolean
  lenient: boolean
  /** Blanks that the format itself allows, as MIME allows line breaks. */
  blanks?: string
}

export function tableOf(symbols: string, blanks = ''): Uint8Array {
  const table = new Uint8Array(256).fill(NO_SYMBOL)
  for (let value = 0; value < symbols.length; value++) table[symbols.charCodeAt(value)] = value
  for (const blank of blanks) table[blank.charCodeAt(0)] = BLANK
  return table
}

export function invalidAt(position: number): Problem {
  return new Problem('BASE64_INVALID', { position })
}

/** The values of the symbols of a text, blanks left out. A position in ASCII is one in bytes as well. */
export function valuesOf(text: Uint8Array, table: Uint8Array): Uint8Array {
  const values = new Uint8Array(text.length)
  let count = 0
  for (let position = 0; position < text.length; position++) {
    const value = table[text[position]!]!
    if (value === NO_SYMBOL) throw invalidAt(position)
    if (value !== BLANK) values[count++] = value
  }
  return values.subarray(0, count)
}

export function blanksOf(lenient: boolean, blanks = ''): string {
  return lenient ? WHITESPACE : blanks
}

/** Reads base64, base32 or hex. Fails at the first symbol that does not belong. */
export function decodeBits(text: Uint8Array, alphabet: BitAlphabet, strictness: Strictness): Buffer {
  const table = readingTable(alphabet, strictness)
  const end = endOfSymbols(text, table)
  const values = valuesOf(text.subarray(0, end), table)
  const pads = countPads(text, end, table)
  checkLength(values.length, pads, alphabet, strictness, text.length)
  return packBits(values, alphabet.bitsEach, strictness.lenient ? undefined : end)
}

function readingTable(alphabet: BitAlphabet, { lenient, blanks }: Strictness): Uint8Array {
  const table = tableOf(alphabet.symbols, blanksOf(lenient, blanks))
  for (const [other, symbol] of lenient ? Object.entries(alphabet.alike ?? {}) : []) {
    table[other.charCodeAt(0)] = table[symbol.charCodeAt(0)]!
  }
  if (!lenient && !alphabet.ignoresCase) return table
  return alphabet.bitsEach < 6 ? withBothCases(table, alphabet.symbols) : table
}

function withBothCases(table: Uint8Array, symbols: string): Uint8Array {
  for (const symbol of symbols) {
    table[symbol.toUpperCase().charCodeAt(0)] = table[symbol.charCodeAt(0)]!
    table[symbol.toLowerCase().charCodeAt(0)] = table[symbol.charCodeAt(0)]!
  }
  return table
}

function endOfSymbols(text: Uint8Array, table: Uint8Array): number {
  const pad = text.indexOf(PAD)
  let end = pad === -1 ? text.length : pad
  while (end > 0 && table[text[end - 1]!] === BLANK) end--
  return end
}

function countPads(text: Uint8Array, end: number, table: Uint8Array): number {
  let pads = 0
  for (let position = end; position < text.length; position++) {
    if (text[position] === PAD) pads++
    else if (table[text[position]!] !== BLANK) throw invalidAt(position)
  }
  return pads
}

function checkLength(count: number, pads: number, alphabet: BitAlphabet, strict: Strictness, end: number): void {
  const { group, bitsEach } = alphabet
  const left = count % group
  const isWhole = (left * bitsEach) % 8 < bitsEach
  const needed = strict.padding && left > 0 ? group - left : 0
  const isPadded = strict.lenient ? pads < group : pads === needed
  if (!isWhole || !isPadded) throw invalidAt(end)
}

/** `lastPosition` is where the fault lies when the bits left over are not zero; without it they may be anything. */
function packBits(values: Uint8Array, bitsEach: number, lastPosition: number | undefined): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor((values.length * bitsEach) / 8))
  let held = 0
  let bits = 0
  let at = 0
  for (let index = 0; index < values.length; index++) {
    held = ((held << bitsEach) | values[index]!) & 0xfff
    bits += bitsEach
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = held >> bits
    }
  }
  const leftOver = held & ((1 << bits) - 1)
  if (lastPosition !== undefined && leftOver !== 0) throw invalidAt(lastPosition - 1)
  return bytes
}

/** Writes the bytes in an alphabet of bits; the answer is ASCII. */
export function encodeBits(bytes: Uint8Array, { symbols, bitsEach, group }: BitAlphabet, padding: boolean): Buffer {
  const count = Math.ceil((bytes.length * 8) / bitsEach)
  const text = Buffer.alloc(padding ? Math.ceil(count / group) * group : count, PAD)
  const codes = Buffer.from(symbols, 'latin1')
  const mask = 2 ** bitsEach - 1
  let held = 0
  let bits = 0
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    held = ((held << 8) | bytes[index]!) & 0xffff
    bits += 8
    while (bits >= bitsEach) {
      bits -= bitsEach
      text[at++] = codes[(held >> bits) & mask]!
    }
  }
  if (bits > 0) text[at] = codes[(held << (bitsEach - bits)) & mask]!
  return text
}
