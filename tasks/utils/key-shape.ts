import { Problem } from '#kit'
import { decode, type Encoding, type Variant } from './encodings-shape.ts'

export type KeyEncoding = 'utf8' | 'hex' | 'base64' | 'base64url'

/** The bytes of a secret as it was written. Says only that it cannot be read, never what it is. */
export function readKey(key: string, encoding: KeyEncoding, field = 'key'): Buffer {
  const bytes = encoding === 'utf8' ? Buffer.from(key) : bytesOf(key.trim(), encoding)
  if (!bytes || bytes.length === 0) throw new Problem('KEY_INVALID', { field, encoding })
  return bytes
}

/** An HMAC that cannot be read equals none. */
export function readMac(mac: string, encoding: KeyEncoding): Buffer {
  return bytesOf(mac.trim(), encoding) ?? Buffer.alloc(0)
}

const MANNERS: Record<string, { encoding: Encoding; variant: Variant }> = {
  hex: { encoding: 'hex', variant: 'standard' },
  base64: { encoding: 'base64', variant: 'standard' },
  base64url: { encoding: 'base64', variant: 'url' },
}

/** Padding may be there or not, and both alphabets of base64 are taken: what is meant is never in doubt. */
function bytesOf(text: string, encoding: KeyEncoding): Buffer | undefined {
  try {
    return decode(Buffer.from(text), { ...MANNERS[encoding]!, padding: true, lenient: true })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
