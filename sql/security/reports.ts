import { type Db, value } from '../db.ts'

/** A key that was found: its hash if it is whole, else how it begins. */
export interface LeakedKey {
  hash: Buffer | undefined
  prefix: string
  foundAt: string | undefined
}

/** Revokes the keys that are whole and tells their owners; returns how many. */
export function reportKeys(db: Db, leaked: readonly LeakedKey[]): Promise<number> {
  const reports = leaked.map(({ hash, prefix, foundAt }) => ({
    hash: hash?.toString('hex'),
    prefix,
    found_at: foundAt,
  }))
  return value(db, 'select security.report_keys($1)', [JSON.stringify(reports)])
}
