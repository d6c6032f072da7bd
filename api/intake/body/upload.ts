import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Problem } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import { HEAD_BYTES } from '../../../tasks/formats/file-types/recognise.ts'
import { stageKey } from '../files/stage-key.ts'
import { HASHED_BYTES } from './json.ts'

/** A file that was sent as raw bytes or a form part, not inside JSON. */
export interface Upload {
  sizeBytes: number
  /** Of a large one only if the limits ask for it. */
  sha256?: string
  head: Buffer
  /** The whole content, if it is small. */
  bytes?: Buffer
  /** Where it is stored, if it is not. */
  key?: string
  name?: string
}

export interface UploadLimits {
  callId: string
  store: ObjectStore
  maxBytes: number
  /** Files up to this size stay in memory. */
  memoryBytes: number
  isHashed: boolean
}

/** Streams a file from the socket to the store; a small one never leaves memory. */
export async function receiveUpload(stream: Readable, limits: UploadLimits): Promise<Upload> {
  const chunks = stream.iterator({ destroyOnReturn: false })
  try {
    return await receiveChunks(chunks, limits)
  } finally {
    await chunks.return?.()
  }
}

async function receiveChunks(chunks: AsyncIterator<Uint8Array>, limits: UploadLimits): Promise<Upload> {
  const { store, maxBytes, memoryBytes, isHashed } = limits
  const { start, isWhole } = await readStart(chunks, Math.max(HEAD_BYTES, memoryBytes), maxBytes)
  const head = start.subarray(0, HEAD_BYTES)
  if (isWhole && start.length <= memoryBytes) {
    const sha256 =
      isHashed || start.length <= HASHED_BYTES ? createHash('sha256').update(start).digest('hex') : undefined
    return { sizeBytes: start.length, sha256, head, bytes: start }
  }
  const key = stageKey(limits.callId)
  const options = { contentType: 'application/octet-stream', maxBytes, isHashed, takesChunks: true }
  const ownHead = Buffer.from(head)
  const stored = await store.put(key, continueFrom(start, chunks), options)
  return { ...stored, head: ownHead, key }
}

async function readStart(
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

async function* continueFrom(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
