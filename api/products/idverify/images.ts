import { newId, Problem } from '#kit'
import { reserveImage } from '../../../sql/idverify/sessions.ts'
import type { StoredImage } from '../../../sql/idverify/verifications.ts'
import { findAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
import { HEAD_BYTES, recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import type { ApiContext } from '../../context.ts'

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']

export interface SentImage {
  side: StoredImage['side']
  bytes: Buffer
}

/** An image whose content is what it should be. */
export interface CheckedImage extends SentImage {
  type: string
}

/** Throws for a file that is empty, too large, or no image, whatever its name says. */
export async function checkImage(
  { settings }: Pick<ApiContext, 'settings'>,
  { side, bytes }: SentImage,
): Promise<CheckedImage> {
  const maxBytes = settings.get('idverify.max_image_bytes')
  if (bytes.length === 0) throw new Problem('INPUT_EMPTY', { field: side })
  if (bytes.length > maxBytes) throw new Problem('INPUT_TOO_LARGE', { field: side, maxBytes })
  const types = await recogniseTypes(bytes.subarray(0, HEAD_BYTES), bytes.length <= HEAD_BYTES)
  const type = findAcceptedType(types, IMAGE_TYPES)
  if (!type) throw new Problem('UNSUPPORTED_FORMAT', { field: side, detected: types[0], supported: IMAGE_TYPES })
  return { side, bytes, type }
}

/** Stores images for a verification; they are removed again if it does not take them over. */
export async function withStoredImages<Result>(
  { db, store }: Pick<ApiContext, 'db' | 'store'>,
  { accountId, verificationId }: { accountId: string; verificationId: string },
  images: readonly CheckedImage[],
  use: (stored: StoredImage[]) => Promise<Result>,
): Promise<Result> {
  const stored: StoredImage[] = []
  try {
    for (const { side, bytes, type } of images) {
      const id = newId()
      const key = `identity/${verificationId}/${id}`
      await reserveImage(db, accountId, key, type)
      stored.push({ id, side, key, type, size: bytes.length })
      await store.put(key, bytes, { contentType: type })
    }
    return await use(stored)
  } catch (error) {
    // The record stays until a chore finds it, so that a removal that fails too is tried again.
    if (error instanceof Problem) for (const { key } of stored) await store.remove(key).catch(() => undefined)
    throw error
  }
}
