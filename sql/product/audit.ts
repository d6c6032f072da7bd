import { type Db, value } from '../db.ts'

/** An entry of the log of a subject; `hash` is that of `text`, which holds all the rest, that of the entry before it included. */
export interface AuditEntry {
  seq: number
  at: string
  actor: string
  action: string
  detail: object
  previous: string | null
  hash: string
  text: string
}

/** What has a log: its kind, such as `handoff`, and its id. */
export interface AuditSubject {
  accountId: string
  kind: string
  id: string
}

/** The entries after a number, the oldest first. Throws NOT_FOUND, also for the subject of another account. */
export function listAuditEntries(
  db: Db,
  { accountId, kind, id }: AuditSubject,
  after: number,
  limit: number,
): Promise<AuditEntry[]> {
  return value(db, 'select audit.list($1, $2, $3, $4, $5)', [accountId, kind, id, after, limit])
}
