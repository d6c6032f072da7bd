import { createHmac, timingSafeEqual } from 'node:crypto'
import type { InputFile } from '#kit'
import { checkTextSize } from './content-shape.ts'

/** The HMAC of `prefix` and the content after it; a file is streamed. */
export async function macOf(
  algorithm: string,
  key: Buffer,
  prefix: string,
  content: string | InputFile,
): Promise<Buffer> {
  const mac = createHmac(algorithm, key).update(prefix)
  if (typeof content === 'string') {
    checkTextSize(content)
    return mac.update(content).digest()
  }
  for await (const chunk of content.chunks()) mac.update(chunk)
  return mac.digest()
}

/** In constant time. The length of a digest is no secret. */
export function isSame(made: Buffer, given: Buffer): boolean {
  return made.length === given.length && timingSafeEqual(made, given)
}
