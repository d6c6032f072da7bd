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

/** How many jobs of a lane, or steps, can be fetched, up to a limit. */
export function countDueJobs(db: Db, queue: Lane | 'step', limit: number): Promise<number> {
  const text = `select count(*)::int from (
    select from lane_${queue}._private_jobs where is_available and run_at <= now() limit $1) as due`
  return value(db, text, [limit])
}

/** How the jobs of an account share the lanes with those of others; null is what is standard. */
export interface LaneRule {
  /** Of the places of each lane, while others wait. */
  sharePercent: number | null
  /** Jobs at once in each lane. */
  maxRunning: number | null
  /** -1 before the jobs of others, 1 after them. */
  urgency: number
}

export function readLaneRule(db: Db, accountId: string): Promise<LaneRule> {
  return value(db, 'select lane.read_rule($1)', [accountId])
}

/** Throws NOT_FOUND or INVALID_PARAM. */
export async function setLaneRule(db: Db, accountId: string, rule: LaneRule): Promise<void> {
  const { sharePercent, maxRunning, urgency } = rule
  await value(db, 'select lane.set_rule($1, $2, $3, $4)', [accountId, sharePercent, maxRunning, urgency])
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
