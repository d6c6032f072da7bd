import type { Lane } from '#kit'
import { type Db, rows, value } from '../db.ts'

export interface AdminLane extends Record<string, unknown> {
  lane: Lane
  workers: bigint
  slots: bigint
  running: bigint
  waiting: bigint
  oldest_seconds: number | null
  wait_p95_ms: number | null
  run_p95_ms: number | null
}

export interface AdminWorker extends Record<string, unknown> {
  id: string
  host: string
  pid: number
  lanes: Record<string, number>
  tools: { name: string; ok: boolean; version?: string }[]
  started_at: Date
  beat_at: Date
  draining_at: Date | null
  running: bigint
}

/** The lanes, with the waits and runs of the last quarter of an hour. */
export function listLanes(db: Db): Promise<AdminLane[]> {
  return rows(db, 'select * from admin.lanes()')
}

export function listAdminWorkers(db: Db): Promise<AdminWorker[]> {
  return rows(db, 'select * from admin.worker order by started_at')
}

/** Lets a worker finish what it runs and take no more, or take jobs again. */
export async function drainWorker(db: Db, id: string, isDraining: boolean): Promise<void> {
  await value(db, 'select admin.drain_worker($1, $2)', [id, isDraining])
}

/** Runs a dead step again; without an id all of them. Returns how many it was. */
export function retryStepByOperator(db: Db, id: string | undefined): Promise<number> {
  return value(db, 'select admin.retry_step($1)', [id ?? null])
}
