import type { Lane } from '#kit'
import { type Db, value } from './db.ts'
import type { Line } from './line.ts'

/** Clears a queue of its deleted entries; another process that is at it already is left to it. */
export async function tidyLane(line: Line, lane: Lane): Promise<void> {
  await line.query({ text: `vacuum (skip_locked, truncate false) lane_${lane}._private_jobs` })
  if (lane === 'thread') await line.query({ text: 'vacuum (skip_locked, truncate false) svc.account' })
}

/** Gives back to the queues what runners hold that are no more. */
export async function unlockPools(db: Db, poolIds: string[]): Promise<void> {
  await value(db, 'select lane.unlock($1)', [poolIds])
}
