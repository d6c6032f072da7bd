import type { PageGeometry } from '../../tasks/products/esigndoc/document.ts'
import type { FieldRow, FieldSpec } from '../../tasks/products/esigndoc/place.ts'
import type { StoredDocument } from '../../tasks/products/esigndoc/seal-request.ts'
import type { EnvelopeTerms, RecipientTerms } from '../../tasks/products/esigndoc/terms.ts'
import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

export type EnvelopeStatus =
  | 'draft'
  | 'sent'
  | 'in_progress'
  | 'sealing'
  | 'completed'
  | 'rejected'
  | 'expired'
  | 'cancelled'

export interface PreparedFile {
  name: string
  original: StoredDocument
  /** As it is signed. */
  content: StoredDocument
  pages: PageGeometry[]
}

/** Opens the page of a recipient; the link itself is stored nowhere. */
export interface LinkRow {
  linkNonce: string
  /** As the database reads bytes. */
  tokenHash: string
}

export interface NewRecipient extends LinkRow {
  id: string
  name: string
  email: string | undefined
  phone: string | undefined
  role: RecipientTerms['role']
  turn: number
  language: string
  delivery: string
  verification: string
  accessCodeHash: string | undefined
  wallet: string | undefined
  verificationId: string | undefined
  redirectUrl: string | undefined
  message: string | undefined
  metadata: object | undefined
}

export interface NewEnvelope {
  row: {
    id: string
    title: string
    terms: object
    signing_order: string
    timezone: string
    reference_id: string | undefined
    metadata: object | undefined
    expires_in_days: number
    template_id?: string
    template_version?: number
    batch_id?: string
  }
  files: readonly PreparedFile[]
  recipients: readonly NewRecipient[]
  fields: readonly FieldRow[]
}

export interface RecipientView {
  id: string
  name: string
  email: string | null
  phone: string | null
  role: RecipientTerms['role']
  order: number
  language: string
  delivery: string
  verification: string
  wallet: string | null
  metadata: object | null
  status: 'waiting' | 'notified' | 'viewed' | 'completed' | 'declined' | 'reassigned' | 'bounced' | 'skipped'
  deliveryError: string | null
  linkNonce: string
  notifiedAt: string | null
  viewedAt: string | null
  signedAt: string | null
  declineReason: string | null
  reassignedTo: string | null
  remindersSent: number
}

export interface FieldView extends FieldSpec {
  id: string
  recipient: string | null
  value: unknown
}

/** An envelope as its owner sees it, with what links follow from. */
export interface EnvelopeView {
  id: string
  status: EnvelopeStatus
  title: string
  pages: number
  files: { name: string; sha256: string; originalSha256: string; pages: number }[]
  signingOrder: string
  timezone: string
  terms: EnvelopeTerms
  recipients: RecipientView[]
  fields: FieldView[]
  progress: { signed: number; total: number }
  templateId: string | null
  templateVersion: number | null
  createdAt: string
  sentAt: string | null
  completedAt: string | null
  expiresAt: string | null
  remindersSent: number
  chargedMicros: string
  referenceId: string | null
  metadata: object | null
  batonId: string | null
  signedSha256: string | null
  seal: object | null
}

/** What an envelope needs when it is sent. */
interface Sending {
  /** The ledger that gets a copy of the log. */
  baton: object
  message?: string | undefined
  delivery?: string | undefined
  /** What the price was made from, if the draft was made before. */
  pages?: number
  recipients?: number
}

/** Makes a draft, or sends it at once, and ends the job that pays for it. Throws TOO_MANY_ENVELOPES, NO_SIGNERS or NO_FIELDS. */
export function createEnvelope(
  db: Db,
  job: PayingJob,
  envelope: NewEnvelope,
  sending: Sending | undefined,
  maxOpen: number,
): Promise<EnvelopeView> {
  const values = [serializeJob(job), JSON.stringify(envelope), sending ? JSON.stringify(sending) : null, maxOpen]
  return value(db, 'select esigndoc.create($1, $2, $3, $4)', values)
}

/** Sends a draft and ends the job that pays for it. Throws NOT_FOUND, ENVELOPE_NOT_DRAFT, NO_SIGNERS or NO_FIELDS. */
export function sendEnvelope(db: Db, job: PayingJob, id: string, sending: Sending): Promise<EnvelopeView> {
  return value(db, 'select esigndoc.send($1, $2, $3)', [serializeJob(job), id, JSON.stringify(sending)])
}

/** Throws NOT_FOUND, as those below do. */
export function readEnvelope(db: Db, accountId: string, id: string): Promise<EnvelopeView> {
  return value(db, 'select esigndoc.read($1, $2)', [accountId, id])
}

