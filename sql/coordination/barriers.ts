import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

export interface BarrierView {
  name: string
  round: number
  state: 'open' | 'released' | 'expired'
  parties: number
  arrived: number
  members: string[]
  createdAt: string
  expiresAt: string
  releasedAt: string | null
}

/** Opens a round and ends the job that pays for it, in one transaction. Throws BARRIER_OPEN or TOO_MANY_NAMES. */
export function openBarrier(
  db: Db,
  job: PayingJob,
  { accountId, name, parties, seconds }: { accountId: string; name: string; parties: number; seconds: number },
  maxNames: number,
): Promise<BarrierView> {
  const values = [serializeJob(job), accountId, name, parties, seconds, maxNames]
  return value(db, 'select coordination.open_barrier($1, $2, $3, $4, $5, $6)', values)
}

/** One round, by default the last. Throws NOT_FOUND. */
export function readBarrier(
  db: Db,
  accountId: string,
  { name, round }: { name: string; round?: number | undefined },
): Promise<BarrierView> {
  return value(db, 'select coordination.read_barrier($1, $2, $3)', [accountId, name, round ?? null])
}

/** Throws NOT_FOUND or BARRIER_CLOSED. */
export function arriveAtBarrier(
  db: Db,
  accountId: string,
  { name, round, member }: { name: string; round?: number | undefined; member: string },
): Promise<BarrierView> {
  return value(db, 'select coordination.arrive($1, $2, $3, $4)', [accountId, name, round ?? null, member])
}
