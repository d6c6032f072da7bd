import { newId } from '#kit'
import {
  type AdoptionOutcome,
  adoptUpload,
  missUpload,
  type PendingUpload,
  readPendingUpload,
  reserveObject,
} from '../../../sql/baton/index.ts'
import type { Db } from '../../../sql/db.ts'
import { removeIfUnrecorded } from '../../../sql/object.ts'
import type { ObjectStore } from '../../providers/storage/contract.ts'

interface UploadContext {
  db: Db
  store: Pick<ObjectStore, 'stat' | 'read' | 'put' | 'remove'>
}

/** Uses a baton; if a file that was uploaded for it comes first, takes that over and tries again. */
export async function useAfterUpload<By extends object, Result>(
  context: UploadContext,
  by: By,
  use: (by: By) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(by)
  } catch (error) {
    const pending = readPendingUpload(error)
    if (!pending) throw error
    await takeUpload(context, pending)
    return use({ ...by, isUploadTried: true })
  }
}

/**
 * Takes over a file that was uploaded by the form of a baton, if it is there. It is copied, because the holder of the form could
 * replace the file as long as the form is valid.
 */
export async function takeUpload({ db, store }: UploadContext, pending: PendingUpload): Promise<AdoptionOutcome> {
  const { batonId, accountId, key: uploadKey } = pending
  const facts = await store.stat(uploadKey)
  if (!facts) {
    await missUpload(db, batonId, uploadKey)
    return 'missing'
  }
  const { sizeBytes, contentType } = facts
  const written = { size: sizeBytes, type: contentType, text: true, upload: uploadKey }
  if (BigInt(sizeBytes) > BigInt(pending.maxBytes)) return adoptUpload(db, batonId, { ...written, sha256: '' })
  const key = newBatonKey()
  await reserveObject(db, { accountId, key, size: sizeBytes, type: contentType, until: null })
  const stored = await store.put(key, await store.read(uploadKey), {
    contentType,
    isHashed: true,
    maxBytes: sizeBytes,
  })
  await removeIfUnrecorded(db, store, key)
  // Another file may have come since its size was asked for.
  return adoptUpload(db, batonId, { ...written, size: stored.sizeBytes, key, sha256: stored.sha256! })
}

export function newBatonKey(): string {
  return `baton/${newId()}`
}
