import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'
import type { BarrierView } from './barriers.ts'
import type { LockView } from './locks.ts'

interface CounterView {
  name: string
  value: number
  updatedAt: string
}

/** Adds to a counter and ends the job that pays for it, in one transaction. Throws COUNTER_LIMIT or TOO_MANY_NAMES. */
export function addToCounter(
  db: Db,
  job: PayingJob,
  { accountId, name, add, min, max }: { accountId: string; name: string; add: number; min: number; max: number },
  maxNames: number,
): Promise<CounterView> {
  const values = [serializeJob(job), accountId, name, add, min, max, maxNames]
  return value(db, 'select coordination.add($1, $2, $3, $4, $5, $6, $7)', values)
}

/** Throws NOT_FOUND, as the next one does. */
export function readCounter(db: Db, accountId: string, name: string): Promise<CounterView> {
  return value(db, 'select coordination.read_counter($1, $2)', [accountId, name])
}

export function deleteCounter(db: Db, accountId: string, name: string): Promise<CounterView> {
  return value(db, 'select coordination.delete_counter($1, $2)', [accountId, name])
}

export type NamedView =
  | ({ kind: 'lock' } & LockView)
  | ({ kind: 'barrier' } & BarrierView)
  | ({ kind: 'counter' } & CounterView)

interface NamePage {
  /** Of which channel of the account; without it, what the account has by itself. */
  channelId?: string | undefined
  kind?: string | undefined
  after?: string | undefined
  limit: number
}

/** Sorted by kind and name. */
export function listNames(
  db: Db,
  accountId: string,
  { channelId, kind, after, limit }: NamePage,
): Promise<NamedView[]> {
  const values = [accountId, channelId ?? null, kind ?? null, after ?? null, limit]
  return value(db, 'select coordination.list_of($1, $2, $3, $4, $5)', values)
}
