import { type Db, value } from '../db.ts'

/** Tells the owners of accounts whose balance has fallen below a limit; returns how many. */
export function checkBalances(db: Db): Promise<number> {
  return value(db, 'select spending.check_balances()')
}

/** Tells the owners of accounts that have reached a limit; returns how many. */
export function checkAlarms(db: Db): Promise<number> {
  return value(db, 'select spending.check_alarms()')
}
