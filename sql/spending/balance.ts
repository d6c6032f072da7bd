import { type Db, value } from '../db.ts'

interface BalanceAlarm {
  limitMicros: string
  balanceMicros: string
  isReached: boolean
}

export function findBalanceAlarm(db: Db, accountId: string): Promise<BalanceAlarm | null> {
  return value(db, 'select spending.find_balance_alarm($1)', [accountId])
}

/** Throws NOT_FOUND. */
export function readBalanceAlarm(db: Db, accountId: string): Promise<BalanceAlarm> {
  return value(db, 'select spending.read_balance_alarm($1)', [accountId])
}

export function setBalanceAlarm(db: Db, accountId: string, limitMicros: bigint): Promise<BalanceAlarm> {
  return value(db, 'select spending.set_balance_alarm($1, $2)', [accountId, limitMicros])
}

/** Throws NOT_FOUND. */
export async function removeBalanceAlarm(db: Db, accountId: string): Promise<void> {
  await value(db, 'select spending.remove_balance_alarm($1)', [accountId])
}
