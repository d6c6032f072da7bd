import { type Db, rows } from '../../../sql/db.ts'

/** An api writes the counts of its last calls a moment later; they are forgotten after some minutes. */
const COUNTS = 'rate_count'

/** Every table of the service in which some row has this text, as text or as bytes. */
export async function findTables(db: Db, text: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    `select relname as name from pg_class where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v', 'f')
      and relname <> $1 and relname not in (select name from svc.transfer_month) order by 1`,
    [COUNTS],
  )
  // In one statement, because each new connection to a new database has to read its catalogue.
  const searches = tables.map(
    ({ name }) => `select '${name}' as name where exists (
      select from svc."${name}" t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0)`,
  )
  const found = await rows<{ name: string }>(db, searches.join(' union all '), [
    text,
    Buffer.from(text).toString('hex'),
  ])
  return found.map(({ name }) => name)
}
