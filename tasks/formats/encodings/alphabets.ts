import { Problem } from '#kit'

const NO_SYMBOL = 255
export const BLANK = 254
const PAD = 61
const WHITESPACE = ' \t\r\n\f\v'

/** An encoding whose alphabet has a power of two symbols, as in RFC 4648. */
export interface BitAlphabet {
  symbols: string
  bitsPerSymbol: number
  /** The number of symbols that fill whole bytes; padding completes the text to a multiple of it. */
  paddingGroup: number
  /** Symbols of other alphabets that a lenient decoder accepts for these. */
  lookalikes?: Record<string, string>
  ignoresCase?: boolean
}

export interface Strictness {
  padding: boolean
  lenient: boolean
  /** White space that the format itself allows, as MIME allows line breaks. */
  blanks?: string
}

export function buildTable(symbols: string, blanks = ''): Uint8Array {
  const table = new Uint8Array(256).fill(NO_SYMBOL)
  for (let value = 0; value < symbols.length; value++) table[symbols.charCodeAt(value)] = value
  for (const blank of blanks) table[blank.charCodeAt(0)] = BLANK
  return table
}

export function invalidSymbolAt(position: number): Problem {
  return new Problem('BASE64_INVALID', { position })
}

/** The values of the symbols of a text, without blanks. */
export function readValues(text: Uint8Array, table: Uint8Array): Uint8Array {
  const values = new Uint8Array(text.length)
  let count = 0
  for (let position = 0; position < text.length; position++) {
    const value = table[text[position]!]!
    if (value === NO_SYMBOL) throw invalidSymbolAt(position)
    if (value !== BLANK) values[count++] = value
  }
  return values.subarray(0, count)
}

export function chooseBlanks(lenient: boolean, blanks = ''): string {
  return lenient ? WHITESPACE : blanks
}

/** Decodes base64, base32 or hex. Fails at the first invalid symbol. */
export function decodeBits(text: Uint8Array, alphabet: BitAlphabet, strictness: Strictness): Buffer {
  const table = buildDecodingTable(alphabet, strictness)
  const end = findSymbolsEnd(text, table)
  const values = readValues(text.subarray(0, end), table)
  const pads = countPads(text, end, table)
  checkLength(values.length, pads, alphabet, strictness, text.length)
  return packBits(values, alphabet.bitsPerSymbol, strictness.lenient ? undefined : end)
}

function buildDecodingTable(alphabet: BitAlphabet, { lenient, blanks }: Strictness): Uint8Array {
  const table = buildTable(alphabet.symbols, chooseBlanks(lenient, blanks))
  for (const [other, symbol] of lenient ? Object.entries(alphabet.lookalikes ?? {}) : []) {
    table[other.charCodeAt(0)] = table[symbol.charCodeAt(0)]!
  }
  if (!lenient && !alphabet.ignoresCase) return table
  return alphabet.bitsPerSymbol < 6 ? acceptBothCases(table, alphabet.symbols) : table
}

function acceptBothCases(table: Uint8Array, symbols: string): Uint8Array {
  for (const symbol of symbols) {
    table[symbol.toUpperCase().charCodeAt(0)] = table[symbol.charCodeAt(0)]!
    table[symbol.toLowerCase().charCodeAt(0)] = table[symbol.charCodeAt(0)]!
  }
  return table
}

function findSymbolsEnd(text: Uint8Array, table: Uint8Array): number {
  const pad = text.indexOf(PAD)
  let end = pad === -1 ? text.length : pad
  while (end > 0 && table[text[end - 1]!] === BLANK) end--
  return end
}

function countPads(text: Uint8Array, end: number, table: Uint8Array): number {
  let pads = 0
  for (let position = end; position < text.length; position++) {
    if (text[position] === PAD) pads++
    else if (table[text[position]!] !== BLANK) throw invalidSymbolAt(position)
  }
  return pads
}

function checkLength(count: number, pads: number, alphabet: BitAlphabet, strict: Strictness, end: number): void {
  const { paddingGroup: group, bitsPerSymbol: bitsEach } = alphabet
  const left = count % group
  const isWhole = (left * bitsEach) % 8 < bitsEach
  const needed = strict.padding && left > 0 ? group - left : 0
  const isPadded = strict.lenient ? pads < group : pads === needed
  if (!isWhole || !isPadded) throw invalidSymbolAt(end)
}

/** Left-over bits must be zero, or the symbol before `end` is invalid. Without `end` they may have any value. */
function packBits(values: Uint8Array, bitsEach: number, end: number | undefined): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor((values.length * bitsEach) / 8))
  let pending = 0
  let bits = 0
  let at = 0
  for (let index = 0; index < values.length; index++) {
    pending = ((pending << bitsEach) | values[index]!) & 0xfff
    bits += bitsEach
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = pending >> bits
    }
  }
  const leftOver = pending & ((1 << bits) - 1)
  if (end !== undefined && leftOver !== 0) throw invalidSymbolAt(end - 1)
  return bytes
}

/** Encodes bytes; the result is ASCII. */
export function encodeBits(
  bytes: Uint8Array,
  { symbols, bitsPerSymbol: bitsEach, paddingGroup: group }: BitAlphabet,
  padding: boolean,
): Buffer {
  const count = Math.ceil((bytes.length * 8) / bitsEach)
  const text = Buffer.alloc(padding ? Math.ceil(count / group) * group : count, PAD)
  const codes = Buffer.from(symbols, 'latin1')
  const mask = 2 ** bitsEach - 1
  let pending = 0
  let bits = 0
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    pending = ((pending << 8) | bytes[index]!) & 0xffff
    bits += 8
    while (bits >= bitsEach) {
      bits -= bitsEach
      text[at++] = codes[(pending >> bits) & mask]!
    }
  }
  if (bits > 0) text[at] = codes[(pending << (bitsEach - bits)) & mask]!
  return text
}
