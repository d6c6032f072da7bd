import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createAccount, creditAccount, listAccounts, readAccount } from '../../sql/account.ts'
import { openDb, rows, value } from '../../sql/db.ts'
import { createKey, findKey, listKeys, revokeKey } from '../../sql/key.ts'
import { migrate } from '../../sql/migrate.ts'
import { expiredObjects, forgetObjects, readObject, recordUpload } from '../../sql/object.ts'
import { syncRates } from '../../sql/rate.ts'
import { openSettings, writePrice, writeSetting } from '../../sql/setting.ts'
import { joinWorkers, laneDepths, leaveWorkers, listWorkers } from '../../sql/worker.ts'
import { callOf, openBooks } from '../support/books.ts'
import { emptyDatabase } from '../support/database.ts'
import { describeSchema } from '../support/schema.ts'

const hash = (key: string) => Buffer.from(key)

test('sql/schema.sql says what the migrations make', async () => {
  await using books = await openBooks()
  const path = new URL('../../sql/schema.sql', import.meta.url)
  const schema = await describeSchema(books.db)
  if (process.env.WRITE_SCHEMA) await writeFile(path, schema)
  expect(await readFile(path, 'utf8'), 'run WRITE_SCHEMA=1 npm test to write it anew').toBe(schema)
})

test('a second migration changes nothing', async () => {
  await using home = await emptyDatabase()
  expect((await migrate(home.url)).applied.length).toBeGreaterThan(0)
  expect((await migrate(home.url)).applied).toEqual([])
})

test('two processes that migrate at once do not meet', async () => {
  await using home = await emptyDatabase()
  const both = await Promise.all([migrate(home.url), migrate(home.url)])
  expect(both.filter(({ applied }) => applied.length > 0)).toHaveLength(1)
})

test('of a key only its hash and its beginning are kept', async () => {
  await using books = await openBooks()
  const account = await books.account(0n)
  const key = await createKey(books.db, { accountId: account, mode: 'test', hash })
  expect(await findKey(books.db, hash(key))).toMatchObject({ accountId: account, mode: 'test', isSuspended: false })
  expect(await findKey(books.db, hash(`${key}0`))).toBeUndefined()
  const { prefix } = (await listKeys(books.db, account))[0]!
  expect(key.startsWith(prefix) && prefix.length < key.length - 20).toBe(true)
  await revokeKey(books.db, account, prefix)
  expect(await findKey(books.db, hash(key))).toBeUndefined()
  await expect(revokeKey(books.db, account, prefix)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('money cannot be put into an account that is not there', async () => {
  await using books = await openBooks()
  const credit = { accountId: '00000000-0000-7000-8000-000000000000', amountMicros: 1n }
  await expect(creditAccount(books.db, credit)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('the ledger cannot be changed afterwards', async () => {
  await using books = await openBooks()
  await books.account(5n)
  await expect(rows(books.db, 'update svc.transfer set amount_micros = 6')).rejects.toThrow(/append-only/)
  await expect(rows(books.db, 'delete from svc.transfer')).rejects.toThrow(/append-only/)
})

test('the invariants notice money that no entry explains', async () => {
  const home = await openBooks()
  const account = await home.account(5n)
  await rows(home.db, 'update svc.account set balance_micros = 6 where id = $1', [account])
  expect(await home.broken()).toMatchObject([{ rule: 'a balance is the sum of its entries', subject: account }])
  await rows(home.db, 'update svc.account set balance_micros = 5 where id = $1', [account])
  await home[Symbol.asyncDispose]()
})

test('settings have defaults, bounds and types', async () => {
  await using books = await openBooks()
  const settings = await openSettings(books.db)
  expect(settings.get('api.wait_seconds')).toBe(25)
  await writeSetting(books.db, 'api.wait_seconds', 3)
  await writePrice(books.db, 'utils.hash', 2_000n)
  await settings.refresh()
  expect([settings.get('api.wait_seconds'), settings.rateOf('utils.hash')]).toEqual([3, 2_000n])
  await expect(writeSetting(books.db, 'api.wait_seconds', 61)).rejects.toThrow('api.wait_seconds is from 0 to 60')
  await expect(writeSetting(books.db, 'api.wait_seconds', 'x')).rejects.toThrow('api.wait_seconds is a number')
  await expect(writeSetting(books.db, 'no.such', 1)).rejects.toThrow('there is no setting no.such')
  await writeSetting(books.db, 'api.wait_seconds', null)
  await settings.refresh()
  expect(settings.get('api.wait_seconds')).toBe(25)
})

test('objects belong to their account and lapse', async () => {
  await using books = await openBooks()
  const [mine, theirs] = [await books.account(0n), await books.account(0n)]
  const key = `scratch/${mine}/x`
  await recordUpload(books.db, { key, accountId: mine, contentType: 'image/png', hours: 24 })
  expect(await readObject(books.db, mine, key)).toMatchObject({ contentType: 'image/png', isExpired: false })
  expect(await readObject(books.db, theirs, key)).toBeUndefined()
  await rows(books.db, "update svc.object set expires_at = now() - interval '1 second'")
  expect(await expiredObjects(books.db, 10)).toEqual([key])
  await forgetObjects(books.db, [key])
  expect(await readObject(books.db, mine, key)).toBeUndefined()
})

test('the jobs of a worker that went silent are free again and its row is gone', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  await books.jobs.intake(callOf(account))
  await rows(books.db, "update lane_thread._private_jobs set locked_at = now(), locked_by = 'pool-1', attempts = 1")
  const worker = { host: 'a', pid: 1, lanes: { thread: 4 }, tools: [] }
  const [dead, alive] = ['00000000-0000-7000-8000-00000000000d', '00000000-0000-7000-8000-00000000000a'] as const
  await joinWorkers(books.db, { ...worker, id: dead, pools: ['pool-1'] })
  await joinWorkers(books.db, { ...worker, id: alive, pools: ['pool-2'] })
  await rows(books.db, "update svc.worker set beat_at = now() - interval '11 seconds' where id = $1", [dead])
  expect(await value(books.db, 'select worker.beat($1, 10)', [alive])).toMatchObject({ rescued: [dead], known: true })
  expect(await laneDepths(books.db)).toMatchObject([{ lane: 'thread', waiting: 1n, running: 0n }])
  expect((await listWorkers(books.db)).map(({ id }) => id)).toEqual([alive])
  expect(await value(books.db, 'select worker.beat($1, 10)', [dead])).toMatchObject({ known: false })
  await leaveWorkers(books.db, alive)
  expect(await listWorkers(books.db)).toEqual([])
})

test('counts of several processes come together', async () => {
  await using books = await openBooks()
  const count = { bucket: 'key:a', window_start: 1, used: 3 }
  expect(await syncRates(books.db, [count])).toEqual([count])
  expect(await syncRates(books.db, [count])).toEqual([{ ...count, used: 6 }])
})

test('accounts are listed newest first', async () => {
  await using books = await openBooks()
  const db = openDb(books.url, { name: 'list' })
  const { id } = await createAccount(db, { name: 'Ada', isTest: true })
  const [first] = await listAccounts(db, 5, 0)
  expect(first).toEqual(await readAccount(db, id))
  expect(first).toMatchObject({ name: 'Ada', isTest: true, balanceMicros: '0' })
  await db.end()
})
