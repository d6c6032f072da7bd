import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

export interface LockView {
  name: string
  isHeld: boolean
  /** Who holds it, or did last. */
  owner: string | null
  fence: number
  acquiredAt: string
  expiresAt: string
}

interface Hold {
  id: string
  accountId: string
  name: string
  tokenHash: Buffer
  owner: string | undefined
  seconds: number
}

/** Takes a lock and ends the job that pays for it, in one transaction. Throws LOCK_HELD or TOO_MANY_NAMES. */
export function acquireLock(
  db: Db,
  job: PayingJob,
  { id, accountId, name, tokenHash, owner, seconds }: Hold,
  maxNames: number,
): Promise<LockView & { id: string }> {
  const token = `\\x${tokenHash.toString('hex')}`
  const hold = { account_id: accountId, name, hold_id: id, token_hash: token, owner }
  const values = [serializeJob(job), JSON.stringify(hold), seconds, maxNames]
  return value(db, 'select coordination.acquire($1, $2, $3, $4)', values)
}

/** Lets those who wait for a lock be told when it is given back. They try to take it once more after this. */
export function wantLock(db: Db, accountId: string, name: string, seconds: number): Promise<void> {
  return value(db, 'select coordination.want_lock($1, $2, $3)', [accountId, name, seconds])
}

/** Throws NOT_FOUND, as the functions below do. */
export function readLock(db: Db, accountId: string, name: string): Promise<LockView> {
  return value(db, 'select coordination.read_lock($1, $2)', [accountId, name])
}

/** Throws FENCE_STALE if the hold is over, or the token is of another one. */
export function renewLock(
  db: Db,
  accountId: string,
  name: string,
  { tokenHash, seconds }: Pick<Hold, 'tokenHash' | 'seconds'>,
): Promise<LockView> {
  return value(db, 'select coordination.renew($1, $2, $3, $4)', [accountId, name, tokenHash, seconds])
}

/** Throws FENCE_STALE if somebody else has taken it since. */
export function releaseLock(db: Db, accountId: string, name: string, tokenHash: Buffer): Promise<LockView> {
  return value(db, 'select coordination.release($1, $2, $3)', [accountId, name, tokenHash])
}
