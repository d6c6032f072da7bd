import { expect, test } from 'vitest'
import { type Db, openDb, rows, value } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { DatabaseTooOld, migrate } from '../../sql/migrate.ts'
import { describeCatalog } from '../support/database/describe-catalog.ts'
import { emptyDatabase } from '../support/database/fresh.ts'
import { openOlderRelease } from '../support/database/older-release.ts'

test('a database of the oldest release upgrades to the schema of a new one, and keeps what it holds', async () => {
  await using older = await openOlderRelease()
  await using created = await emptyDatabase()
  await using databases = new AsyncDisposableStack()
  const [db, newDb] = [older, created].map(({ url }) =>
    databases.adopt(openDb(url, { name: 'test' }), pool => pool.end()),
  )
  const held = await readContents(db!)
  const leases = await value<bigint>(db!, 'select count(*) from svc.lease')

  // At the same time, because the day decides which months of transfers a database begins with.
  await migrate(created.url)
  const { applied } = await migrate(older.url)

  expect(applied).toContain('0105-functions-of-location.sql')
  expect(await describeCatalog(db!)).toEqual(await describeCatalog(newDb!))
  expect(await readContents(db!, held)).toEqual(held)
  expect(await checkInvariants(db!)).toEqual([])
  const steps = await rows(db!, "select from step.list(10000) where name in ('lease.expire', 'lease.forget')")
  expect(steps).toHaveLength(Number(leases))

  // Like one that was made between that release and the baseline.
  await rows(db!, "delete from public.coinop_migration where name = 'baseline'")
  expect(await migrate(older.url)).toEqual({ applied: [] })
  expect(await migrate(older.url)).toEqual({ applied: [] })
  expect(await describeCatalog(db!)).toEqual(await describeCatalog(newDb!))
})

test('a database that is older still is refused', async () => {
  await using database = await emptyDatabase()
  const db = openDb(database.url, { name: 'test' })
  await rows(db, 'create table public.coinop_migration (name text primary key)')
  await rows(db, "insert into public.coinop_migration values ('0001-accounts.sql')")
  await db.end()
  await expect(migrate(database.url)).rejects.toThrow(DatabaseTooOld)
})

type Contents = Map<string, { columns: string[]; rows: string[] }>

/** The rows of every table, with the columns that it had before, but for the kinds of transfers, which migrations declare. */
async function readContents(db: Db, before?: Contents): Promise<Contents> {
  const tables = await rows<{ name: string; columns: string[] }>(
    db,
    `select table_schema || '.' || table_name as name, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns join pg_class c on c.oid = (table_schema || '.' || table_name)::regclass
     where table_schema = 'svc' and c.relkind in ('r', 'p') and table_name <> 'transfer_side' group by 1`,
  )
  const contents: Contents = new Map()
  for (const { name, columns } of tables) {
    const kept = before ? before.get(name)?.columns : columns
    if (!kept) continue
    const found = await rows<{ row: string }>(
      db,
      `select jsonb_build_array(${kept.map(column => `"${column}"`).join()})::text as row from ${name} order by 1`,
    )
    contents.set(name, { columns: kept, rows: found.map(({ row }) => row) })
  }
  return contents
}
