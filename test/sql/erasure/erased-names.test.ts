import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { type Db, rows, value } from '../../../sql/db.ts'
import { eraseAccount } from '../../../sql/product/account-data.ts'
import { openTestLedger } from '../../support/database/ledger.ts'

const STORE = { remove: async () => undefined }
const LOG = '00000000-0000-0000-0000-000000000000'

const append = (db: Db, subject: string, detail: object) =>
  value(db, "select audit.append('operator', $1, $1, 'olga', 'account.credit', $2)", [LOG, { subject, ...detail }])
const verify = (db: Db) => value(db, "select audit.verify('operator', $1)", [LOG])
const readLog = (db: Db) => rows<{ text: string }>(db, 'select detail::text as text from svc.audit_entry order by seq')
const hashes = (db: Db) => rows(db, "select seq, encode(hash, 'hex') from svc.audit_entry where seq <= 4 order by seq")

/** What a release wrote that kept names. */
async function fillLog(db: Db, account: string) {
  await rows(db, "update svc.account set name = 'Ida (Example)' where id = $1", [account])
  const named = { id: account, name: 'Ida (Example)', balance_micros: 1 }
  await append(db, account, { before: named, after: named, reason: 'Ida (Example) asked for it' })
  await append(db, `${account} svc_live_x`, { before: { prefix: 'svc_live_x', name: 'key of Ida' }, reason: 'lost' })
  await append(db, newId(), { before: { name: 'Otto' }, reason: 'for Idaho' })
  await append(db, account, { before: { balance_micros: 1 }, reason: 'clean' })
}

async function expectErased(db: Db) {
  const entries = await readLog(db)
  expect(entries.map(({ text }) => text).join()).not.toMatch(/ida \(example|of ida"/i)
  expect(entries.map(({ text }) => text).join()).toMatch(/Otto.*for Idaho/)
  expect(entries).toHaveLength(5)
  expect(entries[0]!.text).toContain('[erased] asked for it')
  expect(entries[0]!.text).toContain('balance_micros')
  expect(await verify(db)).toBeNull()
  await rows(db, 'drop trigger if exists append_only on svc.audit_entry')
  await rows(db, "update svc.audit_entry set detail = jsonb_set(detail, '{reason}', '\"x\"') where seq = 1")
  expect(await verify(db)).toBe(1)
  expect(await value(db, "select seq from audit.list_faults() where kind = 'operator'")).toBe(1)
}

test('the log of operators keeps no name of an account that was erased, and its chain is whole', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const account = await ledger.openAccount(1n)
  await fillLog(db, account)
  const before = await hashes(db)
  await eraseAccount(db, STORE, account)
  await eraseAccount(db, STORE, account)
  expect(await hashes(db)).toEqual(before)
  await expectErased(db)
})

test('names of accounts that an earlier release has erased are taken out when the database is upgraded', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const account = await ledger.openAccount(1n)
  await fillLog(db, account)
  await rows(db, 'update svc.account set name = null, erased_at = now() where id = $1', [account])
  const before = await hashes(db)
  await rows(db, await readFile('sql/migrations/0820-names-of-erased-accounts.sql', 'utf8'))
  expect(await hashes(db)).toEqual(before)
  await expectErased(db)
})
