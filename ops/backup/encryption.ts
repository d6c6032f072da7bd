import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { BackupError } from './errors.ts'
import { deriveSubkey } from './passphrase.ts'

// Decision 0520: keep backups as parts that are encrypted one by one.

const SALT_BYTES = 32
const TAG_BYTES = 16
const NONCE_BYTES = 12
const CHUNK_BYTES = 256 * 1024

/** Yields the salt of the key, then the chunks, each with its tag. */
export async function* encrypt(master: Buffer, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  const salt = randomBytes(SALT_BYTES)
  const key = deriveSubkey(master, salt, 'part')
  yield salt
  let index = 0
  for await (const { chunk, isLast } of splitIntoChunks(bytes, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, createNonce(index, isLast))
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
    index += 1
  }
}

/** Throws a BackupError if anything was changed, moved, added or cut off. */
export async function* decrypt(master: Buffer, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let key: Buffer | undefined
  let index = 0
  for await (const { chunk, isLast } of splitIntoChunks(bytes, CHUNK_BYTES + TAG_BYTES, SALT_BYTES)) {
    if (key) {
      yield decryptChunk(key, index, chunk, isLast)
      index += 1
    } else {
      if (chunk.length !== SALT_BYTES || isLast) throw damaged()
      key = deriveSubkey(master, chunk, 'part')
    }
  }
}

function decryptChunk(key: Buffer, index: number, chunk: Buffer, isLast: boolean): Buffer {
  if (chunk.length < TAG_BYTES) throw damaged()
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, createNonce(index, isLast))
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    throw damaged()
  }
}

/** Each key encrypts one part, so the number of a chunk in it is enough. That the last one is marked shows where it ends. */
function createNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(index, NONCE_BYTES - 5)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

function damaged(): BackupError {
  return new BackupError('A part of the backup is not as it was written.')
}

/** The first chunk may have a size of its own. There is always a last one, which may be empty. */
async function* splitIntoChunks(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  firstSize = size,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }, undefined> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let wanted = firstSize
  for await (const piece of bytes) {
    pending.push(piece)
    pendingBytes += piece.length
    if (pendingBytes <= wanted) continue
    let rest = Buffer.concat(pending, pendingBytes)
    // A full chunk waits for a byte behind it, because only then it is known not to be the last.
    while (rest.length > wanted) {
      yield { chunk: rest.subarray(0, wanted), isLast: false }
      rest = rest.subarray(wanted)
      wanted = size
    }
    pending = [rest]
    pendingBytes = rest.length
  }
  yield { chunk: Buffer.concat(pending, pendingBytes), isLast: true }
}
