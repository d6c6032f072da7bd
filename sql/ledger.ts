import { type Db, rows, value } from './db.ts'

/** `share` is what the author of an added operation gets of its charges, or gives back. */
export const LINE_TYPES = ['topup', 'charge', 'refund', 'share'] as const
export type LineType = (typeof LINE_TYPES)[number]

/** One line of the customer's ledger. */
export interface StatementLine {
  id: string
  type: LineType
  direction: 'credit' | 'debit'
  amountMicros: string
  serviceKey?: string
  status: 'pending' | 'settled' | 'released' | 'refunded'
  jobId?: string
  keyPrefix?: string
  asset?: string
  txHash?: string
  /** Of a pipeline: what each step cost. */
  steps?: { id: string; serviceKey: string; amountMicros: string }[]
  createdAt: string
}

/** Which lines of the ledger are meant. Days are those of UTC, written `2026-01-31`, both included. */
export interface LedgerFilter {
  type?: LineType
  from?: string
  to?: string
  operation?: string
  /** The prefix of an API key. */
  key?: string
}

/** The lines, newest first. `before` is the id of a line, to read on from there. */
export function readStatement(
  db: Db,
  query: LedgerFilter & { accountId: string; before?: string; limit: number; offset?: number },
): Promise<StatementLine[]> {
  const { accountId, type, from, to, operation, key, before, limit, offset } = query
  const filter = [type, from, to, operation, key, before].map(field => field ?? null)
  const text = 'select ledger.search($1, $2, $3, $4, $5, $6, $7, $8, $9)'
  return value(db, text, [accountId, ...filter, limit, offset ?? 0])
}

export function readTotals(db: Db): Promise<{ ledger: string; amount_micros: string }[]> {
  return rows(db, 'select * from ledger.totals()')
}

/** Lists every violated rule of the ledger; it should find none. */
export function checkInvariants(db: Db): Promise<{ rule: string; subject: string; detail: string }[]> {
  return rows(db, 'select * from ledger.check_invariants()')
}
