import type { Db } from '../../../sql/db.ts'
import { listWorkers, type ToolReport } from '../../../sql/worker.ts'

const FRESH_MS = 2_000
/** A worker beats every few seconds; one that has been silent for longer runs nothing. */
const SILENT_SECONDS = 30

const seen = new WeakMap<Db, { atMs: number; reports: Promise<ToolReport[]> }>()

/** What the living workers say of their tools, asked of the database at most every two seconds. */
export function toolReports(db: Db, nowMs: number = performance.now()): Promise<ToolReport[]> {
  const last = seen.get(db)
  if (last && nowMs - last.atMs < FRESH_MS) return last.reports
  const reports = listWorkers(db).then(workers =>
    workers.filter(worker => worker.silent_seconds < SILENT_SECONDS).flatMap(worker => worker.tools),
  )
  seen.set(db, { atMs: nowMs, reports })
  return reports
}
