import { type Db, value } from '../db.ts'

type NotificationState = 'waiting' | 'sent' | 'kept' | 'refused'

export interface StoredNotification {
  id: string
  /** The name of its template. */
  name: string
  recipient: string | null
  data: object
  state: NotificationState
  attempts: number
  lastError: string | null
  createdAt: string
  endedAt: string | null
}

interface Filter {
  name?: string
  state?: NotificationState
  limit: number
  offset: number
}

/** The messages of an account, the newest first. */
export function listNotifications(
  db: Db,
  accountId: string,
  { name, state, limit, offset }: Filter,
): Promise<StoredNotification[]> {
  const text = 'select notification.list($1, $2, $3, $4, $5)'
  return value(db, text, [accountId, name ?? null, state ?? null, limit, offset])
}
