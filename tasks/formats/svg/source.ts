import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from '#kit'
import { detectByteOrderMark } from '../charsets/utf16.ts'

// SVG comes compressed, as .svgz, and in UTF-16. What draws it is given neither.

/** Larger than any drawing; compressed, it may come from a file a thousand times smaller. */
const MAX_BYTES = 32 * 1024 * 1024

const unzip = promisify(gunzip)

export function isCompressed([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b
}

/** Whether a drawing is not plain text of single bytes, as far as its first bytes tell. */
export function isPacked(head: Uint8Array): boolean {
  return isCompressed(head) || detectByteOrderMark(head)?.startsWith('utf-16') === true
}

/** The text of a drawing, which is compressed or plain. */
export async function readSvg(bytes: Uint8Array): Promise<string> {
  const plain = isCompressed(bytes) ? await decompress(bytes) : bytes
  const charset = detectByteOrderMark(plain) ?? 'utf-8'
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(plain)
    return charset === 'utf-8' ? text : text.replace(DECLARED_CHARSET, '$1')
  } catch {
    throw new Problem('IMAGE_DECODE_FAILED', { detail: 'neither UTF-8 nor UTF-16' })
  }
}

/** Of a text in UTF-16, which it is no longer. */
const DECLARED_CHARSET = /^(<\?xml\s[^>]*?)\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')/

async function decompress(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    const detail = isTooLarge
      ? `decompressed, the drawing has more than ${MAX_BYTES / 1024 / 1024} MiB`
      : 'the compressed drawing is damaged'
    throw new Problem('IMAGE_DECODE_FAILED', { detail })
  }
}
