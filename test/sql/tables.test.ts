import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createAccount, creditAccount, listAccounts, readAccount } from '../../sql/account.ts'
import { openDb, rows, value } from '../../sql/db.ts'
import { createKey, findKeyOwner, revokeKey, showKeys } from '../../sql/key.ts'
import { readLaneDepths } from '../../sql/lane.ts'
import { migrate } from '../../sql/migrate.ts'
import { forgetObjects, listExpiredObjects, readObject, recordUpload } from '../../sql/object.ts'
import { countProviderCall, readProviderUsage } from '../../sql/provider/usage.ts'
import { syncRates } from '../../sql/rate.ts'
import { openSettings, writePrice, writeSetting } from '../../sql/setting.ts'
import { joinWorkers, leaveWorkers, listWorkers } from '../../sql/worker.ts'
import { products } from '../../tasks/products/index.ts'
import { describeSchema } from '../support/database/describe-schema.ts'
import { emptyDatabase } from '../support/database/fresh.ts'
import { buildCall, openTestLedger } from '../support/database/ledger.ts'

const hash = (key: string) => Buffer.from(key)

test('sql/schema.sql and those of the products describe what the migrations create', async () => {
  await using ledger = await openTestLedger()
  const names = products.map(({ name }) => name.replaceAll('-', '_'))
  const files = await describeSchema(ledger.db, names)
  for (const [file, schema] of files) {
    const path = new URL(`../../${file}`, import.meta.url)
    if (process.env.WRITE_SCHEMA) await writeFile(path, schema)
    expect(await readFile(path, 'utf8'), 'run WRITE_SCHEMA=1 npm test to update it').toBe(schema)
  }
})

test('a schema that no file lists is found in the description', async () => {
  await using ledger = await openTestLedger()
  await rows(ledger.db, 'create schema planted')
  await rows(ledger.db, "create function planted.call() returns text language sql as $$ select 'x' $$")
  const described = (await describeSchema(ledger.db, ['mailbox'])).get('sql/schema.sql')
  expect(described).toContain('planted.call() -> text')
})

test('a second migration changes nothing', async () => {
  await using database = await emptyDatabase()
  expect((await migrate(database.url)).applied.length).toBeGreaterThan(0)
  expect((await migrate(database.url)).applied).toEqual([])
})

test('of two processes that migrate at once only one applies the migrations', async () => {
  await using database = await emptyDatabase()
  const both = await Promise.all([migrate(database.url), migrate(database.url)])
  expect(both.filter(({ applied }) => applied.length > 0)).toHaveLength(1)
})