interface EnvelopeFilter {
  status?: string | undefined
  recipientEmail?: string | undefined
  referenceId?: string | undefined
  templateId?: string | undefined
  batchId?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

export function listEnvelopes(
  db: Db,
  accountId: string,
  filter: EnvelopeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<EnvelopeView[]> {
  return value(db, 'select esigndoc.list($1, $2, $3, $4)', [accountId, JSON.stringify(filter), limit, offset])
}

interface StatusView {
  id: string
  status: EnvelopeStatus
  progress: { signed: number; total: number }
  recipients: { id: string; status: string; order: number }[]
  nextRecipients: string[]
}

export function readStatus(db: Db, accountId: string, id: string): Promise<StatusView> {
  return value(db, 'select esigndoc.read_status($1, $2)', [accountId, id])
}

/** Throws ENVELOPE_TERMINAL. */
export function cancelEnvelope(
  db: Db,
  accountId: string,
  id: string,
  reason: string | undefined,
): Promise<EnvelopeView> {
  return value(db, 'select esigndoc.cancel($1, $2, $3)', [accountId, id, reason ?? null])
}

interface Resent {
  notified: string[]
  skipped: { id: string; reason: string }[]
}

/** Throws ENVELOPE_TERMINAL, ENVELOPE_NOT_SENT, RECIPIENT_UNKNOWN, RESENT_RECENTLY or RESENDS_EXHAUSTED. */
export function resendEnvelope(
  db: Db,
  accountId: string,
  id: string,
  { recipientIds, message }: { recipientIds: readonly string[] | undefined; message: string | undefined },
): Promise<Resent> {
  return value(db, 'select esigndoc.resend($1, $2, $3, $4)', [accountId, id, recipientIds ?? null, message ?? null])
}

interface EnvelopeChanges {
  title?: string | undefined
  expiresInDays?: number | undefined
  reminders?: object | undefined
  recipients?: readonly (LinkRow & {
    id: string
    wireId: string
    name: string | undefined
    email: string | undefined
  })[]
}

/** Throws ENVELOPE_TERMINAL, RECIPIENT_UNKNOWN or RECIPIENT_DONE, as the next one does. */
export function changeEnvelope(db: Db, accountId: string, id: string, changes: EnvelopeChanges): Promise<EnvelopeView> {
  return value(db, 'select esigndoc.change($1, $2, $3)', [accountId, id, JSON.stringify(changes)])
}

/** A new link for a recipient. The old one is of no use any more. */
export function makeLink(
  db: Db,
  accountId: string,
  id: string,
  recipientId: string,
  link: LinkRow,
): Promise<RecipientView> {
  return value(db, 'select esigndoc.make_link($1, $2, $3, $4)', [accountId, id, recipientId, JSON.stringify(link)])
}

export interface DocumentsView {
  status: EnvelopeStatus
  title: string
  files: { name: string; original: StoredDocument; content: StoredDocument }[]
  outputs: { kind: 'signed' | 'certificate'; name: string; key: string; sizeBytes: number; sha256: string }[]
}

export function listDocuments(db: Db, accountId: string, id: string): Promise<DocumentsView> {
  return value(db, 'select esigndoc.list_documents($1, $2)', [accountId, id])
}

interface Evidence {
  id: string
  status: EnvelopeStatus
  title: string
  documents: { kind: 'signed' | 'certificate'; name: string; sha256: string }[]
  log: { text: string; hash: string }[]
  ledger: object | null
}

export function readEvidence(db: Db, accountId: string, id: string): Promise<Evidence> {
  return value(db, 'select esigndoc.read_evidence($1, $2)', [accountId, id])
}

export function listOutbox(db: Db, accountId: string, id: string): Promise<object[]> {
  return value(db, 'select esigndoc.list_outbox($1, $2)', [accountId, id])
}

interface Issued {
  kind: string
  completedAt: string
  envelopeId: string | null
  title: string | null
}

/** Null: no such file was sealed here. */
export function findIssued(db: Db, accountId: string | undefined, sha256: string): Promise<Issued | null> {
  return value(db, 'select esigndoc.find_issued($1, $2)', [accountId ?? null, sha256])
}

interface InboxRow {
  recipient: string
  linkNonce: string
  title: string
  notifiedAt: string
  expiresAt: string
}

/** The open envelopes that wait for the owner of an account. */
export function listInbox(db: Db, accountId: string, limit: number): Promise<InboxRow[]> {
  return value(db, 'select esigndoc.list_inbox($1, $2)', [accountId, limit])
}
