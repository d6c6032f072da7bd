import type { Readable } from 'node:stream'

const ALLOWANCE_BYTES = 64 * 2 ** 20

/**
 * Lets what is left of a refused body run by, so that a caller who is still sending gets to read the refusal; one who
 * sends without end is cut off.
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
