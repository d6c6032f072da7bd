import { readdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { creditAccount } from '../../sql/account.ts'
import { type DbPool, openDb, rows, value } from '../../sql/db.ts'
import { checkInvariants, freezeMonth, MONTHS_AHEAD, openMonths, readStatement } from '../../sql/ledger.ts'
import { createTables, migrate } from '../../sql/migrate.ts'
import { emptyDatabase } from '../support/database/fresh.ts'
import { openTestLedger } from '../support/database/ledger.ts'

test('there are tables for the transfers of this month and of the next ones, and a second request makes none', async () => {
  await using ledger = await openTestLedger()
  const months = await listMonths(ledger.db)
  expect(months[0]).toBe('transfer_start')
  expect(await countMonthsAhead(ledger.db)).toBe(MONTHS_AHEAD)
  expect(await openMonths(ledger.db)).toBe(0)
  expect(await listMonths(ledger.db)).toEqual(months)
})

test('what is booked after the turn of a month is in its own table, and lists and balances go across', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const account = await ledger.openAccount(1_000n)
  await turnMonth(db, 'clock_timestamp()')
  expect(await openMonths(db)).toBeGreaterThan(MONTHS_AHEAD)
  expect(await countMonthsAhead(db)).toBe(MONTHS_AHEAD)
  await creditAccount(db, { accountId: account, amountMicros: 7n })
  const held = await rows<{ month: string; amount: bigint }>(
    db,
    'select tableoid::regclass::text as month, amount_micros as amount from svc.transfer where account_id = $1 order by id',
    [account],
  )
  expect(held).toEqual([
    { month: 'svc.transfer_start', amount: 1_000n },
    { month: expect.stringMatching(/^svc\.transfer_\d{4}_\d{2}$/), amount: 7n },
  ])
  const lines = await readStatement(db, { accountId: account, limit: 10 })
  expect(lines.map(({ amountMicros }) => amountMicros)).toEqual(['7', '1000'])
})

test('a month is frozen once, an hour after its end and after the transactions that were open in it', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const reader = new pg.Client(db.url)
  await reader.connect()
  try {
    await reader.query('begin isolation level repeatable read')
    await reader.query('select pg_current_xact_id()')
    await ledger.openAccount(1_000n)
    expect(await freezeMonth(db)).toBeUndefined()
    await endFirstMonth(db, '59 minutes')
    expect(await freezeMonth(db)).toBeUndefined()
    await endFirstMonth(db, '61 minutes')
    expect(await freezeMonth(db)).toBeUndefined()
    await reader.query('commit')
  } finally {
    await reader.end()
  }
  // Also a connection that is just being made keeps Postgres from it.
  await expect.poll(() => freezeMonth(db)).toBe('transfer_start')
  expect(await freezeMonth(db)).toBeUndefined()
  const [month] = await rows(
    db,
    "select relpages > 0 and relallvisible = relpages as is_frozen, reltuples from pg_class where oid = 'svc.transfer_start'::regclass",
  )
  expect(month).toEqual({ is_frozen: true, reltuples: 1 })
})

test('transfers can be changed neither by the table of all months nor by that of one, also if it is new', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const account = await ledger.openAccount(1_000n)
  await turnMonth(db, 'clock_timestamp()')
  await openMonths(db)
  await creditAccount(db, { accountId: account, amountMicros: 7n })
  const [, newest] = await listMonths(db)
  for (const table of ['transfer', 'transfer_start', newest])
    for (const change of [`update svc.${table} set amount_micros = 1`, `delete from svc.${table}`])
      await expect(rows(db, change), change).rejects.toThrow(/append-only/)
  await expect(rows(db, 'truncate svc.transfer')).rejects.toThrow(/append-only/)
  const duplicate = `insert into svc.${newest} select * from svc.${newest}`
  await expect(rows(db, duplicate)).rejects.toThrow(/duplicate key/)
})

test('a ledger without a table for the next month is a violation', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  await turnMonth(db, "now() + interval '20 days'")
  expect(await checkInvariants(db)).toEqual([
    expect.objectContaining({ rule: 'the transfers of the next month have a table' }),
  ])
  await openMonths(db)
  expect(await checkInvariants(db)).toEqual([])
})

test('the table of an older release becomes the first month while transfers are booked and read', async () => {
  await using database = await emptyDatabase()
  const migrations = await readdir(new URL('../../sql/migrations', import.meta.url))
  await createTables(
    database.url,
    migrations.filter(name => name < '0620'),
  )
  const db = openDb(database.url, { name: 'test', size: 4 })
  const reader = new pg.Client(database.url)
  await reader.connect()
  try {
    await rows(db, BOOK, [20_000])
    // Whoever reads for a long time holds the migration up, but nobody else.
    await reader.query('begin')
    await reader.query('select count(*) from svc.transfer')
    const migrated = migrate(database.url)
    let booked = 20_000
    const isWaiting = async () =>
      (await value<bigint>(
        db,
        "select count(*) from pg_stat_activity where datname = current_database() and query like '%access exclusive%' and pid <> pg_backend_pid()",
      )) > 0n
    while (!(await isWaiting())) await setTimeout(20)
    for (; booked < 20_050; booked++) await rows(db, BOOK, [1])
    await reader.query('commit')
    let isDone = false
    const done = migrated.finally(() => (isDone = true))
    for (; !isDone; booked++) await rows(db, BOOK, [1])
    expect((await done).applied).toContain('0623-months-of-transfers.sql')
    for (let more = 0; more < 10; more++, booked++) await rows(db, BOOK, [1])
    const [held] = await rows<{ count: bigint; numbers: bigint; months: bigint }>(
      db,
      'select count(*), count(distinct id) as numbers, count(distinct tableoid) as months from svc.transfer',
    )
    expect(held).toEqual({ count: BigInt(booked), numbers: BigInt(booked), months: 1n })
  } finally {
    await reader.end()
    await db.end()
  }
})

const BOOK = `insert into svc.transfer (account_id, kind, amount_micros, reference)
  select gen_random_uuid(), 'topup', 1, 'test' from generate_series(1, $1)`

async function listMonths(db: DbPool): Promise<string[]> {
  const found = await rows<{ name: string }>(db, 'select name from svc.transfer_month order by ends_at')
  return found.map(({ name }) => name)
}

/** Whole months for which there are tables after this one. */
async function countMonthsAhead(db: DbPool): Promise<number> {
  const text = `select extract(year from ahead) * 12 + extract(month from ahead) from (
    select age(max(ends_at) at time zone 'utc', date_trunc('month', now() at time zone 'utc') + interval '1 month') as ahead
    from svc.transfer_month) m`
  return Number(await value(db, text))
}

/** As if this were a month whose first table ends at that moment, and no later one were there. */
async function turnMonth(db: DbPool, moment: string): Promise<void> {
  for (const name of await listMonths(db)) {
    await rows(db, `alter table svc.transfer detach partition svc.${name}`)
    if (name !== 'transfer_start') await rows(db, `drop table svc.${name}`)
  }
  await rows(db, "delete from svc.transfer_month where name <> 'transfer_start'")
  await rows(db, `update svc.transfer_month set ends_at = ${moment}`)
  await rows(
    db,
    `do $$ begin execute format('alter table svc.transfer attach partition svc.transfer_start for values from (minvalue) to (%L)',
      (select ends_at from svc.transfer_month)); end $$`,
  )
}

async function endFirstMonth(db: DbPool, ago: string): Promise<void> {
  const end = "update svc.transfer_month set ends_at = now() - $1::interval where name = 'transfer_start'"
  await rows(db, end, [ago])
}
