import { type BitAlphabet, decodeBits, encodeBits, type Strictness } from './alphabets.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { decodeBase85, encodeBase85 } from './base85.ts'

export const ENCODINGS = ['base64', 'base32', 'base58', 'base85', 'hex'] as const
export type Encoding = (typeof ENCODINGS)[number]

export const VARIANTS = ['standard', 'url', 'mime'] as const
export type Variant = (typeof VARIANTS)[number]

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ALPHANUMERIC = `${LETTERS}${LETTERS.toLowerCase()}0123456789`
const MIME_LINE_LENGTH = 76
const BASE64 = { symbols: `${ALPHANUMERIC}+/`, bitsPerSymbol: 6, paddingGroup: 4, lookalikes: { '-': '+', _: '/' } }
const BASE64_URL = {
  symbols: `${ALPHANUMERIC}-_`,
  bitsPerSymbol: 6,
  paddingGroup: 4,
  lookalikes: { '+': '-', '/': '_' },
}
const BASE32: BitAlphabet = { symbols: `${LETTERS}234567`, bitsPerSymbol: 5, paddingGroup: 8 }
const HEX: BitAlphabet = { symbols: '0123456789abcdef', bitsPerSymbol: 4, paddingGroup: 2, ignoresCase: true }

export interface EncodingOptions {
  encoding: Encoding
  variant: Variant
  padding: boolean
}

/** Encodes bytes as ASCII text. */
export function encode(bytes: Uint8Array, { encoding, variant, padding }: EncodingOptions): string {
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
  return variant === 'mime' ? wrapLines(padded, MIME_LINE_LENGTH) : padded
}

function wrapLines(text: string, width: number): string {
  const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, line) => text.substr(line * width, width))
  return lines.join('\r\n')
}

/** Decodes a text to bytes; fails with the position of the first invalid symbol. */
export function decode(text: Uint8Array, options: EncodingOptions & { lenient: boolean }): Buffer {
  const { encoding, variant, padding, lenient } = options
  if (encoding === 'base58') return decodeBase58(text, lenient)
  if (encoding === 'base85') return decodeBase85(text, lenient)
  if (encoding === 'base32') return decodeBits(text, BASE32, { padding, lenient })
  if (encoding === 'hex') return decodeBits(text, HEX, { padding, lenient })
  const strictness: Strictness = { padding, lenient, blanks: variant === 'mime' ? ' \t\r\n' : '' }
  return decodeBits(text, variant === 'url' ? BASE64_URL : BASE64, strictness)
}
