import { createHash } from 'node:crypto'
import { newId, Problem } from '#kit'
import type { SigningView, StoredUpload } from '../../../../sql/esigndoc/signing.ts'
import { findAcceptedType } from '../../../../tasks/formats/file-types/accept.ts'
import { HEAD_BYTES, recogniseTypes } from '../../../../tasks/formats/file-types/recognise.ts'
import type { ApiContext } from '../../../context.ts'
import { prepare, storeBytes } from '../documents.ts'

const IMAGES = ['image/png', 'image/jpeg']
const ATTACHMENTS = ['application/pdf', ...IMAGES, 'image/webp', 'text/plain']

interface Sent {
  name: string
  bytes: Buffer
  field: string
  isImage: boolean
}

/** Stores what a signer uploads, if it is what it should be. An image must show something. */
export async function storeUpload(
  context: ApiContext,
  { accountId }: Pick<SigningView, 'accountId'>,
  { name, bytes, field, isImage }: Sent,
): Promise<StoredUpload> {
  const maxBytes = context.settings.get('esigndoc.max_upload_bytes')
  if (bytes.length === 0) throw new Problem('INPUT_EMPTY', { field })
  if (bytes.length > maxBytes) throw new Problem('INPUT_TOO_LARGE', { field, maxBytes })
  const types = await recogniseTypes(bytes.subarray(0, HEAD_BYTES), bytes.length <= HEAD_BYTES)
  const supported = isImage ? IMAGES : ATTACHMENTS
  const type = findAcceptedType(types, supported)
  if (!type) throw new Problem('UNSUPPORTED_FORMAT', { field, detected: types[0], supported })
  const clean =
    name
      .replaceAll(/[\p{Cc}/\\]/gu, '_')
      .slice(0, 200)
      .toWellFormed() || 'file'
  const file = await storeBytes(context, accountId, { name: clean, type, sizeBytes: bytes.length, bytes })
  if (isImage) {
    const { isBlank } = await prepare<{ isBlank: boolean }>(context, accountId, { kind: 'image', file })
    if (isBlank) throw new Problem('SIGNATURE_EMPTY', { mode: 'upload', field })
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { id: newId(), name: clean, contentType: type, sizeBytes: bytes.length, sha256, key: file.key }
}
