import {
  type CallPayment,
  callJson,
  type PaidCall,
  paymentJson,
  type Refusal,
  refusalOf,
  type Verdict,
} from './call.ts'
import { type Db, rows, value } from './db.ts'

export type ClaimAnswer =
  | { kind: 'claimed' }
  | { kind: 'funded' }
  | { kind: 'wait' }
  | { kind: 'used' }
  /** Nobody knows yet whether a payment that would serve this one too has arrived. */
  | { kind: 'pending'; txHash: string | undefined }
  /** An earlier try with the same authorization was left behind: go on with its chunk, or find it arrived. */
  | { kind: 'resumed'; chunkId: string }
  | { kind: 'arrived'; chunkId: string; txHash: string | undefined }
  | Refusal

/** Reserves an authorization for one call before it is broadcast; `payment.chunk` must be given. */
export async function claim(db: Db, call: PaidCall): Promise<ClaimAnswer> {
  const verdict = await value<Verdict>(db, 'select payment.claim($1)', [`[${callJson(call)}]`])
  const [, word, first, tx] = verdict
  if (word === 'claimed' || word === 'funded' || word === 'wait' || word === 'used') return { kind: word }
  if (word === 'pending') return { kind: word, txHash: first ?? undefined }
  if (word === 'resumed') return { kind: word, chunkId: first! }
  if (word === 'arrived') return { kind: word, chunkId: first!, txHash: (tx as string | null) ?? undefined }
  return refusalOf(verdict)
}

/** Whether an authorization was shown here before. */
export function isSeen(db: Db, payment: CallPayment): Promise<boolean> {
  return value(db, 'select payment.is_seen($1)', [JSON.stringify(paymentJson(payment))])
}

export interface Wallet {
  accountId: string
  /** Its payments have arrived so far. */
  isKnown: boolean
  isSuspended: boolean
}

export async function findWallet(db: Db, address: string): Promise<Wallet | undefined> {
  const [row] = await rows<{ account_id: string; is_known: boolean; is_suspended: boolean }>(
    db,
    'select * from payment.wallet($1)',
    [address.toLowerCase()],
  )
  return row && { accountId: row.account_id, isKnown: row.is_known, isSuspended: row.is_suspended }
}

/** The account of a wallet; with none yet, one is made with the id that is given. */
export function openWallet(db: Db, address: string, id: string, isTest: boolean): Promise<string> {
  return value(db, 'select payment.open_wallet($1, $2, $3)', [address.toLowerCase(), id, isTest])
}

/** Whether the nonce of a signed text is used for the first time. */
export function useNonce(db: Db, nonce: string, expiresAt: Date): Promise<boolean> {
  return value(db, 'select payment.use_nonce($1, $2)', [nonce, expiresAt])
}

/** Chunks to broadcast, marked as sent before they are handed out. */
export async function takeDueChunks(db: Db, limit: number): Promise<{ id: string; sealed: string }[]> {
  const due = await value<[string, string][]>(db, 'select payment.take_due($1)', [limit])
  return due.map(([id, sealed]) => ({ id, sealed }))
}

/** Chunks that were perhaps broadcast `ageSeconds` ago, and whose end nobody has told. */
export async function listLostChunks(
  db: Db,
  ageSeconds: number,
  limit: number,
): Promise<{ id: string; sealed: string; isExpired: boolean }[]> {
  const lost = await value<[string, string, boolean][]>(db, 'select payment.lost(make_interval(secs => $1), $2)', [
    ageSeconds,
    limit,
  ])
  return lost.map(([id, sealed, isExpired]) => ({ id, sealed, isExpired }))
}

export function chunkSettled(db: Db, id: string, txHash: string | undefined): Promise<boolean> {
  return value(db, 'select payment.settled($1, $2)', [id, txHash ?? null])
}

export function chunkFailed(db: Db, id: string, reason: string): Promise<boolean> {
  return value(db, 'select payment.failed($1, $2)', [id, reason])
}

export function chunkUnknown(db: Db, id: string, txHash: string | undefined): Promise<boolean> {
  return value(db, 'select payment.unknown($1, $2)', [id, txHash ?? null])
}

export function forgetPayments(db: Db): Promise<number> {
  return value(db, 'select payment.forget()')
}
