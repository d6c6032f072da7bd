import { expect } from 'vitest'
import { newId } from '#kit'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { type DbPool, openDb } from '../../sql/db.ts'
import { type Call, type Jobs, openJobs } from '../../sql/job.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { freshDatabase } from './database.ts'

/** A database of its own with the ways in and out of it. */
export interface Books extends AsyncDisposable {
  url: string
  db: DbPool
  jobs: Jobs
  /** A new account with so much in it. */
  account(micros: bigint): Promise<string>
  /** The rules that are broken; there should be none. */
  broken(): Promise<unknown[]>
}

export async function openBooks(): Promise<Books> {
  const home = await freshDatabase()
  const db = openDb(home.url, { name: 'test', size: 10 })
  const jobs = openJobs(home.url, 'test')
  return {
    url: home.url,
    db,
    jobs,
    account: async micros => {
      const { id } = await createAccount(db)
      if (micros > 0n) await creditAccount(db, { accountId: id, amountMicros: micros })
      return id
    },
    broken: () => checkInvariants(db),
    [Symbol.asyncDispose]: async () => {
      expect(await checkInvariants(db)).toEqual([])
      await jobs.close()
      await db.end()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** A call of an account, ready to be taken. */
export function callOf(accountId: string, more: Partial<Call> = {}): Call {
  return {
    id: newId(),
    accountId,
    serviceKey: 'utils.hash',
    lane: 'thread',
    amountMicros: 1_000n,
    seconds: 600,
    payload: '{"answer":42}',
    ...more,
  }
}
