import { type Db, value } from '../db.ts'

interface WaitingNotification {
  name: string
  recipient: string | null
  data: object
  sealed: string | null
}

/** What is to be sent; null if that has ended, or its account was erased. */
export function readWaiting(db: Db, id: string): Promise<WaitingNotification | null> {
  return value(db, 'select notification.read_waiting($1)', [id])
}

/** Ends it, and forgets what only its recipient may read. */
export async function settle(
  db: Db,
  id: string,
  state: 'sent' | 'kept' | 'refused',
  error: string | null,
): Promise<void> {
  await value(db, 'select notification.settle($1, $2, $3)', [id, state, error])
}

export async function noteFailure(db: Db, id: string, error: string): Promise<void> {
  await value(db, 'select notification.note_failure($1, $2)', [id, error])
}

/** Deletes messages that are older; returns how many, at most `limit`. */
export function forgetNotifications(db: Db, days: number, limit: number): Promise<number> {
  return value(db, 'select notification.forget(make_interval(days => $1), $2)', [days, limit])
}
