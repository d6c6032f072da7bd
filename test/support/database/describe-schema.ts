import { type Db, rows } from '../../../sql/db.ts'

/** Describes the database in a form that does not depend on the version of Postgres, as an overview for readers. */
export async function describeSchema(db: Db): Promise<string> {
  const lines = await rows<{ line: string }>(db, DESCRIPTION)
  return `${HEADER}${lines.map(({ line }) => line).join('\n')}\n`
}

const HEADER = `-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.\n\n`

const DESCRIPTION = `
  select line from (
    select 1 as part, c.table_name::text as head, c.ordinal_position::integer as place,
      format('%s.%s  %s %s%s', c.table_name, c.column_name, c.udt_name,
        case c.is_nullable when 'NO' then 'not null' else '' end,
        coalesce('  default ' || regexp_replace(c.column_default, '::[a-z_. "]+', '', 'g'), '')) as line
      from information_schema.columns c where c.table_schema = 'svc'
    union all
    select 2, tablename, 0, regexp_replace(indexdef, ' USING btree', '') from pg_indexes where schemaname = 'svc'
    union all
    select 3, r.relname, 0, format('%s  check %s', r.relname, pg_get_constraintdef(k.oid))
      from pg_constraint k join pg_class r on r.oid = k.conrelid
      where k.connamespace = 'svc'::regnamespace and k.contype in ('c', 'f')
    union all
    select 4, n.nspname, 0, format('%s.%s(%s) -> %s', n.nspname, p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('account', 'checkout', 'job', 'key', 'lane', 'ledger', 'object', 'payment', 'rate', 'sender', 'session', 'setting',
        'wallet', 'worker')
  ) described order by part, head, place, line
`
