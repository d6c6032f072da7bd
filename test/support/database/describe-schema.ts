import { type Db, rows } from '../../../sql/db.ts'

const HEADER = `-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.\n\n`

/**
 * Describes the database in a form that does not depend on the version of Postgres, as an overview for readers: a text for each
 * file. What is called as a product belongs into the folder of the product.
 */
export async function describeSchema(db: Db, products: readonly string[]): Promise<Map<string, string>> {
  const found = await rows<{ head: string; line: string }>(db, DESCRIPTION)
  const files = Map.groupBy(found, ({ head }) => fileOf(head, products))
  return new Map([...files].map(([file, lines]) => [file, `${HEADER}${lines.map(({ line }) => line).join('\n')}\n`]))
}

/** `handoff_claim` is a table of the product handoff. */
function fileOf(head: string, products: readonly string[]): string {
  const name = head.replace(/^svc\./, '')
  const owner = products.find(product => name === product || name.startsWith(`${product}_`))
  return owner === undefined ? 'sql/schema.sql' : `sql/${owner}/schema.sql`
}

/** Every schema of ours, so that a new one is in the overview without being listed; graphile-worker makes those of lanes. */
const OWN_SCHEMAS = `select oid, nspname from pg_namespace
  where nspname !~ '^(pg_|lane_)' and nspname not in ('information_schema', 'public', 'graphile_worker')`

/** The tables of months have those of the table of all months, and names of the day. */
const isMonth = (table: string) => `${table} in (select name from svc.transfer_month)`

const DESCRIPTION = `
  with own as (${OWN_SCHEMAS})
  select head, line from (
    select 1 as part, qualified as head, c.ordinal_position::integer as place,
      format('%s.%s  %s %s%s', qualified, c.column_name, c.udt_name,
        case c.is_nullable when 'NO' then 'not null' else '' end,
        coalesce('  default ' || regexp_replace(c.column_default, '::[a-z_. "]+', '', 'g'), '')) as line
      from information_schema.columns c join own on own.nspname = c.table_schema and not ${isMonth('c.table_name')}
        cross join lateral (select case c.table_schema when 'svc' then '' else c.table_schema || '.' end || c.table_name as qualified) q
    union all
    select 2, i.schemaname || '.' || i.tablename, 0, regexp_replace(i.indexdef, ' USING btree', '')
      from pg_indexes i join own on own.nspname = i.schemaname and not ${isMonth('i.tablename')}
    union all
    select 3, r.relname, 0, format('%s  check %s', r.relname, pg_get_constraintdef(k.oid))
      from pg_constraint k join pg_class r on r.oid = k.conrelid join own on own.oid = k.connamespace
      where k.contype in ('c', 'f') and not ${isMonth('r.relname')}
    union all
    select 4, own.nspname, 0, format('%s.%s(%s) -> %s', own.nspname, p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
      from pg_proc p join own on own.oid = p.pronamespace
  ) described order by part, head, place, line
`
