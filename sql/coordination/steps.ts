import { type Db, value } from '../db.ts'

const BATCH = 1_000

/** Deletes a batch of locks and rounds of barriers that ended so many days ago. Returns how many. */
export async function forgetUnused(db: Db, days: number): Promise<number> {
  return Number(await value(db, 'select coordination.forget($1, $2)', [days, BATCH]))
}
