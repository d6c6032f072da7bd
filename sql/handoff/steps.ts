import { type Db, value } from '../db.ts'

/** Moves a hand-off to `expired` if its time is over and it can still be claimed. */
export async function expireHandoff(db: Db, handoffId: string): Promise<void> {
  await value(db, 'select handoff.expire($1)', [handoffId])
}
