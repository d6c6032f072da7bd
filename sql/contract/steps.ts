import { type Db, value } from '../db.ts'
import { type DisputeView, recordRuling } from './disputes.ts'

/** Ends a contract that was not signed in time; before that, it queues the step for then. */
export async function expireContract(db: Db, id: string): Promise<void> {
  await value(db, 'select contract.expire($1)', [id])
}

const BATCH = 100

/** Deletes a batch of contracts that came to nothing so long ago. Returns how many. */
export async function forgetContracts(db: Db, days: number): Promise<number> {
  return Number(await value(db, 'select contract.forget($1, $2)', [days, BATCH]))
}

interface TakenDispute {
  /** The canonical JSON of what was agreed to. */
  document: string
  dispute: DisputeView
}

/** What a model is to rule upon; null before its time, after its end, and where the operator rules. */
export function takeDispute(db: Db, id: string): Promise<TakenDispute | null> {
  return value(db, 'select contract.take_dispute($1)', [id])
}

export async function rule(db: Db, id: string, ruled: Parameters<typeof recordRuling>[2]): Promise<void> {
  await recordRuling(db, id, ruled)
}

const MAX_ATTEMPTS = 8

/** Returns whether the dispute has ended without a ruling, because it failed so often. */
export function noteFailedDeliberation(db: Db, id: string, error: string): Promise<boolean> {
  return value(db, 'select contract.note_failed_deliberation($1, $2, $3)', [id, error, MAX_ATTEMPTS])
}
