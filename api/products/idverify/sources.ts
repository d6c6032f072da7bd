import { buffer } from 'node:stream/consumers'
import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { readObject } from '../../../sql/object.ts'
import type { ApiContext } from '../../context.ts'
import { decodeBase64, estimateDecodedBytes } from '../../intake/body/base64.ts'

export const Image = Type.Object(
  {
    inline: Type.Optional(Type.String({ description: 'Base64.' })),
    inputKey: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Of an upload of yours.' })),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1, description: 'A JPEG, PNG, WebP or HEIC.' },
)

type Context = Pick<ApiContext, 'db' | 'settings' | 'store'>

/** The bytes of an image that a caller names. */
export async function readImage(
  { db, settings, store }: Context,
  accountId: string,
  { inline, inputKey }: Static<typeof Image>,
  field: string,
): Promise<Buffer> {
  const maxBytes = settings.get('idverify.max_image_bytes')
  if (inline !== undefined) {
    if (estimateDecodedBytes(inline) > maxBytes) throw new Problem('INPUT_TOO_LARGE', { field, maxBytes })
    return decodeBase64(inline, field)
  }
  const found = await readObject(db, accountId, inputKey!)
  const facts = found && !found.isExpired ? await store.stat(inputKey!) : undefined
  if (!facts) throw new Problem('INPUT_NOT_FOUND', { field })
  if (facts.sizeBytes > maxBytes) throw new Problem('INPUT_TOO_LARGE', { field, maxBytes })
  return buffer(await store.read(inputKey!))
}
