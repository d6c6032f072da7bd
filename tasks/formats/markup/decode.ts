import { isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import { findDeclaredCharset } from '../html/charset.ts'

/** Reads text in UTF-8 or UTF-16, and HTML also in the charset that it declares. */
export function decodeMarkup(bytes: Uint8Array, isHtml: boolean): string {
  const encoding = findUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : isHtml ? findDeclaredCharset(bytes) : undefined)
  if (encoding === undefined) throw new Problem('ENCODING_INVALID', { detail: 'not UTF-8 or UTF-16' })
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Named in the problem below.
  }
  throw new Problem('ENCODING_INVALID', { detail: `not valid ${encoding} text` })
}

const SAMPLE_BYTES = 4096

/** By the byte order mark; without one, text in Latin script has a zero in nearly every pair of bytes. */
function findUtf16(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  const head = bytes.subarray(0, SAMPLE_BYTES)
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  const many = (head.length / 2) * 0.7
  if (zeros[1]! > many && zeros[0] === 0) return 'utf-16le'
  return zeros[0]! > many && zeros[1] === 0 ? 'utf-16be' : undefined
}
