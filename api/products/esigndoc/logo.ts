import { Problem } from '#kit'
import { findAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
import { HEAD_BYTES, recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import { readLogo } from '../../../tasks/products/esigndoc/logo.ts'
import type { ApiContext } from '../../context.ts'
import { prepare, storeBytes } from './documents.ts'

/** Has a worker look at a logo, so that no envelope comes to its seal with one that cannot be drawn. */
export async function checkLogo(
  context: ApiContext,
  accountId: string,
  branding: { logo?: string } | undefined,
): Promise<void> {
  if (branding?.logo === undefined) return
  const { type, bytes } = readLogo(branding.logo)
  const types = await recogniseTypes(bytes.subarray(0, HEAD_BYTES), bytes.length <= HEAD_BYTES)
  if (findAcceptedType(types, [type]) === undefined) throw refuse(`it is no ${type}`)
  const file = await storeBytes(context, accountId, { name: 'logo', type, sizeBytes: bytes.length, bytes })
  try {
    await prepare(context, accountId, { kind: 'image', file })
  } catch (error) {
    throw error instanceof Problem && error.status < 429 ? refuse('it cannot be read as an image') : error
  }
}

function refuse(reason: string): Problem {
  return new Problem('INVALID_PARAM', { field: 'branding.logo', reason })
}
