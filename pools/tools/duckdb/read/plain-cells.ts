import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { TypeGuessFailed } from '../problems.ts'
import { classifyText, isDay, unifyKinds } from './cell-types.ts'

const [LF, MINUS, POINT, ZERO, NINE] = [0x0a, 0x2d, 0x2e, 0x30, 0x39]
const SLICE_BYTES = 1 << 18
const MAX_WHOLE = 18
const MAX_FRACTION = 17

/** The number of lines. Four bytes at a time, because this is on the way of every call. */
export function countLines(bytes: Buffer): number {
  const words = bytes.byteOffset % 4 === 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) : []
  let lines = 0
  for (let index = 0; index < words.length; index++) {
    const word = words[index]! ^ 0x0a0a0a0a
    // A byte that was a line end is zero now; its highest bit is set here, and that of any other byte is not.
    const ends = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f)
    if (ends !== 0) lines += ((ends >>> 7) & 1) + ((ends >>> 15) & 1) + ((ends >>> 23) & 1) + (ends >>> 31)
  }
  for (let at = words.length * 4; at < bytes.length; at++) if (bytes[at] === LF) lines++
  return bytes.length === 0 || bytes[bytes.length - 1] === LF ? lines : lines + 1
}

interface PlainText {
  bytes: Buffer
  hasHeader: boolean
  delimiter: string
  /** The type of each column; of text nothing is checked. */
  types: readonly string[]
}

/**
 * Checks that each cell of a text without quotes is of the type that its column was guessed to have, and each line of
 * the same number of cells. The database reads the text meanwhile; its answer counts if this ends without an error.
 */
export async function checkCells({ bytes, hasHeader, delimiter, types }: PlainText): Promise<void> {
  const mark = delimiter.charCodeAt(0)
  const lastLine = bytes.lastIndexOf(LF) + 1
  let at = hasHeader ? bytes.indexOf(LF) + 1 || bytes.length : 0
  while (at < lastLine) {
    await yieldToOthers()
    at = checkLines(bytes, at, Math.min(lastLine, at + SLICE_BYTES), mark, types)
  }
  if (at >= bytes.length) return
  const line = Buffer.concat([bytes.subarray(at), Buffer.from([LF])])
  checkLines(line, 0, line.length, mark, types)
}

/** Every line ends, so that no loop needs to look for the end of the bytes. Returns where the next line begins. */
function checkLines(bytes: Buffer, start: number, end: number, mark: number, types: readonly string[]): number {
  const last = types.length - 1
  let at = start
  while (at < end) {
    for (let column = 0; column <= last; column++) {
      at = skipCell(types[column]!, bytes, at, mark)
      if (bytes[at] !== (column === last ? LF : mark)) throw new TypeGuessFailed()
      at++
    }
  }
  return at
}

/** Returns where the cell ends; another place or -1 if it is not of the type. A table of functions would be slower. */
function skipCell(type: string, bytes: Buffer, start: number, mark: number): number {
  const byte = bytes[start]
  if (byte === mark || byte === LF) return start
  switch (type) {
    case 'integer':
      return skipInteger(bytes, start)
    case 'number':
      return skipNumber(bytes, start)
    case 'date':
      return skipDate(bytes, start)
    case 'string':
      return skipText(bytes, start, mark)
    default:
      return skipOther(bytes, start, mark, type)
  }
}

function skipText(bytes: Buffer, start: number, mark: number): number {
  let at = start
  let byte = bytes[at]
  while (byte !== mark && byte !== LF) byte = bytes[++at]
  return at
}

function skipDigits(bytes: Buffer, start: number): number {
  let at = start
  let byte = bytes[at]!
  while (byte >= ZERO && byte <= NINE) byte = bytes[++at]!
  return at
}

/** Digits without a zero before others, and as many as an integer of 64 bits has in any case. */
function skipWhole(bytes: Buffer, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start
  const end = skipDigits(bytes, first)
  const digits = end - first
  return digits < 1 || digits > MAX_WHOLE || (digits > 1 && bytes[first] === ZERO) ? -1 : end
}

function isNegativeZero(bytes: Buffer, start: number): boolean {
  return bytes[start] === MINUS && bytes[start + 1] === ZERO
}

function skipInteger(bytes: Buffer, start: number): number {
  return isNegativeZero(bytes, start) ? -1 : skipWhole(bytes, start)
}

function skipNumber(bytes: Buffer, start: number): number {
  const point = skipWhole(bytes, start)
  if (point < 0 || bytes[point] !== POINT) return isNegativeZero(bytes, start) ? -1 : point
  const end = skipDigits(bytes, point + 1)
  const digits = end - point - 1
  return digits < 1 || digits > MAX_FRACTION ? -1 : end
}

const DATE_LENGTH = 10

function skipDate(bytes: Buffer, start: number): number {
  if (bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return -1
  const [year, month, day] = [
    readDigits(bytes, start, 4),
    readDigits(bytes, start + 5, 2),
    readDigits(bytes, start + 8, 2),
  ]
  return isDay(year, month, day) ? start + DATE_LENGTH : -1
}

/** NaN if there are others. */
function readDigits(bytes: Buffer, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at++) {
    const digit = bytes[at]! - ZERO
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return value
}

function skipOther(bytes: Buffer, start: number, mark: number, type: string): number {
  const end = skipText(bytes, start, mark)
  return unifyKinds(classifyText(bytes.toString('latin1', start, end), false)) === type ? end : -1
}
