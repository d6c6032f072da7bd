import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { newBatonKey } from '../../../ops/products/baton/uploads.ts'
import { reserveObject, type WrittenEntry } from '../../../sql/baton/lifecycle.ts'
import { removeIfUnrecorded } from '../../../sql/object.ts'
import type { ApiContext } from '../../context.ts'
import { decodeBase64 } from '../../intake/body/base64.ts'

export const MAX_WRITE_BYTES = 3 * 2 ** 20
/** Longer content is put into the object store; the database has only its key. */
const MAX_ROW_BYTES = 16 * 2 ** 10

interface WrittenContent {
  content: string
  contentType?: string
  contentEncoding?: 'utf-8' | 'base64' | 'binary'
}

export function decodeContent({ content, contentEncoding = 'utf-8' }: WrittenContent): Buffer {
  const bytes = contentEncoding === 'utf-8' ? Buffer.from(content, 'utf8') : decodeBase64(content, 'content')
  if (bytes.length > MAX_WRITE_BYTES) {
    const more = 'Create the baton with requestPresignedUpload to store more.'
    throw new Problem('INPUT_TOO_LARGE', { field: 'content', ceiling: MAX_WRITE_BYTES, more })
  }
  return bytes
}

/** Stores content for an entry; unless one takes it over, it is removed later. */
export async function storeContent(
  { db, store }: ApiContext,
  accountId: string,
  written: WrittenContent,
): Promise<WrittenEntry> {
  const bytes = decodeContent(written)
  const text = (written.contentEncoding ?? 'utf-8') === 'utf-8'
  const type = written.contentType ?? (text ? 'text/plain; charset=utf-8' : 'application/octet-stream')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const entry = { size: bytes.length, type, sha256, text }
  if (bytes.length <= MAX_ROW_BYTES) return { ...entry, content: bytes }
  const key = newBatonKey()
  await reserveObject(db, { accountId, key, size: bytes.length, type, until: null })
  await store.put(key, bytes, { contentType: type })
  await removeIfUnrecorded(db, store, key)
  return { ...entry, key }
}
