import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import {
  completeSigning,
  type Origin,
  readForSigning,
  type Signer,
  type SignerField,
  type SigningView,
  type StoredUpload,
  saveValues,
} from '../../../../sql/esigndoc/signing.ts'
import { chooseConsent, findDay } from '../../../../tasks/products/esigndoc/index.ts'
import { type GivenMark, readTypedMark, requireDrawn } from '../../../../tasks/products/esigndoc/mark.ts'
import type { KeptMark, KeptSignature } from '../../../../tasks/products/esigndoc/seal-request.ts'
import { type Language, toLanguage } from '../../../../tasks/products/esigndoc/terms.ts'
import { completeValues, isMark, readValues, requireValues } from '../../../../tasks/products/esigndoc/values.ts'
import type { ApiContext } from '../../../context.ts'
import { decodeBase64 } from '../../../intake/body/base64.ts'
import { readDrawing } from './drawing.ts'
import { storeUpload } from './uploads.ts'

export interface GivenSignature {
  values: Readonly<Record<string, unknown>>
  signature: GivenMark | undefined
  initials: GivenMark | undefined
  consent: boolean
  /** In which the consent was read; by default that of the recipient. */
  language?: Language
  /** Files that came with it, by the id of their field. */
  files?: Readonly<Record<string, { name: string; bytes: Buffer }>>
}

/** The fields of a signer. */
export function listOwnFields({ fields }: Pick<SigningView, 'fields'>): SignerField[] {
  return fields.filter(({ isOwn }) => isOwn)
}

/** Throws VERIFICATION_REQUIRED or LINK_IN_USE for a browser that has not proved who it is. */
export function requireAdmitted({ isAdmitted, isInUse, verification, sender }: SigningView): void {
  if (isAdmitted) return
  throw isInUse
    ? new Problem('LINK_IN_USE', { sender })
    : new Problem('VERIFICATION_REQUIRED', { method: verification })
}

type Given = Pick<GivenSignature, 'values' | 'files'>

/** Keeps what was filled in so far. Returns the ids of uploads. */
export async function saveSigning(context: ApiContext, signer: Signer, given: Given, origin: Origin) {
  const view = await readForSigning(context.db, signer)
  requireAdmitted(view)
  const { values, uploads } = await readGiven(context, view, given)
  await saveValues(context.db, signer, { values, uploads }, origin)
  return { uploads: uploads.map(({ id }) => id) }
}

async function readGiven(context: ApiContext, view: SigningView, { values, files = {} }: Given) {
  const own = listOwnFields(view)
  const uploads: StoredUpload[] = []
  const uploaded: Record<string, string> = {}
  for (const [fieldId, file] of Object.entries(files)) {
    const field = own.find(({ id, type }) => id === fieldId && (type === 'attachment' || type === 'stamp'))
    if (!field) throw new Problem('FIELD_INVALID', { field: fieldId, reason: 'it takes no file' })
    const upload = await storeUpload(context, view, { ...file, field: fieldId, isImage: field.type === 'stamp' })
    uploads.push(upload)
    uploaded[fieldId] = upload.id
  }
  requireOwnUploads(own, values)
  return { values: readValues(own, { ...values, ...uploaded }), uploads }
}

/** A file is uploaded for its field; its id says nothing of one of somebody else. */
function requireOwnUploads(own: readonly SignerField[], values: Readonly<Record<string, unknown>>): void {
  for (const { id, type, value } of own) {
    const given = values[id]
    const takesFile = type === 'attachment' || type === 'stamp'
    if (takesFile && given !== undefined && given !== null && given !== value)
      throw new Problem('FIELD_INVALID', { field: id, reason: 'upload the file for this field' })
  }
}

/** Signs. The same call again is answered as before. */
export async function completeAs(
  context: ApiContext,
  signer: Signer,
  given: GivenSignature,
  origin: Origin,
): Promise<void> {
  const view = await readForSigning(context.db, signer)
  requireAdmitted(view)
  if (!given.consent) throw new Problem('CONSENT_REQUIRED')
  const { name, email, role } = view.recipient
  const language = given.language ?? toLanguage(view.language)
  const own = listOwnFields(view)
  const { values, uploads } = await readGiven(context, view, given)
  const now = new Date()
  const completed = completeValues(own, values, { name, email, today: findDay(now, view.timezone) })
  requireValues(own, completed)
  const signature = own.some(isMark) ? await readSignature(context, view, given, uploads) : undefined
  await completeSigning(context.db, signer, {
    ...origin,
    ...{ values: completed, uploads, signature },
    consent: { ...chooseConsent(language, role), language, at: now.toISOString() },
    digest: `\\x${digest(given)}`,
    valuesSha256: sha256(JSON.stringify(completed)),
  })
}

/** Of what was sent, without what the service adds. */
function digest({ values, signature, initials, files = {} }: GivenSignature): string {
  const sent = Object.entries(files).map(([id, { bytes }]) => [id, sha256(bytes)])
  return sha256(JSON.stringify([values, signature, initials, sent]))
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function readSignature(
  context: ApiContext,
  view: SigningView,
  { signature, initials }: GivenSignature,
  uploads: StoredUpload[],
): Promise<KeptSignature> {
  if (!signature) throw new Problem('SIGNATURE_EMPTY', { mode: null })
  const mark = await readMark(context, view, { given: signature, field: 'signature' }, uploads)
  if (!initials) return { mark }
  return { mark, initials: await readMark(context, view, { given: initials, field: 'initials' }, uploads) }
}

async function readMark(
  context: ApiContext,
  view: SigningView,
  { given: { mode, data }, field }: { given: GivenMark; field: string },
  uploads: StoredUpload[],
): Promise<KeptMark> {
  if (mode === 'type') return { mode, text: readTypedMark(data) }
  if (mode === 'draw') {
    const drawing = readDrawing(data, field)
    requireDrawn(drawing)
    return { mode, ...drawing }
  }
  if (typeof data !== 'string' || data === '') throw new Problem('SIGNATURE_EMPTY', { mode })
  const bytes = decodeBase64(data, field)
  const upload = await storeUpload(context, view, { name: `${field}.png`, bytes, field, isImage: true })
  uploads.push(upload)
  return { mode, uploadId: upload.id }
}
