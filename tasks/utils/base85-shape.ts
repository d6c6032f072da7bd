import { BLANK, blanksOf, invalidAt, tableOf } from './symbols-shape.ts'

const FIRST = 33
const RADIX = 85
/** Stands for four zero bytes. */
const ZEROS = 122
const HIGHEST_WORD = 0xffffffff

/** Ascii85: four bytes in five symbols, `z` for four zero bytes, a short last group cut. */
export function encodeBase85(bytes: Uint8Array): Buffer {
  const text = Buffer.allocUnsafe(Math.ceil(bytes.length / 4) * 5)
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rest = bytes.length % 4
  let at = 0
  for (let start = 0; start < bytes.length - rest; start += 4) {
    const word = whole.readUInt32BE(start)
    if (word === 0) text[at++] = ZEROS
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
    text[at + index] = FIRST + (left % RADIX)
    left = Math.floor(left / RADIX)
  }
  return at + 5
}

/** A `z` is taken only where a group begins; a lenient reader passes over blanks and the marks of Adobe. */
export function decodeBase85(text: Uint8Array, lenient: boolean): Buffer {
  const [from, to] = lenient ? insideMarks(text) : [0, text.length]
  const blanks = tableOf('', blanksOf(lenient))
  const bytes = Buffer.allocUnsafe((to - from) * 4 + 4)
  let word = 0
  let count = 0
  let at = 0
  for (let position = from; position < to; position++) {
    const code = text[position]!
    if (blanks[code] === BLANK) continue
    if (code === ZEROS && count === 0) {
      at = bytes.writeUInt32BE(0, at)
      continue
    }
    word = word * RADIX + valueAt(code, position)
    if (++count < 5) continue
    at = writeWord(bytes, at, word, position)
    word = count = 0
  }
  return bytes.subarray(0, count === 0 ? at : writeLast(bytes, at, word, count, to - 1))
}

function valueAt(code: number, position: number): number {
  if (code < FIRST || code >= FIRST + RADIX) throw invalidAt(position)
  return code - FIRST
}

function writeWord(bytes: Buffer, at: number, word: number, position: number): number {
  if (word > HIGHEST_WORD) throw invalidAt(position)
  return bytes.writeUInt32BE(word, at)
}

/** A short group counts as filled up with the highest symbol. */
function writeLast(bytes: Buffer, at: number, word: number, count: number, position: number): number {
  if (count === 1) throw invalidAt(position)
  writeWord(bytes, at, (word + 1) * RADIX ** (5 - count) - 1, position)
  return at + count - 1
}

/** Adobe wraps the text in `<~` and `~>`. */
function insideMarks(text: Uint8Array): [number, number] {
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const from = whole.indexOf('<~')
  const to = whole.lastIndexOf('~>')
  return [from === -1 ? 0 : from + 2, to === -1 ? text.length : to]
}
