import type { Lane } from '#kit'
import { type Db, rows, value } from './db.ts'

/** Whether a tool works on a worker's machine, and what to install if it does not. */
export interface ToolReport {
  name: string
  lane: Lane
  ok: boolean
  /** It is not installed or not configured, so nothing of it is broken. */
  isAbsent?: true
  version?: string
  details?: unknown
  install?: string
  adapters?: readonly string[]
  servedBy?: { provider: string; model?: string }
}

export interface WorkerRecord {
  id: string
  host: string
  pid: number
  lanes: Partial<Record<Lane, number>>
  tools: ToolReport[]
  started_at: Date
  silent_seconds: number
}

export async function joinWorkers(
  db: Db,
  worker: { id: string; host: string; pid: number; pools: string[]; lanes: object; tools: readonly ToolReport[] },
): Promise<void> {
  const { id, host, pid, pools, lanes, tools } = worker
  await value(db, 'select worker.join($1, $2, $3, $4, $5, $6)', [
    id,
    host,
    pid,
    pools,
    JSON.stringify(lanes),
    JSON.stringify(tools),
  ])
}

export async function leaveWorkers(db: Db, id: string): Promise<void> {
  await value(db, 'select worker.leave($1)', [id])
}

/** Unlocks the jobs of workers whose processes are known to be gone. */
export async function reapWorkers(db: Db, ids: string[]): Promise<void> {
  await value(db, 'select worker.reap($1)', [ids])
}

export function listWorkers(db: Db): Promise<WorkerRecord[]> {
  return rows(db, 'select * from worker.list()')
}

/** Whether an operator has told the worker to take no more jobs. */
export function isDraining(db: Db, id: string): Promise<boolean> {
  return value(db, 'select worker.is_draining($1)', [id])
}
