import { type Db, rows, value } from '../db.ts'

export interface Hour extends Record<string, unknown> {
  hour: Date
  calls: bigint
  failed: bigint
  revenue_micros: bigint
}

export interface Failure extends Record<string, unknown> {
  code: string
  operation: string
  jobs: bigint
}

interface SlowOperation extends Record<string, unknown> {
  operation: string
  jobs: bigint
  median_ms: number
  p95_ms: number
  max_ms: number
}

interface DoubtfulPayments extends Record<string, unknown> {
  state: string
  chunks: bigint
  amount_micros: bigint
  oldest: Date
}

export function listHours(db: Db, from: Date, to: Date): Promise<Hour[]> {
  return rows(db, 'select * from admin.hours($1, $2)', [from, to])
}

/** What tests and trials were charged, which is no revenue. */
export function readTestRevenue(db: Db, from: Date, to: Date): Promise<bigint> {
  return value(db, 'select admin.test_revenue($1, $2)', [from, to])
}

export function listFailures(db: Db, from: Date, to: Date): Promise<Failure[]> {
  return rows(db, 'select * from admin.failures($1, $2)', [from, to])
}

export function listSlowest(db: Db, from: Date, to: Date): Promise<SlowOperation[]> {
  return rows(db, 'select * from admin.slowest($1, $2)', [from, to])
}

/** Payments that are neither settled nor failed, by their state. */
export function listDoubtfulPayments(db: Db): Promise<DoubtfulPayments[]> {
  return rows(db, 'select * from admin.doubtful_payments()')
}

interface AdminChunk extends Record<string, unknown> {
  id: string
  account_id: string
  payer: string
  symbol: string
  amount_micros: bigint
  state: string
  tx_hash: string | null
  reason: string | null
  created_at: Date
  sent_at: Date | null
  ended_at: Date | null
}

/** The newest payments, if wanted those of one state. */
export function listChunks(db: Db, state: string | undefined, first: number, offset: number): Promise<AdminChunk[]> {
  const text =
    'select * from admin.chunk where $1::text is null or state::text = $1 order by created_at desc limit $2 offset $3'
  return rows(db, text, [state ?? null, first, offset])
}
