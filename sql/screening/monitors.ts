import type { MonitorChange, WatchedMatch } from '../../tasks/products/screening/monitoring.ts'
import type { Status } from '../../tasks/products/screening/outcome.ts'
import type { SentSubject } from '../../tasks/products/screening/request.ts'
import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** What a monitor asks for each time. */
interface MonitorRequest extends SentSubject {
  lists: string[]
  sources: string[]
  threshold: number
  limit: number
  weakAliases: boolean
  allowSample: boolean
}

interface NewMonitor {
  id: string
  referenceId: string | undefined
  request: MonitorRequest
  matches: readonly WatchedMatch[]
  status: Status
  checkedVersion: number
  months: number
}

export interface Monitor {
  id: string
  state: 'active' | 'ended'
  referenceId: string | null
  request: MonitorRequest
  status: Status
  matches: WatchedMatch[]
  checkedAt: string
  changedAt: string | null
  createdAt: string
  endsAt: string
}

/** Starts a monitor and ends the job that pays for it. Throws TOO_MANY_MONITORS. */
export function startMonitor(db: Db, job: PayingJob, fields: NewMonitor, max: number): Promise<Monitor> {
  return value(db, 'select screening.start_monitor($1, $2, $3)', [serializeJob(job), JSON.stringify(fields), max])
}

export function listMonitors(db: Db, accountId: string, limit: number): Promise<Monitor[]> {
  return value(db, 'select screening.list_monitors($1, $2)', [accountId, limit])
}

/** Throws NOT_FOUND. */
export function readMonitor(db: Db, accountId: string, id: string): Promise<Monitor> {
  return value(db, 'select screening.read_monitor($1, $2)', [accountId, id])
}

/** Throws NOT_FOUND, or ILLEGAL_TRANSITION if it has ended. */
export function stopMonitor(db: Db, accountId: string, id: string): Promise<Monitor> {
  return value(db, 'select screening.stop_monitor($1, $2)', [accountId, id])
}

interface DueMonitor extends Pick<Monitor, 'id' | 'referenceId' | 'request' | 'matches' | 'status'> {
  accountId: string
}

/** Monitors that have not been checked against a version. */
export function takeMonitors(db: Db, version: number, after: string | null, limit: number): Promise<DueMonitor[]> {
  return value(db, 'select screening.take_monitors($1, $2, $3)', [version, after, limit])
}

/** Notes what a check has found and, with a change, emits the event. */
export async function noteCheck(
  db: Db,
  id: string,
  version: number,
  found: { matches: readonly WatchedMatch[]; status: Status },
  change: MonitorChange | undefined,
): Promise<void> {
  const values = [id, version, JSON.stringify(found), change ? JSON.stringify(change) : null]
  await value(db, 'select screening.note_check($1, $2, $3, $4)', values)
}

export async function queueRescreen(db: Db, version: number, after: string): Promise<void> {
  await value(db, 'select screening.queue_rescreen($1, $2)', [version, after])
}

export async function endMonitorWhenDue(db: Db, id: string): Promise<void> {
  await value(db, 'select screening.end_monitor_when_due($1)', [id])
}
