import { Problem } from '#kit'
import { adoptUpload, reserveObject } from '../../sql/baton/terms.ts'
import type { PendingUpload } from '../../sql/witness/records.ts'
import type { ApiContext } from '../context.ts'
import type { Caller } from '../intake/identity/caller.ts'
import { newBatonKey } from './content.ts'

const FORM_SECONDS = 3_600

interface UploadRequest {
  sizeBytes: bigint
  contentType: string | undefined
  until: Date
}

/** A form for the first content of a new baton. What is uploaded waits under its key until someone reads the baton. */
export async function openUpload(
  { db, store }: ApiContext,
  { accountId }: Caller,
  { sizeBytes, contentType, until }: UploadRequest,
) {
  const key = newBatonKey()
  const maxBytes = Number(sizeBytes)
  await reserveObject(db, { accountId, key, size: null, type: contentType ?? 'application/octet-stream', until })
  const expiresAt = new Date(Math.min(Date.now() + FORM_SECONDS * 1_000, until.getTime()))
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1_000))
  const form = await store.presignPost(key, { maxBytes, contentType, expiresInSeconds })
  return { key, form: { ...form, maxBytes, expiresAt: expiresAt.toISOString() } }
}

/**
 * Takes over a file that was uploaded by such a form, if it is there. It is copied, because the holder of the form could
 * replace the file as long as the form is valid.
 */
export async function takeUpload({ db, store }: ApiContext, pending: PendingUpload): Promise<void> {
  const { batonId, accountId, key: uploadKey, maxBytes } = pending
  const facts = await store.stat(uploadKey)
  if (!facts) return
  const { sizeBytes, contentType } = facts
  if (BigInt(sizeBytes) > BigInt(maxBytes)) throw new Problem('QUOTA_EXHAUSTED', { quota: 'size', sizeBytes })
  const key = newBatonKey()
  await reserveObject(db, { accountId, key, size: sizeBytes, type: contentType, until: null })
  const { sha256 } = await store.put(key, await store.read(uploadKey), {
    contentType,
    isHashed: true,
    maxBytes: sizeBytes,
  })
  const written = { key, size: sizeBytes, type: contentType, sha256: sha256!, text: true }
  await adoptUpload(db, batonId, uploadKey, written)
}
