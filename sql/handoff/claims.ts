import { type Db, value } from '../db.ts'
import type { StoredContent } from '../storage/index.ts'

interface NewHandoff {
  id: string
  tokenHash: Buffer
  seconds: number
  maxClaims: number
  pinHash: Buffer | undefined
  wallet: string | undefined
  email: string | undefined
  note: string | undefined
}

interface HandoffView {
  handoff_id: string
  state: string
  max_claims: number
  delete_on_claim: boolean
  expires_at: string
}

/** Throws HANDOFF_UNSUPPORTED_LEASE. */
export function issueHandoff(db: Db, accountId: string, leaseId: string, made: NewHandoff): Promise<HandoffView> {
  const { id, tokenHash, seconds, maxClaims, pinHash, wallet, email, note } = made
  const handoff = { id, token: tokenHash.toString('hex'), seconds, pin: pinHash?.toString('hex'), wallet, email, note }
  const values = [accountId, leaseId, JSON.stringify({ ...handoff, max_claims: maxClaims })]
  return value(db, 'select handoff.issue($1, $2, $3)', values)
}

/** Throws NOT_FOUND or FORBIDDEN, and when it is revoked after its last claim ALREADY_CLAIMED. */
export function readHandoff(db: Db, accountId: string, id: string, { revokes }: { revokes: boolean }): Promise<object> {
  return value(db, 'select handoff.read($1, $2, $3)', [accountId, id, revokes])
}

/** What can be known of a file before it is claimed. */
export interface HandoffPreview {
  filename: string | null
  size_bytes: number
  content_type: string
  note: string | null
  needs_pin: boolean
  needs_sign_in: boolean
  expires_at: string
}

export function previewHandoff(db: Db, tokenHash: Buffer): Promise<HandoffPreview> {
  return value(db, 'select handoff.preview($1)', [tokenHash])
}

interface Claim {
  accountId: string | undefined
  pinHash: Buffer | undefined
  receiptHash: Buffer
  /** The receipt is that of an earlier claim. */
  isRepeat: boolean
}

/** Throws ALREADY_CLAIMED, GONE or FORBIDDEN. */
export function claimHandoff(
  db: Db,
  tokenHash: Buffer,
  { accountId, pinHash, receiptHash, isRepeat }: Claim,
): Promise<StoredContent | { fault: 'PIN_REQUIRED' | 'PIN_WRONG'; triesLeft: number }> {
  const values = [tokenHash, accountId ?? null, pinHash ?? null, receiptHash, isRepeat]
  return value(db, 'select handoff.claim($1, $2, $3, $4, $5)', values)
}

/** The content of a claim has arrived whole. */
export async function completeClaim(db: Db, receiptHash: Buffer): Promise<void> {
  await value(db, 'select handoff.complete_claim($1)', [receiptHash])
}
