import { type Db, value } from '../db.ts'
import type { Visitor } from './visitor.ts'

/** A webhook of one baton, without its secret. */
interface TriggerRecord {
  id: string
  [field: string]: unknown
}

export function listTriggers(db: Db, by: Visitor): Promise<TriggerRecord[]> {
  return value(db, 'select baton.list_triggers($1)', [JSON.stringify(by)])
}
