import { Problem } from '#kit'
import { blanksOf, tableOf, valuesOf } from './symbols-shape.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Base 58 is a change of radix over the whole number: its work grows faster than its input. */
export const BASE58_LIMIT_BYTES = 32 * 2 ** 10
const BASE58_LIMIT_SYMBOLS = Math.ceil((BASE58_LIMIT_BYTES * Math.log(256)) / Math.log(58))

export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > BASE58_LIMIT_BYTES) throw tooLongForBase58(bytes.length)
  const zeros = countLeading(bytes, 0)
  if (zeros === bytes.length) return '1'.repeat(zeros)
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const width = 2 ** Math.ceil(Math.log2(bytes.length * 1.4 + 1))
  return '1'.repeat(zeros) + digitsOf(number, width).replace(/^1+/, '')
}

function tooLongForBase58(sizeBytes: number): Problem {
  return new Problem('INPUT_TOO_LARGE', { encoding: 'base58', sizeBytes, limitBytes: BASE58_LIMIT_BYTES })
}

function countLeading(bytes: Uint8Array, value: number): number {
  let count = 0
  while (count < bytes.length && bytes[count] === value) count++
  return count
}

const powers = new Map<number, bigint>()

/** Asked for widths of powers of two alone, so that few are ever kept. */
function power(width: number): bigint {
  const known = powers.get(width)
  if (known !== undefined) return known
  const made = 58n ** BigInt(width)
  powers.set(width, made)
  return made
}

/** Halves the number until its digits fit a machine word, so that the engine's fast division does the work. */
function digitsOf(number: bigint, width: number): string {
  if (width > 8) {
    const half = power(width / 2)
    return digitsOf(number / half, width / 2) + digitsOf(number % half, width / 2)
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
  const values = valuesOf(text, tableOf(BASE58, blanksOf(lenient)))
  const zeros = countLeading(values, 0)
  const number = numberOf(values, zeros, values.length)
  const hex = number === 0n ? '' : number.toString(16)
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')])
}

function numberOf(digits: Uint8Array, start: number, end: number): bigint {
  if (end - start <= 8) {
    let number = 0
    for (let index = start; index < end; index++) number = number * 58 + digits[index]!
    return BigInt(number)
  }
  const middle = Math.floor((start + end) / 2)
  return numberOf(digits, start, middle) * 58n ** BigInt(end - middle) + numberOf(digits, middle, end)
}
