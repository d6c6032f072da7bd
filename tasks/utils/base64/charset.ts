import { Problem } from '#kit'

export const CHARSETS = ['utf-8', 'utf-16le', 'utf-16be', 'latin1', 'ascii'] as const
export type Charset = (typeof CHARSETS)[number]

/** The highest character code of the charsets that do not cover all of Unicode. */
const MAX_CODE: Partial<Record<Charset, number>> = { latin1: 0xff, ascii: 0x7f }

/** Encodes a text; rejects characters that the charset does not have instead of replacing them. */
export function writeText(text: string, charset: Charset): Buffer {
  if (charset === 'utf-8') return Buffer.from(text)
  if (charset === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (charset === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  for (let position = 0; position < text.length; position++) {
    if (text.charCodeAt(position) > MAX_CODE[charset]!) {
      throw new Problem('INVALID_PARAM', { field: 'charset', position, allowed: CHARSETS.slice(0, 3) })
    }
  }
  return Buffer.from(text, 'latin1')
}

/** Decodes bytes; undefined if they are not text in this charset. */
export function readText(bytes: Uint8Array, charset: Charset): string | undefined {
  const text = charset === 'latin1' || charset === 'ascii' ? readLatin(bytes, charset) : readUnicode(bytes, charset)
  return text === undefined || hasControls(text) ? undefined : text
}

/** TextDecoder cannot be used, because it decodes Latin-1 and ASCII as Windows-1252. */
function readLatin(bytes: Uint8Array, charset: Charset): string | undefined {
  if (charset === 'ascii' && bytes.some(byte => byte > 0x7f)) return undefined
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function readUnicode(bytes: Uint8Array, charset: Charset): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Text may contain tabs, line ends, form feeds and escapes, but no other control characters. */
function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 ? code < 0x09 || (code > 0x0d && code !== 0x1b) : code === 0x7f) return true
  }
  return false
}
