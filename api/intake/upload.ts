import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { newId, Problem } from '#kit'
import type { ObjectStore } from '../../ops/storage/index.ts'
import { HEAD_BYTES } from './sniff.ts'

/** A file that came as bytes of its own rather than inside JSON. */
export interface Upload {
  sizeBytes: number
  /** Only where the room asked for it. */
  sha256?: string
  head: Buffer
  /** All of it, where it is small. */
  bytes?: Buffer
  /** Where it was put, where it is not. */
  key?: string
  name?: string
}

export interface UploadRoom {
  store: ObjectStore
  maxBytes: number
  /** Up to this a file stays in memory. */
  memoryBytes: number
  isHashed: boolean
}

/** Streams a file from the socket to the store; a small one never leaves memory. */
export async function takeUpload(stream: Readable, room: UploadRoom): Promise<Upload> {
  const chunks = stream.iterator({ destroyOnReturn: false })
  try {
    return await takeChunks(chunks, room)
  } finally {
    await chunks.return?.()
  }
}

async function takeChunks(chunks: AsyncIterator<Uint8Array>, room: UploadRoom): Promise<Upload> {
  const { store, maxBytes, memoryBytes, isHashed } = room
  const { start, isWhole } = await beginning(chunks, Math.max(HEAD_BYTES, memoryBytes), maxBytes)
  const head = start.subarray(0, HEAD_BYTES)
  if (isWhole && start.length <= memoryBytes) {
    const sha256 = isHashed ? createHash('sha256').update(start).digest('hex') : undefined
    return { sizeBytes: start.length, sha256, head, bytes: start }
  }
  const key = `stage/${newId()}`
  const options = { contentType: 'application/octet-stream', maxBytes, isHashed }
  const stored = await store.put(key, following(start, chunks), options)
  return { ...stored, head, key }
}

async function beginning(
  chunks: AsyncIterator<Uint8Array>,
  wantedBytes: number,
  maxBytes: number,
): Promise<{ start: Buffer; isWhole: boolean }> {
  const taken: Uint8Array[] = []
  let takenBytes = 0
  while (takenBytes <= wantedBytes) {
    const next = await chunks.next()
    if (next.done) return { start: Buffer.concat(taken), isWhole: true }
    taken.push(next.value)
    takenBytes += next.value.length
    if (takenBytes > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
  }
  return { start: Buffer.concat(taken), isWhole: false }
}

async function* following(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
