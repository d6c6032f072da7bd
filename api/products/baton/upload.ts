import { Problem } from '#kit'
import { newBatonKey } from '../../../ops/products/baton/uploads.ts'
import type { StoredObject } from '../../../ops/providers/storage/contract.ts'
import { reserveObject } from '../../../sql/baton/lifecycle.ts'
import { adoptUpload, findUpload } from '../../../sql/baton/uploads.ts'
import type { ApiContext } from '../../context.ts'
import type { Uploads } from '../../intake/files/object-routes.ts'
import type { Caller } from '../../intake/identity/caller.ts'

const FORM_MS = 3_600_000
/** An upload that began while its form was valid may take so long. */
const GRACE_MS = 900_000
/** A baton may be sealed with its upload after its end. */
const KEPT_AFTER_MS = 2 * 86_400_000

interface UploadRequest {
  sizeBytes: bigint
  contentType: string | undefined
  until: Date
}

/** A form for the first content of a new baton. What is uploaded is taken over before anything else is done with the baton. */
export async function openUpload(
  { db, store }: ApiContext,
  { accountId }: Caller,
  { sizeBytes, contentType, until }: UploadRequest,
) {
  const key = newBatonKey()
  const maxBytes = Number(sizeBytes)
  const type = contentType ?? 'application/octet-stream'
  const keptUntil = new Date(until.getTime() + KEPT_AFTER_MS)
  await reserveObject(db, { accountId, key, size: null, type, until: keptUntil })
  const expiresAt = new Date(Math.min(Date.now() + FORM_MS, until.getTime()))
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1_000))
  const form = await store.presignPost(key, { maxBytes, contentType, expiresInSeconds })
  return {
    key,
    until: new Date(expiresAt.getTime() + GRACE_MS),
    form: { ...form, maxBytes, expiresAt: expiresAt.toISOString() },
  }
}

/**
 * Uploads that pass through the api are taken over at once, so that one which cannot be is refused. Nobody else knows the key
 * under which such a file is written, so it need not be copied.
 */
export function receiveUploads({ db }: Pick<ApiContext, 'db'>): Uploads {
  return async (uploadKey, contentType) => {
    if (!uploadKey.startsWith('baton/')) return undefined
    const pending = await findUpload(db, uploadKey)
    if (!pending) throw uploadGone()
    const { batonId, accountId } = pending
    const key = newBatonKey()
    await reserveObject(db, { accountId, key, size: null, type: contentType, until: null })
    const take = async ({ sizeBytes, sha256 }: StoredObject) => {
      const written = { key, size: sizeBytes, type: contentType, text: true, sha256: sha256!, upload: uploadKey }
      const outcome = await adoptUpload(db, batonId, written)
      if (outcome === 'too large') throw new Problem('QUOTA_EXHAUSTED', { quota: 'size' })
      if (outcome !== 'adopted') throw uploadGone()
    }
    return { key, take }
  }
}

function uploadGone(): Problem {
  const reason = 'The form was used, or its baton was written to, has expired or was deleted.'
  return new Problem('GONE', { reason })
}
