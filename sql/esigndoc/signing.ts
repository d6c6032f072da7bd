import type { PageGeometry } from '../../tasks/products/esigndoc/document.ts'
import type { KeptSignature, StoredDocument } from '../../tasks/products/esigndoc/seal-request.ts'
import type { RecipientTerms } from '../../tasks/products/esigndoc/terms.ts'
import { type Db, value } from '../db.ts'
import type { DocumentsView, EnvelopeStatus, FieldView, NewRecipient } from './envelopes.ts'

/** Who acts: the hash of the token of a link, and of the mark of a browser if it has one. */
export interface Signer {
  token: Buffer
  session: Buffer | undefined
}

/** Where from. */
export interface Origin {
  ip: string
  userAgent: string
}

export interface SignerField extends FieldView {
  isOwn: boolean
}

/** An envelope as a recipient sees it. Who has not proved who they are sees neither documents nor fields. */
export interface SigningView {
  envelopeId: string
  accountId: string
  id: string
  status: EnvelopeStatus
  title: string
  sender: string
  hasLogo: boolean
  message: string | null
  language: string
  timezone: string
  dateFormat: string
  expiresAt: string
  verification: string
  isAdmitted: boolean
  isInUse: boolean
  singleSession: boolean
  embedOrigins: string[]
  hasCode: boolean
  allowDecline: boolean
  allowReassign: boolean
  allowDownload: boolean
  redirectUrl: string | null
  declineRedirectUrl: string | null
  recipient: {
    id: string
    uuid: string
    name: string
    email: string | null
    phone: string | null
    role: RecipientTerms['role']
    status: string
    signedAt: string | null
    canAct: boolean
  }
  wallet: string | null
  verificationId: string | null
  files: { name: string; pages: PageGeometry[]; content: StoredDocument }[]
  fields: SignerField[]
  others: { name: string; role: string; status: string }[]
  documents: DocumentsView | null
}

/** Changes nothing. Throws NOT_FOUND, NOT_YOUR_TURN or LINK_EXPIRED, as those below do. */
export function readForSigning(db: Db, { token, session }: Signer): Promise<SigningView> {
  return value(db, 'select esigndoc.read_for_signing($1, $2)', [token, session ?? null])
}

/** The logo of who asks, as a data URI. Throws NOT_FOUND. */
export function readLogoForSigning(db: Db, { token }: Signer): Promise<string> {
  return value(db, 'select esigndoc.read_logo($1)', [token])
}

/** Notes that a recipient has opened the page, not a program that follows links. */
export async function openPage(db: Db, { token, session }: Signer, origin: Origin): Promise<void> {
  await value(db, 'select esigndoc.open_page($1, $2, $3)', [token, session ?? null, JSON.stringify(origin)])
}

export interface StoredUpload {
  id: string
  name: string
  contentType: string
  sizeBytes: number
  sha256: string
  key: string
}

/** Throws ALREADY_SIGNED or VERIFICATION_REQUIRED, as those below do. */
export async function saveValues(
  db: Db,
  { token, session }: Signer,
  { values, uploads }: { values: object; uploads: readonly StoredUpload[] },
  origin: Origin,
): Promise<void> {
  const given = [token, session ?? null, JSON.stringify(values), JSON.stringify(uploads), JSON.stringify(origin)]
  await value(db, 'select esigndoc.save($1, $2, $3, $4, $5)', given)
}

interface Signed extends Origin {
  values: object
  uploads: readonly StoredUpload[]
  signature: KeptSignature | undefined
  consent: { version: string; text: string; language: string; at: string }
  /** Of all that was sent, by which the same call is known again. */
  digest: string
  valuesSha256: string
}

export async function completeSigning(db: Db, { token, session }: Signer, signed: Signed): Promise<void> {
  await value(db, 'select esigndoc.complete($1, $2, $3)', [token, session ?? null, JSON.stringify(signed)])
}

/** Throws DECLINE_NOT_ALLOWED. */
export async function declineSigning(
  db: Db,
  { token, session }: Signer,
  reason: string,
  origin: Origin,
): Promise<void> {
  await value(db, 'select esigndoc.decline($1, $2, $3, $4)', [token, session ?? null, reason, JSON.stringify(origin)])
}

/** Throws REASSIGN_NOT_ALLOWED. */
export async function reassignSigning(
  db: Db,
  { token, session }: Signer,
  to: Pick<NewRecipient, 'id' | 'name' | 'email' | 'delivery' | 'verification' | 'linkNonce' | 'tokenHash'>,
  origin: Origin,
): Promise<void> {
  const given = [token, session ?? null, JSON.stringify(to), JSON.stringify(origin)]
  await value(db, 'select esigndoc.reassign($1, $2, $3, $4)', given)
}

/** Throws CODES_EXHAUSTED, or VERIFICATION_REQUIRED where no code is needed. */
export function sendCode(
  db: Db,
  token: Buffer,
  code: { id: string; hash: string; sealed: string },
): Promise<{ method: string; validUntil: string }> {
  return value(db, 'select esigndoc.send_code($1, $2)', [token, JSON.stringify(code)])
}

interface Proof extends Origin {
  codeHash?: string | undefined
  wallet?: string | undefined
}

/** Why a proof does not do; its code is null if it does. */
export function prove(
  db: Db,
  token: Buffer,
  session: Buffer,
  proof: Proof,
): Promise<{ code: 'CODE_WRONG' | 'CODES_EXHAUSTED' | null; hints: Record<string, string | number> }> {
  return value(db, 'select esigndoc.prove($1, $2, $3)', [token, session, JSON.stringify(proof)])
}
