import { type Db, value } from '../db.ts'

/** Deletes screenings past their retention, and queues itself for the next day if some are left. Returns how many it was. */
export function forgetScreenings(db: Db): Promise<number> {
  return value(db, 'select screening.forget_due()')
}
