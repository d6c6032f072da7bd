import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'
import { guessLegacyCharset } from '../charsets/guess.ts'
import { detectByteOrderMark, guessUtf16 } from '../charsets/utf16.ts'

interface Decoded {
  /** UTF-8 without a byte order mark. */
  bytes: Buffer
  encoding: string
  warnings: Warning[]
}

/** Converts any charset to UTF-8, which the table readers expect. */
export function decodeToUtf8(given: Uint8Array, requested: string, type: string): Decoded {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const byMark = detectByteOrderMark(bytes)
  const encoding = requested === 'auto' ? (byMark ?? guessEncoding(bytes, type)) : requested
  const warnings: Warning[] = []
  if (requested === 'auto' && !encoding.startsWith('utf-')) {
    const name = encoding === 'windows-1252' ? 'Windows-1252' : encoding
    warnings.push({ code: 'CHARSET_GUESSED', message: `The file is not UTF-8; it was read as ${name}.` })
  }
  const text = toUtf8(bytes, encoding)
  refusePage(text)
  return { bytes: text, encoding, warnings }
}

const PAGE_START = /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html[\s>])/i
const START_BYTES = 1024

/** A web page, which is what servers send for a table that is not there, would be read as a table of one column. */
function refusePage(text: Buffer): void {
  if (PAGE_START.test(text.toString('latin1', 0, START_BYTES)))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: 'text/html', supported: ['text/csv', 'application/json'] })
}

function guessEncoding(bytes: Buffer, type: string): string {
  const wide = guessUtf16(bytes)
  if (wide) return wide
  if (bytes.includes(0))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['text/csv', 'application/json'] })
  return isUtf8(bytes) ? 'utf-8' : guessLegacyCharset(bytes)
}

function toUtf8(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'utf-8' && isUtf8(bytes)) return detectByteOrderMark(bytes) === 'utf-8' ? bytes.subarray(3) : bytes
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw new Problem('CSV_PARSE_FAILED', { detail: `not valid ${encoding}` })
  }
}
