import { type Db, value } from '../db.ts'

export {
  countEntries,
  findIdentified,
  listPostings,
  listVersions,
  listWords,
  readBodies,
  readCompared,
} from './lists.ts'
export {
  activate,
  addEntities,
  beginLoad,
  clearList,
  dropEntries,
  endDrop,
  endEntries,
  failLoad,
  judgeLoad,
  noteSeen,
  stopLoads,
} from './loads.ts'
export { endMonitorWhenDue, noteCheck, queueRescreen, takeMonitors } from './monitors.ts'
export { listFalsePositives } from './screenings.ts'

/** Deletes screenings past their retention, and queues itself for the next day if some are left. Returns how many it was. */
export function forgetScreenings(db: Db): Promise<number> {
  return value(db, 'select screening.forget_due()')
}

/** Queues the refreshes of those lists that have none in the queue. */
export async function ensureRefreshes(db: Db, lists: readonly string[]): Promise<void> {
  await value(db, 'select screening.ensure_refreshes($1)', [lists])
}

export async function queueRefresh(db: Db, list: string, seconds: number): Promise<void> {
  await value(db, 'select screening.queue_refresh($1, $2)', [list, seconds])
}

interface ListState {
  etag: string | null
  sha256: string | null
  indexVersion: number | null
}

/** Null if the list was never loaded. */
export function readState(db: Db, list: string): Promise<ListState | null> {
  return value(db, 'select screening.read_state($1)', [list])
}

/** The same at the end of a refresh: one that was asked for meanwhile is not put off. */
export async function queueNextRefresh(db: Db, list: string, seconds: number): Promise<void> {
  await value(db, 'select screening.queue_next_refresh($1, $2)', [list, seconds])
}

export async function noteUnchanged(db: Db, list: string): Promise<void> {
  await value(db, 'select screening.note_unchanged($1)', [list])
}

export async function noteFailure(
  db: Db,
  { key, title, families }: { key: string; title: string; families: readonly string[] },
  failure: string,
): Promise<void> {
  await value(db, 'select screening.note_failure_of($1, $2)', [JSON.stringify({ key, title, families }), failure])
}