test('of a key only its hash and its prefix are stored', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(0n)
  const key = await createKey(ledger.db, { accountId: account, mode: 'test', hash })
  expect(await findKeyOwner(ledger.db, hash(key))).toMatchObject({
    accountId: account,
    mode: 'test',
    isSuspended: false,
  })
  expect(await findKeyOwner(ledger.db, hash(`${key}0`))).toBeUndefined()
  const { prefix } = (await showKeys(ledger.db, account))[0]!
  expect(key.startsWith(prefix) && prefix.length < key.length - 20).toBe(true)
  await revokeKey(ledger.db, account, prefix)
  expect(await findKeyOwner(ledger.db, hash(key))).toBeUndefined()
  await expect(revokeKey(ledger.db, account, prefix)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an account that does not exist cannot be credited', async () => {
  await using ledger = await openTestLedger()
  const credit = { accountId: '00000000-0000-7000-8000-000000000000', amountMicros: 1n }
  await expect(creditAccount(ledger.db, credit)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('the ledger cannot be changed afterwards', async () => {
  await using ledger = await openTestLedger()
  await ledger.openAccount(5n)
  await expect(rows(ledger.db, 'update svc.transfer set amount_micros = 6')).rejects.toThrow(/append-only/)
  await expect(rows(ledger.db, 'delete from svc.transfer')).rejects.toThrow(/append-only/)
})

test('the invariants find money that no entry explains', async () => {
  const ledger = await openTestLedger()
  const account = await ledger.openAccount(5n)
  await rows(ledger.db, 'update svc.account set balance_micros = 6 where id = $1', [account])
  expect(await ledger.findViolations()).toMatchObject([
    { rule: 'a balance is the sum of its entries', subject: account },
  ])
  await rows(ledger.db, 'update svc.account set balance_micros = 5 where id = $1', [account])
  await ledger[Symbol.asyncDispose]()
})

test('settings have defaults, bounds and types', async () => {
  await using ledger = await openTestLedger()
  const settings = await openSettings(ledger.db)
  expect(settings.get('api.wait_seconds')).toBe(25)
  await writeSetting(ledger.db, 'api.wait_seconds', 3)
  await writePrice(ledger.db, 'utils.hash', { rateMicros: 2_000n })
  await settings.refresh()
  expect([settings.get('api.wait_seconds'), settings.ratesOf('utils.hash')]).toEqual([3, { rateMicros: 2_000n }])
  await expect(writeSetting(ledger.db, 'api.wait_seconds', 61)).rejects.toThrow('api.wait_seconds must be from 0 to 60')
  await expect(writeSetting(ledger.db, 'api.wait_seconds', 'x')).rejects.toThrow('api.wait_seconds must be a number')
  await expect(writeSetting(ledger.db, 'no.such', 1)).rejects.toThrow('there is no setting no.such')
  await writeSetting(ledger.db, 'api.wait_seconds', null)
  await settings.refresh()
  expect(settings.get('api.wait_seconds')).toBe(25)
})

test('objects belong to their account and expire', async () => {
  await using ledger = await openTestLedger()
  const [mine, theirs] = [await ledger.openAccount(0n), await ledger.openAccount(0n)]
  const key = `scratch/${mine}/x`
  await recordUpload(ledger.db, { key, accountId: mine, contentType: 'image/png', hours: 24 })
  expect(await readObject(ledger.db, mine, key)).toMatchObject({ contentType: 'image/png', isExpired: false })
  expect(await readObject(ledger.db, theirs, key)).toBeUndefined()
  await rows(ledger.db, "update svc.object set expires_at = now() - interval '1 second'")
  expect(await listExpiredObjects(ledger.db, 10)).toEqual([key])
  await forgetObjects(ledger.db, [key])
  expect(await readObject(ledger.db, mine, key)).toBeUndefined()
})

test('the jobs of a silent worker are unlocked and its row is deleted', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  await ledger.jobs.intake(buildCall(account))
  await rows(ledger.db, "update lane_thread._private_jobs set locked_at = now(), locked_by = 'pool-1', attempts = 1")
  const worker = { host: 'a', pid: 1, lanes: { thread: 4 }, tools: [] }
  const [dead, alive] = ['00000000-0000-7000-8000-00000000000d', '00000000-0000-7000-8000-00000000000a'] as const
  await joinWorkers(ledger.db, { ...worker, id: dead, pools: ['pool-1'] })
  await joinWorkers(ledger.db, { ...worker, id: alive, pools: ['pool-2'] })
  await rows(ledger.db, "update svc.worker set beat_at = now() - interval '11 seconds' where id = $1", [dead])
  expect(await value(ledger.db, 'select worker.beat($1, 10, $2, false)', [alive, ['pool-2']])).toMatchObject({
    rescued: [dead],
    known: true,
  })
  expect(await readLaneDepths(ledger.db)).toMatchObject([{ lane: 'thread', waiting: 1n, running: 0n }])
  expect((await listWorkers(ledger.db)).map(({ id }) => id)).toEqual([alive])
  expect(await value(ledger.db, 'select worker.beat($1, 10, $2, false)', [dead, []])).toMatchObject({ known: false })
  await leaveWorkers(ledger.db, alive)
  expect(await listWorkers(ledger.db)).toEqual([])
})

test('a job that a pool has locked which belongs to no worker is unlocked, unless the lock is young', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  for (let job = 0; job < 3; job++) await ledger.jobs.intake(buildCall(account))
  const lock = 'update lane_thread._private_jobs set locked_by = $1, locked_at = now() - $2::interval where id = $3'
  const jobs = await rows<{ id: bigint }>(ledger.db, 'select id from lane_thread._private_jobs order by id')
  const locks = [
    ['pool-lost', '11 seconds'],
    ['pool-young', '1 second'],
    ['pool-mine', '1 hour'],
  ]
  for (const [index, values] of locks.entries()) await rows(ledger.db, lock, [...values, jobs[index]!.id])
  const id = '00000000-0000-7000-8000-00000000000a'
  await joinWorkers(ledger.db, { id, host: 'a', pid: 1, lanes: {}, tools: [], pools: [] })
  const readLocks = () => rows(ledger.db, 'select locked_by from lane_thread._private_jobs where locked_by is not null')
  await value(ledger.db, 'select worker.beat($1, 10, $2, false)', [id, ['pool-mine']])
  expect(await readLocks()).toHaveLength(3)
  await value(ledger.db, 'select worker.beat($1, 10, $2, true)', [id, ['pool-mine']])
  expect((await readLocks()).map(({ locked_by }) => locked_by).sort()).toEqual(['pool-mine', 'pool-young'])
})

test('a queue of steps that a pool has locked which belongs to no worker is unlocked with its step', async () => {
  await using ledger = await openTestLedger()
  await rows(ledger.db, "select step.queue_in('one', 'test.note', '{}', now(), 'a')")
  await rows(ledger.db, "select lane_step.add_job('test.note', queue_name => 'other')")
  for (const table of ['jobs', 'job_queues'])
    await rows(
      ledger.db,
      `update lane_step._private_${table} set locked_by = 'pool-' || id, locked_at = now() - interval '1 minute'`,
    )
  const lost = 'select count(*) from lane_step._private_job_queues where locked_by is not null'
  expect(Number(await value(ledger.db, lost))).toBe(2)
  const kept = await value<string>(
    ledger.db,
    "select locked_by from lane_step._private_job_queues where queue_name = 'other'",
  )
  await value(ledger.db, 'select lane.unlock_orphans($1)', [[kept]])
  const left = await rows(ledger.db, 'select queue_name from lane_step._private_job_queues where locked_by is not null')
  expect(left).toEqual([{ queue_name: 'other' }])
})

test('a job that failed is delivered again within seconds, however often it was delivered before', async () => {
  await using ledger = await openTestLedger()
  await ledger.jobs.intake(buildCall(await ledger.openAccount(10_000n)))
  await rows(
    ledger.db,
    "update lane_thread._private_jobs set attempts = 24, run_at = now() + exp(10) * interval '1 second'",
  )
  const [job] = await rows<{ isSoon: boolean; is_available: boolean }>(
    ledger.db,
    `select run_at < now() + interval '5 seconds' as "isSoon", is_available from lane_thread._private_jobs`,
  )
  expect(job).toEqual({ isSoon: true, is_available: true })
})

test('the counts of several processes are added up', async () => {
  await using ledger = await openTestLedger()
  const count = { bucket: 'key:a', window_start: 1, used: 3 }
  expect(await syncRates(ledger.db, [count])).toEqual([count])
  expect(await syncRates(ledger.db, [count])).toEqual([{ ...count, used: 6 }])
})

test('accounts are listed newest first', async () => {
  await using ledger = await openTestLedger()
  const db = openDb(ledger.url, { name: 'list' })
  const { id } = await createAccount(db, { name: 'Ada', isTest: true })
  const [first] = await listAccounts(db, 5, 0)
  expect(first).toEqual(await readAccount(db, id))
  expect(first).toMatchObject({ name: 'Ada', isTest: true, balanceMicros: '0' })
  await db.end()
})

test('the calls of providers are summed up by day', async () => {
  await using ledger = await openTestLedger()
  const call = { provider: 'openai', model: 'small', isOk: true, inputTokens: 10, outputTokens: 2, costMicros: 5 }
  await countProviderCall(ledger.db, call)
  await countProviderCall(ledger.db, { ...call, isOk: false, inputTokens: 0, outputTokens: 0, costMicros: 0 })
  const [usage, ...others] = await readProviderUsage(ledger.db, 2)
  expect(others).toEqual([])
  expect(usage).toMatchObject({ model: 'small', calls: 2n, failed: 1n, input_tokens: 10n, cost_micros: 5n })
})
