import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'
import { guessLegacyCharset } from '../charsets/guess.ts'

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
  return { bytes: toUtf8(bytes, encoding), encoding, warnings }
}

function detectByteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

const SAMPLE_BYTES = 4096

/** UTF-16 text in Latin script has a zero in nearly every pair of bytes; text in other charsets has none. */
function guessEncoding(bytes: Buffer, type: string): string {
  const head = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  const pairs = head.length / 2
  if (zeros[1]! > pairs * 0.7 && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > pairs * 0.7 && zeros[1] === 0) return 'utf-16be'
  const wide = bytes.includes(0) ? guessUtf16(bytes) : undefined
  if (wide) return wide
  if (bytes.includes(0))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['text/csv', 'application/json'] })
  return isUtf8(bytes) ? 'utf-8' : guessLegacyCharset(bytes)
}

const TEXT = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cf}\t\r\n]*$/u

/** In other scripts only the line ends, delimiters and digits have a zero; read in the wrong order they are no text. */
function guessUtf16(bytes: Buffer): string | undefined {
  if (bytes.length % 2 === 1) return undefined
  return ['utf-16le', 'utf-16be'].find(encoding => {
    const text = new TextDecoder(encoding).decode(bytes.subarray(0, SAMPLE_BYTES), { stream: true })
    return text.includes('\n') && TEXT.test(text)
  })
}

function toUtf8(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'utf-8' && isUtf8(bytes)) return detectByteOrderMark(bytes) === 'utf-8' ? bytes.subarray(3) : bytes
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw new Problem('CSV_PARSE_FAILED', { detail: `not valid ${encoding}` })
  }
}
