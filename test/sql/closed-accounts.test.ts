import pg from 'pg'
import { expect, test } from 'vitest'
import { suspendAccount } from '../../sql/account.ts'
import { rows, value } from '../../sql/db.ts'
import { openWallet } from '../../sql/payment.ts'
import { eraseAccount } from '../../sql/product/account-data.ts'
import { linkWallet } from '../../sql/wallet.ts'
import { findTables } from '../support/database/find-text.ts'
import { openTestLedger, type TestLedger } from '../support/database/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'

const ADDRESS = `0x${'cd'.repeat(20)}`
const ID = '00000000-0000-7000-8000-0000000000d1'
const SOURCE = '00000000-0000-7000-8000-0000000000d2'
const STORE = { remove: async () => undefined }

/** The books, what is written under the lock of an account, and what an operator may make of one that is closed. */
const UNGUARDED = [
  ...['audit_entry', 'checkout', 'chunk', 'entry', 'idempotency', 'job', 'lane_rule', 'payment', 'session'],
  ...['sign_in_link', 'transfer'],
]

/** What a call or a step may be about to add to `$1`. */
const ADDITIONS = [
  ["select storage.reserve_content($1, 'lease/late', 'text/plain')"],
  ["select idverify.reserve_image($1, 'identity/late/late', 'image/png')"],
  ["select baton.reserve($1, 'baton/late', 1, 'text/plain', null)"],
  ["select object.record_upload('scratch/late', $1, 'text/plain', null, 1)"],
  [`select notification.queue('${ID}', $1, 'late', 'once', 'a@mail.test', '{}', null)`],
  [`select webhook.register('${ID}', $1, null, 'http://127.0.0.1:9/', '{job.completed}', null, 's', 9)`],
  [`select esigndoc.request_preparation($1, '${ID}', '{}')`],
  ["insert into svc.pipeline (account_id, name, version, definition) values ($1, 'p', 1, '{}')"],
  ["insert into svc.coordination_counter (account_id, name, value) values ($1, 'late', 1)"],
  [`select session.find_or_create_account('google', 's', 'a@mail.test', $1, '${ID}', false)`],
  [`select wallet.link('${ADDRESS}', $1)`],
] as const

async function listAdded({ db }: TestLedger, account: string): Promise<string[]> {
  return (await findTables(db, account)).filter(table => !['account', 'transfer', 'entry', 'erasure'].includes(table))
}

test('every table with rows of accounts says whether something may be added to one that is erased', async () => {
  await using ledger = await openTestLedger()
  const found = await rows<{ name: string }>(
    ledger.db,
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
      where c.relnamespace = 'svc'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
        and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname in ('refuse_addition', 'assign_owner'))
      order by 1`,
  )
  expect(found.map(({ name }) => name)).toEqual(UNGUARDED)
})

test.each(ADDITIONS)('an erased account is not added to: %s', async text => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(1n)
  await eraseAccount(ledger.db, STORE, account)
  await expect(rows(ledger.db, text, [account])).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' })
  expect(await listAdded(ledger, account)).toEqual([])
})

test('an account that is suspended is added to, and so is one whose erasure broke off when it is resumed', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(1n)
  await suspendAccount(ledger.db, account, true)
  await rows(ledger.db, ADDITIONS[0][0], [account])
  const broken = { remove: async () => Promise.reject(new Error('the store is down')) }
  await expect(eraseAccount(ledger.db, broken, account)).rejects.toThrow('the store is down')
  await expect(rows(ledger.db, ADDITIONS[2][0], [account])).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' })
  await suspendAccount(ledger.db, account, false)
  await rows(ledger.db, ADDITIONS[2][0], [account])
})

test.each(ADDITIONS)('what is being added when an account is closed is erased: %s', async text => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(1n)
  const client = new pg.Client({ connectionString: ledger.url })
  await client.connect()
  await client.query('begin')
  await client.query(text, [account])
  const erased = eraseAccount(ledger.db, STORE, account)
  const waiting =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await eventually('the erasure to wait', async () => (await value<bigint>(ledger.db, waiting)) === 1n)
  await client.query('commit')
  await client.end()
  await erased
  expect(await listAdded(ledger, account)).toEqual([])
})

test('what background work adds to the account of a wallet belongs to the one that it has joined', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const [source, target] = [await openWallet(db, ADDRESS, SOURCE, false), await ledger.openAccount(1n)]
  await linkWallet(db, ADDRESS, target)
  for (const [text] of ADDITIONS.slice(0, 5)) await rows(db, text, [source])
  const [left, joined] = [await listAdded(ledger, source), await listAdded(ledger, target)]
  expect([left, joined]).toEqual([[], ['notification', 'object', 'wallet']])
  for (const [text] of ADDITIONS.slice(5, -1))
    await expect(rows(db, text, [source])).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' })
  expect(await listAdded(ledger, source)).toEqual([])
})

test('with an account, those are erased whose wallets have joined it, with what could not go along', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const [source, target] = [await openWallet(db, ADDRESS, SOURCE, false), await ledger.openAccount(1n)]
  const pipeline = "insert into svc.pipeline (account_id, name, version, definition) values ($1, 'p', 1, '{}')"
  for (const account of [source, target]) await rows(db, pipeline, [account])
  await linkWallet(db, ADDRESS, target)
  expect(await listAdded(ledger, source)).toEqual(['pipeline'])
  await eraseAccount(db, STORE, target)
  expect([await listAdded(ledger, source), await listAdded(ledger, target)]).toEqual([[], []])
  expect(await findTables(db, ADDRESS)).toEqual([])
  await expect(rows(db, ADDITIONS[0][0], [source])).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' })
  expect(await listAdded(ledger, target)).toEqual([])
})
