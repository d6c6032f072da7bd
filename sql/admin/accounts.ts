import { type Db, rows, value } from '../db.ts'
import type { LaneRule } from '../lane.ts'

export interface AdminAccount extends Record<string, unknown> {
  id: string
  name: string | null
  is_test: boolean
  balance_micros: bigint
  held_micros: bigint
  debt_micros: bigint
  created_at: Date
  signed_in_at: Date | null
  suspended_at: Date | null
  identities: string[]
  wallets: string[]
  lane_share_percent: number | null
  lane_max_running: number | null
  lane_urgency: number
}

export interface AdminKey extends Record<string, unknown> {
  prefix: string
  mode: string
  name: string | null
  created_at: Date
  used_at: Date | null
  ends_at: Date | null
  revoked_at: Date | null
  call_cap_micros: bigint | null
  daily_cap_micros: bigint | null
  is_connector: boolean
}

interface Page {
  first: number
  offset: number
}

/** By a part of the name, or a whole id, mail address, wallet, key or job; the newest first. */
export function searchAccounts(db: Db, text: string, { first, offset }: Page): Promise<AdminAccount[]> {
  return rows(db, 'select * from console.search_accounts($1, $2, $3)', [text, first, offset])
}

export async function findAccount(db: Db, id: string): Promise<AdminAccount | undefined> {
  const [row] = await rows<AdminAccount>(db, 'select * from admin.account where id = $1', [id])
  return row
}

export function listAccountKeys(db: Db, id: string): Promise<AdminKey[]> {
  return rows(db, 'select * from admin.api_key where account_id = $1 order by created_at desc, prefix', [id])
}

interface OperatorCredit {
  amountMicros: bigint
  reason: string
  /** What makes it once, such as the number of a bank transfer. */
  reference: string | null
}

export async function creditByOperator(db: Db, id: string, credit: OperatorCredit): Promise<void> {
  const { amountMicros, reason, reference } = credit
  await value(db, 'select admin.credit_account($1, $2, $3, $4)', [id, amountMicros, reason, reference])
}

export async function suspendByOperator(db: Db, id: string, isSuspended: boolean, reason: string): Promise<void> {
  await value(db, 'select admin.suspend_account($1, $2, $3)', [id, isSuspended, reason])
}

export async function shareLanesByOperator(db: Db, id: string, rule: LaneRule, reason: string): Promise<void> {
  const { sharePercent, maxRunning, urgency } = rule
  await value(db, 'select admin.share_lanes($1, $2, $3, $4, $5)', [id, sharePercent, maxRunning, urgency, reason])
}

interface KeyLimits {
  accountId: string
  prefix: string
  callCapMicros: bigint | null
  dailyCapMicros: bigint | null
}

export async function limitKeyByOperator(db: Db, limits: KeyLimits, reason: string): Promise<void> {
  const { accountId, prefix, callCapMicros, dailyCapMicros } = limits
  await value(db, 'select admin.limit_key($1, $2, $3, $4, $5)', [
    ...[accountId, prefix, callCapMicros, dailyCapMicros, reason],
  ])
}

export async function revokeKeyByOperator(db: Db, accountId: string, prefix: string, reason: string): Promise<void> {
  await value(db, 'select admin.revoke_key($1, $2, $3)', [accountId, prefix, reason])
}

/** Stores the hash of a link that shows the operator the pages of an account. */
export async function viewAccount(db: Db, accountId: string, link: Buffer, reason: string): Promise<void> {
  await value(db, 'select console.view_account($1, $2, $3)', [accountId, link, reason])
}
