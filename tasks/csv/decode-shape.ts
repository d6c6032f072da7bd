import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'

export interface Decoded {
  /** UTF-8 without a mark. */
  bytes: Buffer
  encoding: string
  warnings: Warning[]
}

/** Brings any charset to UTF-8, which the readers then take byte by byte. */
export function decode(given: Uint8Array, asked: string, type: string): Decoded {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const marked = markOf(bytes)
  const encoding = asked === 'auto' ? (marked ?? guess(bytes, type)) : asked
  const warnings: Warning[] = []
  if (asked === 'auto' && encoding === 'windows-1252') {
    warnings.push({ code: 'CHARSET_GUESSED', message: 'The file is not UTF-8; it was read as Windows-1252.' })
  }
  return { bytes: inUtf8(bytes, encoding), encoding, warnings }
}

function markOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

const LOOKED_AT = 4096

/** Text of two bytes a letter has a zero in nearly every pair; other texts have none. */
function guess(bytes: Buffer, type: string): string {
  const head = bytes.subarray(0, LOOKED_AT)
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  const pairs = head.length / 2
  if (zeros[1]! > pairs * 0.7 && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > pairs * 0.7 && zeros[1] === 0) return 'utf-16be'
  if (bytes.includes(0))
    throw new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['text/csv', 'application/json'] })
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

function inUtf8(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'utf-8' && isUtf8(bytes)) return markOf(bytes) === 'utf-8' ? bytes.subarray(3) : bytes
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw new Problem('CSV_PARSE_FAILED', { detail: `not valid ${encoding}` })
  }
}
