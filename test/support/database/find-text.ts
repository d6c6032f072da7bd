import { type Db, rows, value } from '../../../sql/db.ts'

/** An api writes the counts of its last calls a moment later; they are forgotten after some minutes. */
const COUNTS = 'rate_count'

/** Every table of the service in which some row has this text, as text or as bytes. */
export async function findTables(db: Db, text: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    `select table_name as name from information_schema.tables where table_schema = 'svc' and table_name <> $1
      and table_name not in (select name from svc.transfer_month) order by 1`,
    [COUNTS],
  )
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const query = `select exists (select from svc."${name}" t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0)`
      return (await value(db, query, [text, Buffer.from(text).toString('hex')])) ? [name] : []
    }),
  )
  return found.flat()
}
