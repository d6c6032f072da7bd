import { Problem } from '#kit'

export const CHARSETS = ['utf-8', 'utf-16le', 'utf-16be', 'latin1', 'ascii'] as const
export type Charset = (typeof CHARSETS)[number]

/** The highest character of the charsets that cannot write all of Unicode. */
const HIGHEST: Partial<Record<Charset, number>> = { latin1: 0xff, ascii: 0x7f }

/** The bytes of a text; refuses a character that the charset has not, instead of writing another. */
export function writeText(text: string, charset: Charset): Buffer {
  if (charset === 'utf-8') return Buffer.from(text)
  if (charset === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (charset === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  for (let position = 0; position < text.length; position++) {
    if (text.charCodeAt(position) > HIGHEST[charset]!) {
      throw new Problem('INVALID_PARAM', { field: 'charset', position, allowed: CHARSETS.slice(0, 3) })
    }
  }
  return Buffer.from(text, 'latin1')
}

/** The text that the bytes are in this charset, or nothing where they are none. */
export function readText(bytes: Uint8Array, charset: Charset): string | undefined {
  const text = charset === 'latin1' || charset === 'ascii' ? readLatin(bytes, charset) : readUnicode(bytes, charset)
  return text === undefined || hasControls(text) ? undefined : text
}

/** Not by TextDecoder, which takes Latin-1 and ASCII for Windows-1252. */
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

/** Tabs, line ends, form feeds and escapes stand in texts; the other controls do not. */
function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 ? code < 0x09 || (code > 0x0d && code !== 0x1b) : code === 0x7f) return true
  }
  return false
}
