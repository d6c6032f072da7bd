import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** A screening as it is kept for its owner. */
export interface KeptScreening {
  id: string
  subjectKey: string
  referenceId?: string
  subject: object
  result: object
}

/** Keeps screenings and ends the job that pays for them. */
export async function keepScreenings(
  db: Db,
  job: PayingJob,
  kept: readonly KeptScreening[],
  result: object,
  days: number,
): Promise<void> {
  const values = [serializeJob(job), JSON.stringify(kept), JSON.stringify(result), days]
  await value(db, 'select screening.keep($1, $2, $3, $4)', values)
}

interface StoredScreening {
  subjectKey: string
  subject: Record<string, unknown>
  result: Record<string, unknown>
  createdAt: string
  keptUntil: string
}

/** Throws NOT_FOUND. */
export function readScreening(db: Db, accountId: string, id: string): Promise<StoredScreening> {
  return value(db, 'select screening.read($1, $2)', [accountId, id])
}

export interface ListedScreening {
  screeningId: string
  name: string
  referenceId: string | null
  status: string
  matches: number
  createdAt: string
}

export function listScreenings(db: Db, accountId: string, limit: number): Promise<ListedScreening[]> {
  return value(db, 'select screening.list($1, $2)', [accountId, limit])
}

/** The matches of subjects that were dismissed. */
export async function listFalsePositives(
  db: Db,
  accountId: string,
  subjectKeys: readonly string[],
): Promise<{ subjectKey: string; entityId: string; hash: string }[]> {
  const text = 'select screening.list_dismissed($1, $2)'
  const found = await value<[string, string, string][]>(db, text, [accountId, subjectKeys])
  return found.map(([subjectKey, entityId, hash]) => ({ subjectKey, entityId, hash }))
}

const MAX_DISMISSALS = 10_000

interface Dismissal {
  subjectKey: string
  entityId: string
  entryHash: string
  reason: string
  createdAt: string
}

/** Throws NOT_FOUND. */
export function dismissMatch(
  db: Db,
  accountId: string,
  { id, entityId, reason }: { id: string; entityId: string; reason: string },
): Promise<Dismissal> {
  return value(db, 'select screening.dismiss($1, $2, $3, $4)', [accountId, id, entityId, reason])
}

/** What an account has dismissed of a subject. */
export async function listRuledOut(db: Db, accountId: string, subjectKey: string): Promise<Dismissal[]> {
  return (await listDismissals(db, accountId, MAX_DISMISSALS)).filter(one => one.subjectKey === subjectKey)
}

export function listDismissals(db: Db, accountId: string, limit: number): Promise<Dismissal[]> {
  return value(db, 'select screening.list_dismissals($1, $2)', [accountId, limit])
}

/** Throws NOT_FOUND. */
export async function undoDismissal(db: Db, accountId: string, id: string, entityId: string): Promise<void> {
  await value(db, 'select screening.undo_dismissal($1, $2, $3)', [accountId, id, entityId])
}
