import { type Db, value } from '../db.ts'

/** Ends a contract that was not signed in time; before that, it queues the step for then. */
export async function expireContract(db: Db, id: string): Promise<void> {
  await value(db, 'select contract.expire($1)', [id])
}

const BATCH = 100

/** Deletes a batch of contracts that came to nothing so long ago. Returns how many. */
export async function forgetContracts(db: Db, days: number): Promise<number> {
  return Number(await value(db, 'select contract.forget($1, $2)', [days, BATCH]))
}
