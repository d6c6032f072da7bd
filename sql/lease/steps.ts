import { type Db, value } from '../db.ts'

/** Ends a lease if its time is over; before that, it queues the step for then. */
export async function expireLease(db: Db, leaseId: string): Promise<void> {
  await value(db, 'select lease.expire($1)', [leaseId])
}

/** Deletes the record of a lease that ended `keepDays` ago; before that, it queues the step for then. */
export async function forgetLease(db: Db, leaseId: string, keepDays: number): Promise<void> {
  await value(db, 'select lease.forget($1, make_interval(days => $2))', [leaseId, keepDays])
}
