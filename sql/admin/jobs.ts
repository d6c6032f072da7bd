import type { JobStatus } from '../call.ts'
import { type Db, rows, value } from '../db.ts'

export interface AdminJob extends Record<string, unknown> {
  id: string
  account_id: string
  service_key: string
  lane: string
  status: JobStatus
  attempt: number
  lost: number
  crashed: number
  held_micros: bigint
  charged_micros: bigint
  refunded_micros: bigint
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  deadline_at: Date | null
  worker_id: string | null
  progress: unknown
  problem_code: string | null
  problem: { code: string; hints?: Record<string, unknown> } | null
  run_ms: number | null
  wait_ms: number | null
  key_prefix: string | null
  idempotency_key: string | null
}

/** Which jobs; what is undefined does not matter. */
export interface JobSearch {
  account?: string
  operation?: string
  status?: JobStatus
  problem?: string
  lane?: string
  from?: Date
  to?: Date
}

export function searchJobs(db: Db, search: JobSearch, page: { first: number; offset: number }): Promise<AdminJob[]> {
  const { account, operation, status, problem, lane, from, to } = search
  return rows(db, 'select * from console.search_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    ...[account, operation, status, problem, lane, from, to].map(given => given ?? null),
    ...[page.first, page.offset],
  ])
}

export async function findJob(db: Db, id: string): Promise<AdminJob> {
  const [row] = await rows<AdminJob>(db, 'select * from console.find_job($1)', [id])
  return row!
}

export async function cancelByOperator(db: Db, id: string, reason: string): Promise<void> {
  await value(db, 'select admin.cancel_job($1, $2)', [id, reason])
}

export async function retryByOperator(db: Db, id: string): Promise<void> {
  await value(db, 'select admin.retry_job($1)', [id])
}

/** Gives back a part of what a job was charged, or all that is left of it. */
export async function refundByOperator(db: Db, id: string, micros: bigint | undefined, reason: string): Promise<void> {
  await value(db, 'select admin.refund_job($1, $2, $3)', [id, micros ?? null, reason])
}

export interface RefundRange {
  account?: string
  operation?: string
  from: Date
  to: Date
}

/** What a refund of all these calls would give back. */
export async function measureRefund(db: Db, range: RefundRange): Promise<{ jobs: bigint; amount_micros: bigint }> {
  const [row] = await rows<{ jobs: bigint; amount_micros: bigint }>(
    db,
    'select * from console.refundable($1, $2, $3, $4)',
    toValues(range),
  )
  return row!
}

/** Gives back what was seen to be due; nothing if that has changed since. */
export async function refundRange(db: Db, range: RefundRange, seenMicros: bigint, reason: string): Promise<void> {
  await value(db, 'select admin.refund_jobs($1, $2, $3, $4, $5, $6)', [...toValues(range), seenMicros, reason])
}

function toValues({ account, operation, from, to }: RefundRange): unknown[] {
  return [account ?? null, operation ?? null, from, to]
}
