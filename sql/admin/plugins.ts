import { type Db, rows } from '../db.ts'

interface PluginCalls extends Record<string, unknown> {
  name: string
  calls: bigint
  failed: bigint
  charged_micros: bigint
  /** What of it went to the author, without what was taken back. */
  shared_micros: bigint
}

/** How the operations that the operator has added were called since a moment. */
export function readPluginCalls(db: Db, from: Date): Promise<PluginCalls[]> {
  return rows(db, 'select * from admin.plugin_calls($1)', [from])
}
