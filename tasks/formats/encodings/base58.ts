import { Problem } from '#kit'
import { buildTable, chooseBlanks, readValues } from './alphabets.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Base58 converts the radix of the whole input as one number, so its cost grows faster than its input. */
const BASE58_LIMIT_BYTES = 32 * 2 ** 10
const BASE58_LIMIT_SYMBOLS = Math.ceil((BASE58_LIMIT_BYTES * Math.log(256)) / Math.log(58))

export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > BASE58_LIMIT_BYTES) throw tooLongForBase58(bytes.length)
  const zeros = countLeadingZeros(bytes)
  if (zeros === bytes.length) return '1'.repeat(zeros)
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const width = 2 ** Math.ceil(Math.log2(bytes.length * 1.4 + 1))
  return '1'.repeat(zeros) + writeDigits(number, width).replace(/^1+/, '')
}

function tooLongForBase58(sizeBytes: number): Problem {
  return new Problem('INPUT_TOO_LARGE', { encoding: 'base58', sizeBytes, limitBytes: BASE58_LIMIT_BYTES })
}

function countLeadingZeros(bytes: Uint8Array): number {
  let count = 0
  while (count < bytes.length && bytes[count] === 0) count++
  return count
}

const powers = new Map<number, bigint>()

/** Called only for widths that are powers of two, so that few powers are cached. */
function radixPower(width: number): bigint {
  const known = powers.get(width)
  if (known !== undefined) return known
  const computed = 58n ** BigInt(width)
  powers.set(width, computed)
  return computed
}

/** Halves the number until its digits fit into a double, so that the engine's fast division of large numbers is used. */
function writeDigits(number: bigint, width: number): string {
  if (width > 8) {
    const half = radixPower(width / 2)
    return writeDigits(number / half, width / 2) + writeDigits(number % half, width / 2)
  }
  let rest = Number(number)
  let digits = ''
  for (let digit = 0; digit < width; digit++) {
    digits = BASE58[rest % 58]! + digits
    rest = Math.floor(rest / 58)
  }
  return digits
}

export function decodeBase58(text: Uint8Array, lenient: boolean): Buffer {
  if (text.length > BASE58_LIMIT_SYMBOLS) throw tooLongForBase58(text.length)
  const values = readValues(text, buildTable(BASE58, chooseBlanks(lenient)))
  const zeros = countLeadingZeros(values)
  const number = readDigits(values, zeros, values.length)
  const hex = number === 0n ? '' : number.toString(16)
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')])
}

function readDigits(digits: Uint8Array, start: number, end: number): bigint {
  if (end - start <= 8) {
    let number = 0
    for (let index = start; index < end; index++) number = number * 58 + digits[index]!
    return BigInt(number)
  }
  const middle = Math.floor((start + end) / 2)
  return readDigits(digits, start, middle) * 58n ** BigInt(end - middle) + readDigits(digits, middle, end)
}
