import type { Lane } from '#kit'
import type { Connection } from './connection.ts'
import { type Db, rows, value } from './db.ts'

/** Vacuums the table of a queue, unless another process is doing so. */
export async function vacuumLane(connection: Connection, lane: Lane): Promise<void> {
  await connection.query({ text: `vacuum (skip_locked, truncate false) lane_${lane}._private_jobs` })
  if (lane === 'thread') await connection.query({ text: 'vacuum (skip_locked, truncate false) svc.account' })
}

/** Unlocks the jobs of runners that have stopped. */
export async function unlockPools(db: Db, poolIds: string[]): Promise<void> {
  await value(db, 'select lane.unlock_pools($1)', [poolIds])
}

export function readLaneDepths(
  db: Db,
): Promise<{ lane: Lane; waiting: bigint; running: bigint; oldest_seconds: number }[]> {
  return rows(db, 'select * from lane.depths()')
}
