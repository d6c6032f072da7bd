import { randomBytes } from 'node:crypto'

/** Draws the random bytes for a whole call at once. */
export function createRandomSource(sizeBytes: number): (size: number) => Buffer {
  const store = randomBytes(sizeBytes)
  let used = 0
  return size => {
    used += size
    return store.subarray(used - size, used)
  }
}

/** A counter of the given width that increases by random steps. It starts in the lower half, so it never overflows. */
export function createRisingCounter(bits: number): () => number {
  let number = randomBytes(6).readUIntBE(0, 6) % 2 ** (bits - 1)
  const steps = randomBytes(64)
  let taken = 0
  return () => {
    number += 1 + steps[taken++ % steps.length]!
    return number
  }
}

const NANOID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

export function formatNanoid(random: Buffer): string {
  let id = ''
  for (const byte of random) id += NANOID_ALPHABET[byte & 63]
  return id
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ULID_LENGTH = 26

export function createUlidGenerator(timeMs: number, random: (size: number) => Buffer): () => string {
  const rising = createRisingCounter(48)
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(timeMs, 0, 6)
  return () => {
    bytes.writeUIntBE(rising(), 6, 6)
    random(4).copy(bytes, 12)
    return writeDigits(bytes, CROCKFORD, ULID_LENGTH)
  }
}

/** Parses a ULID. As Crockford defines, I and L are read as 1, and O as 0. */
export function parseUlid(text: string): Buffer | undefined {
  const plain = text.toUpperCase().replace(/[IL]/g, '1').replaceAll('O', '0')
  return readDigits(plain, CROCKFORD, ULID_LENGTH, 16)
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KSUID_LENGTH = 27
export const KSUID_EPOCH_SEC = 1_400_000_000

export function createKsuidGenerator(timeMs: number, random: (size: number) => Buffer): () => string {
  const rising = createRisingCounter(48)
  const bytes = Buffer.alloc(20)
  bytes.writeUInt32BE(Math.floor(timeMs / 1000) - KSUID_EPOCH_SEC)
  return () => {
    bytes.writeUIntBE(rising(), 4, 6)
    random(10).copy(bytes, 10)
    return writeDigits(bytes, BASE62, KSUID_LENGTH)
  }
}

export function parseKsuid(text: string): Buffer | undefined {
  return readDigits(text, BASE62, KSUID_LENGTH, 20)
}

function writeDigits(bytes: Buffer, digits: string, length: number): string {
  const radix = BigInt(digits.length)
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (text.length < length) {
    text = digits[Number(number % radix)]! + text
    number /= radix
  }
  return text
}

function readDigits(text: string, digits: string, length: number, sizeBytes: number): Buffer | undefined {
  if (text.length !== length) return undefined
  let number = 0n
  for (const digit of text) {
    const value = digits.indexOf(digit)
    if (value < 0) return undefined
    number = number * BigInt(digits.length) + BigInt(value)
  }
  const hex = number.toString(16).padStart(2 * sizeBytes, '0')
  return hex.length > 2 * sizeBytes ? undefined : Buffer.from(hex, 'hex')
}

const NANOID_PATTERN = /^[A-Za-z0-9_-]{21}$/

export function isNanoid(text: string): boolean {
  return NANOID_PATTERN.test(text)
}
