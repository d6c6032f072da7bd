import { isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import { detectByteOrderMark, guessUtf16 } from '../charsets/utf16.ts'
import { findDeclaredCharset } from '../html/charset.ts'

/** Reads text in UTF-8 or UTF-16, and HTML also in the charset that it declares. */
export function decodeMarkup(bytes: Uint8Array, isHtml: boolean): string {
  const encoding =
    detectByteOrderMark(bytes) ??
    guessUtf16(bytes) ??
    (isUtf8(bytes) ? 'utf-8' : isHtml ? findDeclaredCharset(bytes) : undefined)
  if (encoding === undefined) throw new Problem('ENCODING_INVALID', { detail: 'not UTF-8 or UTF-16' })
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Named in the problem below.
  }
  throw new Problem('ENCODING_INVALID', { detail: `not valid ${encoding} text` })
}
