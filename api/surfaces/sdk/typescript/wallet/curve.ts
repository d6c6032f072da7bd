import { concat, fromBigInt, fromHex, hmacSha256, toBigInt, toHex } from '../bytes.ts'
import { keccak256, toChecksumAddress } from './keccak.ts'

// Decision 0480: the clients sign with code of their own. It runs on the caller's machine and is not constant in time.

const PRIME = 2n ** 256n - 2n ** 32n - 977n
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A point of secp256k1 in Jacobian coordinates; `z` is 0 at infinity. */
interface Point {
  x: bigint
  y: bigint
  z: bigint
}

const INFINITY: Point = { x: 0n, y: 1n, z: 0n }
const GENERATOR: Point = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  z: 1n,
}

function modulo(value: bigint, by = PRIME): bigint {
  const rest = value % by
  return rest < 0n ? rest + by : rest
}

/** By the extended algorithm of Euclid. */
function invert(value: bigint, by: bigint): bigint {
  let [low, high] = [modulo(value, by), by]
  let [factor, former] = [1n, 0n]
  while (low > 1n) {
    const times = high / low
    ;[low, high] = [high - times * low, low]
    ;[factor, former] = [former - times * factor, factor]
  }
  return modulo(factor, by)
}

function double({ x, y, z }: Point): Point {
  const square = modulo(y * y)
  const between = modulo(4n * x * square)
  const slope = modulo(3n * x * x)
  const newX = modulo(slope * slope - 2n * between)
  return { x: newX, y: modulo(slope * (between - newX) - 8n * square * square), z: modulo(2n * y * z) }
}

function add(one: Point, other: Point): Point {
  if (one.z === 0n) return other
  if (other.z === 0n) return one
  const [oneSquare, otherSquare] = [modulo(one.z * one.z), modulo(other.z * other.z)]
  const [x1, x2] = [modulo(one.x * otherSquare), modulo(other.x * oneSquare)]
  const [y1, y2] = [modulo(one.y * otherSquare * other.z), modulo(other.y * oneSquare * one.z)]
  if (x1 === x2) return y1 === y2 ? double(one) : INFINITY
  const [width, height] = [modulo(x2 - x1), modulo(y2 - y1)]
  const square = modulo(width * width)
  const cube = modulo(square * width)
  const x = modulo(height * height - cube - 2n * x1 * square)
  return { x, y: modulo(height * (x1 * square - x) - y1 * cube), z: modulo(one.z * other.z * width) }
}

function multiply(times: bigint): { x: bigint; y: bigint } {
  let sum = INFINITY
  let power = GENERATOR
  for (let left = times; left > 0n; left >>= 1n) {
    if (left & 1n) sum = add(sum, power)
    power = double(power)
  }
  const inverse = invert(sum.z, PRIME)
  const square = modulo(inverse * inverse)
  return { x: modulo(sum.x * square), y: modulo(sum.y * square * inverse) }
}

export function readPrivateKey(text: string): bigint {
  const key = /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? toBigInt(fromHex(text)) : 0n
  if (key === 0n || key >= ORDER) throw new TypeError('a private key is 0x and 64 hexadecimal digits')
  return key
}

export function addressOf(privateKey: bigint): string {
  const { x, y } = multiply(privateKey)
  const digest = keccak256(concat(fromBigInt(x), fromBigInt(y)))
  return toChecksumAddress(toHex(digest.subarray(12)))
}

/** The signature of a digest: r, s and v in 65 bytes, with the lower s and the nonce of RFC 6979. */
export async function signDigest(digest: Uint8Array<ArrayBuffer>, privateKey: bigint): Promise<string> {
  const message = toBigInt(digest)
  for await (const nonce of listNonces(digest, privateKey)) {
    const { x, y } = multiply(nonce)
    const r = modulo(x, ORDER)
    const s = modulo(invert(nonce, ORDER) * (message + r * privateKey), ORDER)
    if (r === 0n || s === 0n) continue
    const isHigh = s > ORDER / 2n
    // The point of a lower s lies on the other side of the curve.
    const isOdd = (y & 1n) === 1n
    const v = 27 + Number(isOdd !== isHigh) + (x >= ORDER ? 2 : 0)
    return `0x${toHex(concat(fromBigInt(r), fromBigInt(isHigh ? ORDER - s : s), Uint8Array.of(v)))}`
  }
  throw new Error('no nonce was found')
}

async function* listNonces(digest: Uint8Array<ArrayBuffer>, privateKey: bigint): AsyncGenerator<bigint> {
  const seed = concat(fromBigInt(privateKey), fromBigInt(modulo(toBigInt(digest), ORDER)))
  let value = new Uint8Array(32).fill(1)
  let key = new Uint8Array(32)
  for (const mark of [0, 1]) {
    key = await hmacSha256(key, concat(value, Uint8Array.of(mark), seed))
    value = await hmacSha256(key, value)
  }
  for (;;) {
    value = await hmacSha256(key, value)
    const nonce = toBigInt(value)
    if (nonce > 0n && nonce < ORDER) yield nonce
    key = await hmacSha256(key, concat(value, Uint8Array.of(0)))
    value = await hmacSha256(key, value)
  }
}
