import type { Readable } from 'node:stream'

const ALLOWANCE_BYTES = 64 * 2 ** 20

/**
 * Discards the rest of a refused body, so that a caller who is still sending can read the refusal. A caller who
 * keeps sending is cut off.
 */
export function drain(stream: Readable, allowanceBytes = ALLOWANCE_BYTES): void {
  let left = allowanceBytes
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) stream.destroy()
  })
  stream.resume()
}
