import { type Db, value } from '../../../sql/db.ts'

/** Empties what waits outside of the GIN indexes of some tables, where every search looks through it. Returns how many pages that were. */
export function countPendingPages(db: Db, tables: readonly string[]): Promise<number> {
  return value<number>(
    db,
    `select coalesce(sum(gin_clean_pending_list(i.indexrelid)), 0)::integer from pg_index i
     join pg_class x on x.oid = i.indexrelid join pg_am a on a.oid = x.relam and a.amname = 'gin'
     join pg_class t on t.oid = i.indrelid where t.relname = any ($1) and t.relnamespace = 'svc'::regnamespace`,
    [tables],
  )
}
