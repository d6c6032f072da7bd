import { type Db, value } from '../db.ts'
import type { VerificationView } from './verifications.ts'

/** Returns when the link ends. */
export function addReviewLink(db: Db, token: Buffer, reviewer: string, hours: number): Promise<Date> {
  return value(db, 'select idverify.add_review_link($1, $2, $3)', [token, reviewer, hours])
}

/** Gives the operator who asks such a link; it bears their name. */
export async function reviewAsOperator(db: Db, token: Buffer, hours: number): Promise<void> {
  await value(db, 'select idverify.review_as_operator($1, $2)', [token, hours])
}

/** The name of the reviewer who has the link. Throws NOT_FOUND. */
export function findReviewer(db: Db, token: Buffer): Promise<string> {
  return value(db, 'select idverify.find_reviewer($1)', [token])
}

interface WaitingReview {
  id: string
  accountId: string
  type: string
  since: string
  reasonCodes: string[]
}

export function listWaitingReviews(db: Db, limit: number): Promise<WaitingReview[]> {
  return value(db, 'select idverify.list_queue($1)', [limit])
}

export interface ReviewView extends VerificationView {
  subject: Record<string, string> | null
  terms: Record<string, unknown>
  challenge: string
  images: { id: string; attempt: number; side: string; key: string; type: string }[]
}

/** Throws NOT_FOUND. */
export function readForReview(db: Db, id: string): Promise<ReviewView> {
  return value(db, 'select idverify.read_for_review($1)', [id])
}

interface Decision {
  decision: 'approved' | 'declined'
  reasonCodes: readonly string[]
  note: string | undefined
  reviewer: string
}

/** Throws NOT_FOUND, VERIFICATION_TERMINAL, or ILLEGAL_TRANSITION if it does not wait for a review. */
export function decideVerification(
  db: Db,
  id: string,
  { decision, reasonCodes, note, reviewer }: Decision,
): Promise<VerificationView> {
  return value(db, 'select idverify.decide($1, $2, $3, $4, $5)', [id, decision, reasonCodes, note ?? null, reviewer])
}
