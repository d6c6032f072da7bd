import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

export type VerificationType = 'document' | 'liveness' | 'biometric'

export type VerificationStatus =
  | 'created'
  | 'started'
  | 'processing'
  | 'manual_review'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled'

export interface StoredImage {
  id: string
  side: 'front' | 'back' | 'selfie' | `frame${number}`
  key: string
  type: string
  size: number
}

/** A verification as its owner sees it. */
export interface VerificationView {
  id: string
  type: VerificationType
  status: VerificationStatus
  decision: 'approved' | 'declined' | null
  reasonCodes: string[]
  checks: { name: string; result: string; detail: string | null }[]
  document: Record<string, unknown> | null
  age: number | null
  similarity: number | null
  aml: { status: string; screeningId: string } | null
  referenceId: string | null
  metadata: Record<string, string> | null
  attemptsUsed: number
  maxAttempts: number
  reading: boolean
  provider: string | null
  polledAt: string | null
  reviewedBy: 'provider' | 'operator' | null
  createdAt: string
  updatedAt: string
  expiresAt: string
  purgeAt: string | null
  purgedAt: string | null
}

interface NewVerification {
  id: string
  type: VerificationType
  referenceId: string | undefined
  metadata: object | undefined
  subject: object | undefined
  terms: object
  redirectUrl: string | undefined
  locale: string
  tokenHash: Buffer
  challenge: string
  maxAttempts: number
  typedZone: string | undefined
  retentionDays: number
  expiresAt: Date
  provider: string | undefined
}

/** Begins a verification and ends the job that pays for it, in one transaction. Throws TOO_MANY_VERIFICATIONS. */
export function createVerification(
  db: Db,
  job: PayingJob,
  row: NewVerification,
  images: readonly StoredImage[],
  maxOpen: number,
): Promise<VerificationView> {
  const fields = {
    ...{ id: row.id, account_id: job.accountId, type: row.type, reference_id: row.referenceId, metadata: row.metadata },
    ...{ subject: row.subject, terms: row.terms, redirect_url: row.redirectUrl, locale: row.locale },
    ...{ token_hash: `\\x${row.tokenHash.toString('hex')}`, challenge: row.challenge, max_attempts: row.maxAttempts },
    ...{ typed_zone: row.typedZone, retention_days: row.retentionDays, expires_at: row.expiresAt },
    provider: row.provider,
  }
  const values = [serializeJob(job), JSON.stringify(fields), JSON.stringify(images), maxOpen]
  return value(db, 'select idverify.create($1, $2, $3, $4)', values)
}

/** Throws NOT_FOUND, as those below do. */
export function readVerification(db: Db, accountId: string, id: string, isRevealed = false): Promise<VerificationView> {
  return value(db, 'select idverify.read($1, $2, $3)', [accountId, id, isRevealed])
}

/** The key of the report of what is written now; null while it is made. */
export function requestReport(db: Db, accountId: string, id: string): Promise<string | null> {
  return value(db, 'select idverify.request_report($1, $2)', [accountId, id])
}

interface VerificationFilter {
  status?: string | undefined
  type?: string | undefined
  referenceId?: string | undefined
}

export function listVerifications(
  db: Db,
  accountId: string,
  filter: VerificationFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<VerificationView[]> {
  return value(db, 'select idverify.list($1, $2, $3, $4)', [accountId, JSON.stringify(filter), limit, offset])
}

/** Has the provider asked now, unless it was some seconds ago. Returns whether it is. */
export function requestPoll(db: Db, accountId: string, id: string, seconds: number): Promise<boolean> {
  return value(db, 'select idverify.request_poll($1, $2, $3)', [accountId, id, seconds])
}

/** Throws VERIFICATION_TERMINAL. */
export function cancelVerification(db: Db, accountId: string, id: string): Promise<VerificationView> {
  return value(db, 'select idverify.cancel($1, $2)', [accountId, id])
}

/** Erases what is personal now and keeps the decision. */
export function redactVerification(db: Db, accountId: string, id: string): Promise<VerificationView> {
  return value(db, 'select idverify.redact($1, $2)', [accountId, id])
}
