import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

/** Bytes that are the same for the same seed and never repeat in a simple pattern. */
export function patterned(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  let state = seed * 2_654_435_761
  for (let at = 0; at < sizeBytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

export async function* chunked(bytes: Uint8Array, chunkBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A body of unsaid length for fetch. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks, { objectMode: false })) as unknown as ReadableStream<Uint8Array>
}
