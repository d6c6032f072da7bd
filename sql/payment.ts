import {
  type CallPayment,
  type PaidCall,
  parseRefusal,
  type Refusal,
  serializeCall,
  toPaymentFields,
  type Verdict,
} from './call.ts'
import { type Db, rows, value } from './db.ts'

type ClaimAnswer =
  | { kind: 'claimed' }
  | { kind: 'funded' }
  | { kind: 'wait' }
  | { kind: 'used' }
  /** It is not known yet whether a payment has arrived that would pay for this call too. */
  | { kind: 'pending'; txHash: string | undefined }
  /** An earlier request left the same authorization behind; its chunk is continued, or has arrived already. */
  | { kind: 'resumed'; chunkId: string }
  | { kind: 'arrived'; chunkId: string; txHash: string | undefined }
  | Refusal

/** Reserves an authorization for one call before it is broadcast; `payment.chunk` must be given. */
export async function claimPayment(db: Db, call: PaidCall): Promise<ClaimAnswer> {
  const verdict = await value<Verdict>(db, 'select payment.claim($1)', [`[${serializeCall(call)}]`])
  const [, word, first, tx] = verdict
  if (word === 'claimed' || word === 'funded' || word === 'wait' || word === 'used') return { kind: word }
  if (word === 'pending') return { kind: word, txHash: first ?? undefined }
  if (word === 'resumed') return { kind: word, chunkId: first! }
  if (word === 'arrived') return { kind: word, chunkId: first!, txHash: (tx as string | null) ?? undefined }
  return parseRefusal(verdict)
}

/** Whether an authorization was shown before. */
export function isPaymentSeen(db: Db, payment: CallPayment): Promise<boolean> {
  return value(db, 'select payment.is_seen($1)', [JSON.stringify(toPaymentFields(payment))])
}

/** Credits an authorization that was drawn down and that its payer has put on the chain; `payment.chunk` must be given. */
export function creditDrawnPayment(db: Db, payment: CallPayment, txHash: string): Promise<boolean> {
  return value(db, 'select payment.credit_drawn($1, $2)', [JSON.stringify(toPaymentFields(payment)), txHash])
}

export interface Wallet {
  accountId: string
  /** Whether all its payments have arrived so far. */
  isKnown: boolean
  isSuspended: boolean
}

export async function findWallet(db: Db, address: string): Promise<Wallet | undefined> {
  const [row] = await rows<{ account_id: string; is_known: boolean; is_suspended: boolean }>(
    db,
    'select * from payment.find_wallet($1)',
    [address.toLowerCase()],
  )
  return row && { accountId: row.account_id, isKnown: row.is_known, isSuspended: row.is_suspended }
}

/** Returns the account of a wallet; if there is none, creates one with the given id. */
export function openWallet(db: Db, address: string, id: string, isTest: boolean): Promise<string> {
  return value(db, 'select payment.open_wallet($1, $2, $3)', [address.toLowerCase(), id, isTest])
}

/** Marks the nonce of a signed text as used; false if it was used before. */
export function useNonce(db: Db, nonce: string, expiresAt: Date): Promise<boolean> {
  return value(db, 'select payment.use_nonce($1, $2)', [nonce, expiresAt])
}

/** Returns chunks to broadcast and marks them as sent. */
export async function takeDueChunks(db: Db, limit: number): Promise<{ id: string; sealed: string }[]> {
  const due = await value<[string, string][]>(db, 'select payment.take_due($1)', [limit])
  return due.map(([id, sealed]) => ({ id, sealed }))
}

/** Lists chunks that may have been broadcast at least `ageSeconds` ago and whose outcome was not recorded. */
export async function listUnresolvedChunks(
  db: Db,
  ageSeconds: number,
  limit: number,
): Promise<{ id: string; sealed: string; isExpired: boolean }[]> {
  const lost = await value<[string, string, boolean][]>(
    db,
    'select payment.list_unresolved(make_interval(secs => $1), $2)',
    [ageSeconds, limit],
  )
  return lost.map(([id, sealed, isExpired]) => ({ id, sealed, isExpired }))
}

export function markChunkSettled(db: Db, id: string, txHash: string | undefined): Promise<boolean> {
  return value(db, 'select payment.mark_settled($1, $2)', [id, txHash ?? null])
}

export function markChunkFailed(db: Db, id: string, reason: string): Promise<boolean> {
  return value(db, 'select payment.mark_failed($1, $2)', [id, reason])
}

export function markChunkUnknown(db: Db, id: string, txHash: string | undefined): Promise<boolean> {
  return value(db, 'select payment.mark_unknown($1, $2)', [id, txHash ?? null])
}

export function deleteExpiredPayments(db: Db): Promise<number> {
  return value(db, 'select payment.delete_expired()')
}
