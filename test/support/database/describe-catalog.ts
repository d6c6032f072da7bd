import { type Db, rows } from '../../../sql/db.ts'

/** Everything that makes up the schema of a database, a line each, sorted: two databases with equal lists behave alike. */
export async function describeCatalog(db: Db): Promise<string[]> {
  const found = await rows<{ line: string }>(db, CATALOG)
  return found.map(({ line }) => line)
}

const CATALOG = `
  with own as (select oid, nspname from pg_namespace
    where nspname !~ '^(pg_|lane_)' and nspname not in ('information_schema', 'public')),
  relation as (select r.*, own.nspname || '.' || r.relname as name from pg_class r join own on own.oid = r.relnamespace),
  part as (
    select 'schema ' || nspname as line from pg_namespace where nspname !~ '^pg_'
    union all
    select 'extension ' || extname from pg_extension
    union all
    select format('relation %s %s %s %s %s %s', name, relkind, relpersistence, reloptions, pg_get_partkeydef(oid),
      pg_get_expr(relpartbound, oid)) from relation
    union all
    -- The order of columns counts, because rows are written without naming them.
    select format('column %s %s %s %s', r.name, row_number() over (partition by r.oid order by a.attnum), a.attname,
        format_type(a.atttypid, a.atttypmod))
      || format(' %s %s %s %s %s', a.attnotnull, a.attidentity, a.attstorage, a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid))
      from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    union all
    select format('constraint %s %s %s %s', r.name, k.conname, pg_get_constraintdef(k.oid), k.convalidated)
      from relation r join pg_constraint k on k.conrelid = r.oid and k.contype <> 'n'
    union all
    select 'index ' || pg_get_indexdef(oid) from relation where relkind in ('i', 'I')
    union all
    select 'view ' || name || pg_get_viewdef(oid) from relation where relkind = 'v'
    union all
    select 'trigger ' || pg_get_triggerdef(t.oid) from relation r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
    union all
    select format('enum %s.%s %s', own.nspname, t.typname, string_agg(e.enumlabel, ' ' order by e.enumsortorder))
      from pg_type t join own on own.oid = t.typnamespace join pg_enum e on e.enumtypid = t.oid
        group by own.nspname, t.typname
    union all
    select 'function ' || pg_get_functiondef(p.oid) from pg_proc p join own on own.oid = p.pronamespace
  )
  select line from part order by line collate "C"
`
