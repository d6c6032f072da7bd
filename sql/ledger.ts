import { type Db, rows, value } from './db.ts'

export type LineType = 'topup' | 'charge' | 'refund'

/** One line of the customer's ledger. */
export interface StatementLine {
  id: string
  type: LineType
  direction: 'credit' | 'debit'
  amountMicros: string
  serviceKey?: string
  status: 'pending' | 'settled' | 'released' | 'refunded'
  jobId?: string
  asset?: string
  txHash?: string
  createdAt: string
}

export function readStatement(
  db: Db,
  query: { accountId: string; type?: LineType; limit: number; offset: number },
): Promise<StatementLine[]> {
  const { accountId, type, limit, offset } = query
  return value(db, 'select ledger.statement($1, $2, $3, $4)', [accountId, type ?? null, limit, offset])
}

export function readTotals(db: Db): Promise<{ ledger: string; amount_micros: string }[]> {
  return rows(db, 'select * from ledger.totals()')
}

/** Lists every violated rule of the ledger; it should find none. */
export function checkInvariants(db: Db): Promise<{ rule: string; subject: string; detail: string }[]> {
  return rows(db, 'select * from ledger.check_invariants()')
}
