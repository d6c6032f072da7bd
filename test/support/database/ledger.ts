import { expect } from 'vitest'
import { newId } from '#kit'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { type DbPool, openDb } from '../../../sql/db.ts'
import { type Call, type Jobs, openJobs } from '../../../sql/job.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { freshDatabase } from './fresh.ts'

/** A database for one test, with the callers of its functions. */
export interface TestLedger extends AsyncDisposable {
  url: string
  db: DbPool
  jobs: Jobs
  /** Creates an account with a balance. */
  openAccount(micros: bigint): Promise<string>
  /** Lists the violated rules of the ledger; there should be none. */
  findViolations(): Promise<unknown[]>
}

export async function openTestLedger(): Promise<TestLedger> {
  const database = await freshDatabase()
  const db = openDb(database.url, { name: 'test', size: 10 })
  const jobs = openJobs(database.url, 'test')
  return {
    url: database.url,
    db,
    jobs,
    openAccount: async micros => {
      const { id } = await createAccount(db)
      if (micros > 0n) await creditAccount(db, { accountId: id, amountMicros: micros })
      return id
    },
    findViolations: () => checkInvariants(db),
    [Symbol.asyncDispose]: async () => {
      expect(await checkInvariants(db)).toEqual([])
      await jobs.close()
      await db.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A call of an account that can be recorded. */
export function buildCall(accountId: string, more: Partial<Call> = {}): Call {
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
