import { newId } from '#kit'
import { type Db, rows, value } from '../db.ts'
import type { OperatorRole } from '../operator.ts'

export interface Act extends Record<string, unknown> {
  seq: number
  created_at: Date
  operator: string
  action: string
  subject: string | null
  before: unknown
  after: unknown
  reason: string | null
  address: string | null
  hash: string
}

interface ActSearch {
  operator?: string
  subject?: string
  action?: string
}

export function searchActs(db: Db, search: ActSearch, page: { first: number; offset: number }): Promise<Act[]> {
  const { operator = null, subject = null, action = null } = search
  const { first, offset } = page
  return rows(db, 'select * from console.search_acts($1, $2, $3, $4, $5)', [operator, subject, action, first, offset])
}

/** The number of the first entry of the log that was changed; null if none was. */
export function verifyActs(db: Db): Promise<number | null> {
  return value(db, 'select admin.verify_log()')
}

export async function createByOperator(db: Db, name: string, role: OperatorRole, link: Buffer): Promise<void> {
  await value(db, 'select console.create_operator($1, $2, $3, $4)', [newId(), name, role, link])
}

export async function linkByOperator(db: Db, name: string, link: Buffer): Promise<void> {
  await value(db, 'select console.link_operator($1, $2)', [name, link])
}

export async function changeByOperator(
  db: Db,
  name: string,
  change: { role?: OperatorRole; isDisabled?: boolean },
): Promise<void> {
  await value(db, 'select admin.change_operator($1, $2, $3)', [name, change.role ?? null, change.isDisabled ?? null])
}
