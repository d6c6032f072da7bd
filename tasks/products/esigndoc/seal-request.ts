import { writeDay } from './dates.ts'
import type { CertifiedRecipient, FieldValue, FilledField, SealRequest, SignatureMark, StoredFile } from './document.ts'
import { readInitials } from './mark.ts'
import type { FieldSpec } from './place.ts'
import { type EnvelopeTerms, toLanguage } from './terms.ts'

/** A signature as it is kept: an uploaded image by the id of its upload. */
export type KeptMark = Exclude<SignatureMark, { mode: 'upload' }> | { mode: 'upload'; uploadId: string }

export interface KeptSignature {
  mark: KeptMark
  /** If they were made apart. */
  initials?: KeptMark
}

export interface StoredDocument {
  key: string
  type: string
  sizeBytes: number
  sha256: string
}

interface SealedRecipient extends Omit<CertifiedRecipient, 'mark'> {
  id: string
  signature: KeptSignature | null
}

/** All that is sealed, as the database has it. */
export interface Sealable {
  id: string
  accountId: string
  envelopeId: string
  title: string
  sender: string
  terms: EnvelopeTerms
  timezone: string
  createdAt: string
  sentAt: string
  sealedAt: string
  files: { name: string; content: StoredDocument; pages: number }[]
  fields: (FieldSpec & { id: string; recipient: string | null; value: unknown })[]
  uploads: (StoredFile & { id: string })[]
  recipients: SealedRecipient[]
  events: { at: string; action: string; actor: string; hash: string }[]
}

const toIso = (at: string) => new Date(at).toISOString()
const orNull = (at: string | null) => (at === null ? null : toIso(at))

/** What the engine is asked to seal. It is the same each time, so that a second try gives the same documents. */
export function buildSealRequest(found: Sealable, issuer: string, hasTimestamps: boolean): SealRequest {
  const { id, terms, files, recipients, events, sealedAt } = found
  const head = events.at(-1)!
  return {
    id,
    files: files.map(({ name, content }) => toStoredFile(name, content)),
    joins: true,
    fields: found.fields.flatMap(field => fillField(field, found) ?? []),
    certificate: {
      ...{
        language: toLanguage(terms.language),
        envelopeId: found.envelopeId,
        title: found.title,
        sender: found.sender,
        issuer,
      },
      ...{ createdAt: toIso(found.createdAt), sentAt: toIso(found.sentAt), completedAt: toIso(sealedAt) },
      documents: files.map(({ name, content, pages }) => ({ name, sha256: content.sha256, pages })),
      recipients: recipients.map(one => certify(one, found)),
      events: events.map(({ at, action, actor, hash }) => ({ at: toIso(at), text: action, actor, hash })),
      chainHead: { entries: events.length, hash: head.hash },
      brand: terms.branding ? describeBrand(terms.branding, found.sender) : null,
    },
    certificatePlace: terms.certificate,
    level: terms.seal.level ?? (hasTimestamps ? 'B-T' : 'B-B'),
    sealedAt: toIso(sealedAt),
  }
}

function describeBrand({ name, color, logo }: NonNullable<EnvelopeTerms['branding']>, sender: string) {
  return { name: name ?? sender, color: color ?? null, logo: logo ?? null }
}

export function toStoredFile(name: string, { key, type, sizeBytes }: StoredDocument): StoredFile {
  return { key, name, type, sizeBytes }
}

function certify({ id: _id, signature, consent, ...one }: SealedRecipient, { uploads }: Sealable): CertifiedRecipient {
  return {
    ...one,
    ...{ notifiedAt: orNull(one.notifiedAt), viewedAt: orNull(one.viewedAt), signedAt: orNull(one.signedAt) },
    consent: consent && { ...consent, at: toIso(consent.at) },
    mark: signature && findMark(signature.mark, uploads),
  }
}

function findMark(mark: KeptMark, uploads: Sealable['uploads']): SignatureMark {
  if (mark.mode !== 'upload') return mark
  const { key, name, type, sizeBytes } = uploads.find(({ id }) => id === mark.uploadId)!
  return { mode: 'upload', image: { key, name, type, sizeBytes } }
}

type SealableField = Sealable['fields'][number]

/** Undefined: nothing stands in the field. */
function fillField(field: SealableField, found: Sealable): FilledField | undefined {
  const { id, type, font, file, page, x, y, w, h } = field
  const value = readValue(field, found)
  return value && { id, type, file, page, x, y, w, h, value, ...(font && { font }) }
}

function readValue(field: SealableField, found: Sealable): FieldValue | undefined {
  const { type, value, label } = field
  switch (type) {
    case 'signature':
    case 'initials':
      return readSignature(field, found)
    case 'checkbox':
    case 'radio':
      return { kind: 'check', isChecked: value === true }
    case 'heading':
      return { kind: 'text', text: String(value ?? label ?? '') }
    case 'attachment':
    case 'stamp':
      return readUpload(field, found)
    default:
      return readText(field, found)
  }
}

function readText({ type, value }: SealableField, { terms }: Sealable): FieldValue | undefined {
  if (value === null || value === undefined || value === '') return undefined
  return { kind: 'text', text: type === 'date' ? writeDay(String(value), terms.dateFormat) : String(value) }
}

function readUpload({ type, value }: SealableField, { uploads }: Sealable): FieldValue | undefined {
  const upload = uploads.find(({ id }) => id === value)
  if (!upload) return undefined
  const { id: _id, ...file } = upload
  return type === 'stamp' ? { kind: 'mark', mark: { mode: 'upload', image: file } } : { kind: 'attachment', file }
}

function readSignature({ type, recipient }: SealableField, { recipients, uploads }: Sealable): FieldValue | undefined {
  const signer = recipients.find(({ id }) => id === recipient)
  if (!signer?.signature) return undefined
  const { mark, initials } = signer.signature
  if (type === 'signature') return { kind: 'mark', mark: findMark(mark, uploads) }
  if (initials) return { kind: 'mark', mark: findMark(initials, uploads) }
  return { kind: 'mark', mark: { mode: 'type', text: readInitials(signer.name) } }
}
