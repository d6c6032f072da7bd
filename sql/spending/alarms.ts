import { type Db, value } from '../db.ts'

export const SPEND_PERIODS = ['hour', 'day'] as const
type SpendPeriod = (typeof SPEND_PERIODS)[number]

export interface SpendAlarm {
  period: SpendPeriod
  limitMicros: string
  spentMicros: string
  periodStart: string
  isReached: boolean
}

export function listAlarms(db: Db, accountId: string): Promise<SpendAlarm[]> {
  return value(db, 'select spending.list($1)', [accountId])
}

export function setAlarm(db: Db, accountId: string, period: SpendPeriod, limitMicros: bigint): Promise<SpendAlarm> {
  return value(db, 'select spending.set_alarm($1, $2, $3)', [accountId, period, limitMicros])
}

/** Throws NOT_FOUND. */
export async function removeAlarm(db: Db, accountId: string, period: SpendPeriod): Promise<void> {
  await value(db, 'select spending.remove_alarm($1, $2)', [accountId, period])
}
