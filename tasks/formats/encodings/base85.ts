import { BLANK, buildTable, chooseBlanks, invalidSymbolAt } from './alphabets.ts'

const FIRST_SYMBOL = 33
const RADIX = 85
/** The symbol `z`, which stands for four zero bytes. */
const ZERO_GROUP = 122
const HIGHEST_WORD = 0xffffffff

/** Encodes Ascii85: four bytes as five symbols, four zero bytes as `z`, a short last group shortened. */
export function encodeBase85(bytes: Uint8Array): Buffer {
  const text = Buffer.allocUnsafe(Math.ceil(bytes.length / 4) * 5)
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rest = bytes.length % 4
  let at = 0
  for (let start = 0; start < bytes.length - rest; start += 4) {
    const word = whole.readUInt32BE(start)
    if (word === 0) text[at++] = ZERO_GROUP
    else at = writeGroup(text, at, word)
  }
  if (rest === 0) return text.subarray(0, at)
  const last = Buffer.alloc(4)
  whole.copy(last, 0, bytes.length - rest)
  writeGroup(text, at, last.readUInt32BE())
  return text.subarray(0, at + rest + 1)
}

function writeGroup(text: Buffer, at: number, word: number): number {
  let left = word
  for (let index = 4; index >= 0; index--) {
    text[at + index] = FIRST_SYMBOL + (left % RADIX)
    left = Math.floor(left / RADIX)
  }
  return at + 5
}

/** `z` is valid only at the start of a group. A lenient decoder skips blanks, and what is outside Adobe's delimiters. */
export function decodeBase85(text: Uint8Array, lenient: boolean): Buffer {
  const [from, to] = findAdobeContent(text, lenient)
  const blanks = buildTable('', chooseBlanks(lenient))
  const bytes = Buffer.allocUnsafe((to - from) * 4 + 4)
  let word = 0
  let count = 0
  let at = 0
  for (let position = from; position < to; position++) {
    const code = text[position]!
    if (blanks[code] === BLANK) continue
    if (code === ZERO_GROUP && count === 0) {
      at = bytes.writeUInt32BE(0, at)
      continue
    }
    word = word * RADIX + readSymbol(code, position)
    if (++count < 5) continue
    at = writeWord(bytes, at, word, position)
    word = count = 0
  }
  return bytes.subarray(0, count === 0 ? at : writeLast(bytes, at, word, count, to - 1))
}

function readSymbol(code: number, position: number): number {
  if (code < FIRST_SYMBOL || code >= FIRST_SYMBOL + RADIX) throw invalidSymbolAt(position)
  return code - FIRST_SYMBOL
}

function writeWord(bytes: Buffer, at: number, word: number, position: number): number {
  if (word > HIGHEST_WORD) throw invalidSymbolAt(position)
  return bytes.writeUInt32BE(word, at)
}

/** A short group is decoded as if filled up with the highest symbol. */
function writeLast(bytes: Buffer, at: number, word: number, count: number, position: number): number {
  if (count === 1) throw invalidSymbolAt(position)
  writeWord(bytes, at, (word + 1) * RADIX ** (5 - count) - 1, position)
  return at + count - 1
}

/** Adobe ends the text with `~>`, and may begin it with `<~`. */
function findAdobeContent(text: Uint8Array, lenient: boolean): [number, number] {
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const start = whole.indexOf('<~')
  const end = whole.lastIndexOf('~>')
  const isStart = lenient ? start !== -1 : start === 0
  const from = isStart ? start + 2 : 0
  const isEnd = end >= from && (lenient || end === text.length - 2)
  return [from, isEnd ? end : text.length]
}
