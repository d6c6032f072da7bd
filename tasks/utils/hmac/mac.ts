import { createHmac, timingSafeEqual } from 'node:crypto'
import type { InputFile } from '#kit'
import { requireBytes } from '../schema.ts'

/** Computes the HMAC of `prefix` followed by the content; files are streamed. */
export async function computeMac(
  algorithm: string,
  key: Buffer,
  prefix: string,
  content: string | InputFile,
): Promise<Buffer> {
  const mac = createHmac(algorithm, key).update(prefix)
  if (typeof content === 'string') {
    requireBytes(content)
    return mac.update(content).digest()
  }
  for await (const chunk of content.chunks()) mac.update(chunk)
  return mac.digest()
}

/** Compares in constant time. The length of a digest is not secret. */
export function isEqualMac(computed: Buffer, given: Buffer): boolean {
  return computed.length === given.length && timingSafeEqual(computed, given)
}
