import { Problem } from '#kit'
import { decode, type Encoding, type Variant } from './codecs.ts'

type KeyEncoding = 'utf8' | 'hex' | 'base64' | 'base64url'

/** Decodes a secret. The error says only that it cannot be decoded, and never contains the secret. */
export function readKey(key: string, encoding: KeyEncoding, field = 'key'): Buffer {
  const bytes = encoding === 'utf8' ? Buffer.from(key) : decodeLeniently(key.trim(), encoding)
  if (!bytes || bytes.length === 0) throw new Problem('KEY_INVALID', { field, encoding })
  return bytes
}

/** Decodes an HMAC. One that cannot be decoded becomes empty, which never matches. */
export function readMac(mac: string, encoding: KeyEncoding): Buffer {
  return decodeLeniently(mac.trim(), encoding) ?? Buffer.alloc(0)
}

const CODECS: Record<string, { encoding: Encoding; variant: Variant }> = {
  hex: { encoding: 'hex', variant: 'standard' },
  base64: { encoding: 'base64', variant: 'standard' },
  base64url: { encoding: 'base64', variant: 'url' },
}

/** Accepts missing padding and both alphabets of base64, because neither makes the content ambiguous. */
function decodeLeniently(text: string, encoding: KeyEncoding): Buffer | undefined {
  try {
    return decode(Buffer.from(text), { ...CODECS[encoding]!, padding: true, lenient: true })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
