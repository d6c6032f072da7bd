import { type Db, value } from '../db.ts'

/** Ends up to `limit` leases that have expired, and forgets as many that ended more than `keepDays` ago. */
export function sweepLeases(db: Db, limit: number, keepDays: number): Promise<number> {
  return value(db, 'select lease.sweep($1, make_interval(days => $2))', [limit, keepDays])
}
