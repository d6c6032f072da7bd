import { createHash, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { startKeccak256 } from '../../formats/digest/keccak.ts'
import { encodeBase58 } from '../../formats/encodings/base58.ts'

/** Each algorithm with its number in the multihash table. */
const MULTIHASH = {
  sha256: 0x12,
  sha512: 0x13,
  sha1: 0x11,
  md5: 0xd5,
  sha384: 0x20,
  'sha3-256': 0x16,
  blake2b512: 0xb240,
  keccak256: 0x1b,
  crc32: 0x0132,
} as const

export type Algorithm = keyof typeof MULTIHASH
export const ALGORITHMS = Object.keys(MULTIHASH) as Algorithm[]
export const WEAK: readonly Algorithm[] = ['md5', 'sha1']

export const DIGEST_ENCODINGS = ['hex', 'base64', 'base64url', 'multihash'] as const
export type DigestEncoding = (typeof DIGEST_ENCODINGS)[number]

/** A digest that takes data in chunks. */
interface Digest {
  update(chunk: Uint8Array): unknown
  digest(): Buffer
}

/** Computes the digest of data that is in memory as a whole. */
export function computeDigest(algorithm: Algorithm, data: string | Uint8Array): Buffer {
  if (algorithm === 'crc32') return writeCrc(crc32(data))
  if (algorithm !== 'keccak256') return hash(algorithm, data, 'buffer')
  const digest = startKeccak256()
  digest.update(typeof data === 'string' ? Buffer.from(data) : data)
  return digest.digest()
}

export function startDigest(algorithm: Algorithm): Digest {
  if (algorithm === 'keccak256') return startKeccak256()
  return algorithm === 'crc32' ? startCrc() : createHash(algorithm)
}

function startCrc(): Digest {
  let sum = 0
  return {
    update: chunk => {
      sum = crc32(chunk, sum)
    },
    digest: () => writeCrc(sum),
  }
}

function writeCrc(sum: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(sum)
  return bytes
}

export function formatDigest(algorithm: Algorithm, digest: Buffer, encoding: DigestEncoding): string {
  if (encoding !== 'multihash') return digest.toString(encoding)
  return encodeBase58(Buffer.from([...encodeVarint(MULTIHASH[algorithm]), ...encodeVarint(digest.length), ...digest]))
}

function encodeVarint(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...encodeVarint(number >> 7)]
}
