import { type Db, type DbPool, rows, value } from './db.ts'
import { createClient } from './hosts/primary.ts'

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

/** Of how many months after this one the tables of transfers are there: time to notice that none are made any more. */
export const MONTHS_AHEAD = 3

/** Makes the tables of the next months that are missing; returns how many. */
export function openMonths(db: Db): Promise<number> {
  return value(db, 'select ledger.open_months($1)', [MONTHS_AHEAD])
}

/**
 * Rewrites the transfers of a month that is over as what never changes any more, so that Postgres never has to read them again
 * for that; returns its name, undefined if there is none, or if an open transaction kept Postgres from it.
 * Slowly, so that calls do not notice.
 */
export async function freezeMonth(db: DbPool): Promise<string | undefined> {
  const month = await value<string | null>(db, 'select ledger.find_ended_month()')
  if (month === null) return undefined
  const client = createClient(db.url)
  await client.connect()
  try {
    await client.query("set vacuum_cost_delay = '2ms'")
    await client.query(`vacuum (freeze, analyze) svc.${client.escapeIdentifier(month)}`)
  } finally {
    await client.end()
  }
  return (await value<boolean>(db, 'select ledger.mark_if_frozen($1)', [month])) ? month : undefined
}

/** Lists every violated rule of the ledger; it should find none. */
export function checkInvariants(db: Db): Promise<{ rule: string; subject: string; detail: string }[]> {
  return rows(db, 'select * from ledger.check_invariants()')
}
