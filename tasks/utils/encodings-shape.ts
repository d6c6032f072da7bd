import { decodeBase58, encodeBase58 } from './base58-shape.ts'
import { decodeBase85, encodeBase85 } from './base85-shape.ts'
import { type BitAlphabet, decodeBits, encodeBits, type Strictness } from './symbols-shape.ts'

export const ENCODINGS = ['base64', 'base32', 'base58', 'base85', 'hex'] as const
export type Encoding = (typeof ENCODINGS)[number]

export const VARIANTS = ['standard', 'url', 'mime'] as const
export type Variant = (typeof VARIANTS)[number]

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const MIXED = `${LETTERS}${LETTERS.toLowerCase()}0123456789`
const MIME_LINE = 76
const BASE64 = { symbols: `${MIXED}+/`, bitsEach: 6, group: 4, alike: { '-': '+', _: '/' } }
const BASE64_URL = { symbols: `${MIXED}-_`, bitsEach: 6, group: 4, alike: { '+': '-', '/': '_' } }
const BASE32: BitAlphabet = { symbols: `${LETTERS}234567`, bitsEach: 5, group: 8 }
const HEX: BitAlphabet = { symbols: '0123456789abcdef', bitsEach: 4, group: 2, ignoresCase: true }

export interface Manner {
  encoding: Encoding
  variant: Variant
  padding: boolean
}

/** Writes bytes as ASCII in one of the encodings. */
export function encode(bytes: Uint8Array, { encoding, variant, padding }: Manner): string {
  if (encoding === 'base58') return encodeBase58(bytes)
  if (encoding === 'base85') return encodeBase85(bytes).toString('latin1')
  if (encoding === 'base32') return encodeBits(bytes, BASE32, padding).toString('latin1')
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (encoding === 'hex') return buffer.toString('hex')
  return encodeBase64(buffer, variant, padding)
}

function encodeBase64(bytes: Buffer, variant: Variant, padding: boolean): string {
  const text = bytes.toString(variant === 'url' ? 'base64url' : 'base64')
  if (variant === 'url') return padding ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text
  const padded = padding ? text : text.slice(0, Math.ceil((bytes.length * 8) / 6))
  return variant === 'mime' ? inLines(padded, MIME_LINE) : padded
}

function inLines(text: string, width: number): string {
  const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, line) => text.substr(line * width, width))
  return lines.join('\r\n')
}

/** Reads the bytes of a text in one of the encodings; fails with the position of the first wrong symbol. */
export function decode(text: Uint8Array, manner: Manner & { lenient: boolean }): Buffer {
  const { encoding, variant, padding, lenient } = manner
  if (encoding === 'base58') return decodeBase58(text, lenient)
  if (encoding === 'base85') return decodeBase85(text, lenient)
  if (encoding === 'base32') return decodeBits(text, BASE32, { padding, lenient })
  if (encoding === 'hex') return decodeBits(text, HEX, { padding, lenient })
  const strictness: Strictness = { padding, lenient, blanks: variant === 'mime' ? ' \t\r\n' : '' }
  return decodeBits(text, variant === 'url' ? BASE64_URL : BASE64, strictness)
}
