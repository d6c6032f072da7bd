import { type PayingJob, serializeJob } from '../call.ts'
import type { SharedStatement } from '../connection.ts'
import { type Db, openSharedStatement, value } from '../db.ts'

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

/** Taking and giving back locks. Calls that come while others are under way share one statement and one commit. */
export interface LockUses {
  /** Takes a lock and ends the job that pays for it, in one transaction. Throws LOCK_HELD or TOO_MANY_NAMES. */
  acquire(job: PayingJob, hold: Hold, maxNames: number): Promise<LockView & { id: string }>
  /** Throws NOT_FOUND, or FENCE_STALE if somebody else has taken it since. */
  release(accountId: string, name: string, tokenHash: Buffer): Promise<LockView>
  close(): Promise<void>
}

export function openLockUses(db: Db, url: string, name: string): LockUses {
  const [taken, left] = ['taken', 'left'].map(kind =>
    openSharedStatement(url, `${name} locks ${kind}`, { of: 'coordination.use_locks', limit: 64 }),
  ) as [SharedStatement, SharedStatement]
  return {
    acquire: async (job, { id, accountId, name, tokenHash, owner, seconds }, maxNames) => {
      const token = toBytea(tokenHash)
      const hold = JSON.stringify({ account_id: accountId, name, hold_id: id, token_hash: token, owner })
      const place = JSON.stringify({ account: accountId, name, seconds, maxNames })
      const payment = serializeJob(job)
      const lock = await taken.call(`${place.slice(0, -1)},"job":${payment},"hold":${hold}}`, () =>
        value(db, 'select coordination.acquire($1, $2, $3, $4)', [payment, hold, seconds, maxNames]),
      )
      return lock as LockView & { id: string }
    },
    release: async (accountId, name, tokenHash) => {
      const json = JSON.stringify({ account: accountId, name, token: toBytea(tokenHash) })
      const lock = await left.call(json, () =>
        value(db, 'select coordination.release($1, $2, $3)', [accountId, name, tokenHash]),
      )
      return lock as LockView
    },
    close: async () => {
      await Promise.all([taken.close(), left.close()])
    },
  }
}

function toBytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

/** Lets those who wait for a lock be told when it is given back. They try to take it once more after this. */
export function wantLock(db: Db, accountId: string, name: string, seconds: number): Promise<void> {
  return value(db, 'select coordination.want_lock($1, $2, $3)', [accountId, name, seconds])
}

/** Throws NOT_FOUND, as the function below does. */
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
