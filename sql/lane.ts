import type { Lane } from '#kit'
import type { Connection } from './db.ts'
import { type Db, rows, value } from './db.ts'

/** Vacuums the table of a queue, unless another process is doing so. */
export async function vacuumLane(connection: Connection, lane: Lane): Promise<void> {
  await connection.query({ text: `vacuum (skip_locked, truncate false) lane_${lane}._private_jobs` })
  if (lane === 'thread') await connection.query({ text: 'vacuum (skip_locked, truncate false) svc.account' })
}

/** Whether a job waits that is within the share of its account: see sql/functions/lane.sql. */
export function hasJobInShare(db: Db, lane: Lane): Promise<boolean> {
  const text = `select exists (
    select from lane_${lane}._private_jobs where is_available and priority <= 0 and run_at <= now()) as waits`
  return value(db, text)
}

/** Unlocks the jobs of runners that have stopped. */
export async function unlockPools(db: Db, poolIds: string[]): Promise<void> {
  await value(db, 'select lane.unlock_pools($1)', [poolIds])
}

/** Unlocks the jobs that a runner has fetched; `started` are the queue's ids of those that it runs. */
export async function unlockUnbegun(db: Db, lane: Lane, poolIds: string[], started: string[]): Promise<void> {
  await value(db, 'select lane.unlock_unbegun($1, $2, $3)', [lane, poolIds, started])
}

export function readLaneDepths(
  db: Db,
): Promise<{ lane: Lane; waiting: bigint; running: bigint; oldest_seconds: number }[]> {
  return rows(db, 'select * from lane.depths()')
}
