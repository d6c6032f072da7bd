import { expect, test } from 'vitest'
import { readAccount, suspendAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { readJob } from '../../sql/job.ts'
import { readStatement } from '../../sql/ledger.ts'
import { callOf, openBooks } from '../support/books.ts'

const keyed = (key: string, word = 'a') => ({ key, fingerprint: Buffer.from(word.repeat(64), 'hex') })

test.each([
  { balance: 1_000_000n, amount: 400_000n, left: '600000', kind: undefined },
  { balance: 400_000n, amount: 400_000n, left: '0', kind: undefined },
  { balance: 399_999n, amount: 400_000n, left: '399999', kind: 'short' },
  { balance: 0n, amount: 1_000n, left: '0', kind: 'short' },
])('an instant charge of $amount on $balance', async ({ balance, amount, left, kind }) => {
  await using books = await openBooks()
  const account = await books.account(balance)
  const call = callOf(account, { amountMicros: amount })
  expect((await books.jobs.instant(call))?.kind).toBe(kind)
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: left, heldMicros: '0' })
  const job = await readJob(books.db, account, call.id)
  expect(job?.ticket.status).toBe(kind ? undefined : 'succeeded')
})

test('accepted work holds its money, stands in its queue and shows as a pending charge', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  const call = callOf(account, { lane: 'program', amountMicros: 4_000n, serviceKey: 'pdf.merge' })
  expect(await books.jobs.intake(call)).toBeUndefined()
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '6000', heldMicros: '4000' })
  expect(await rows(books.db, 'select task_identifier from lane_program.jobs')).toEqual([
    { task_identifier: 'perform' },
  ])
  const [line] = await readStatement(books.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: '4000', status: 'pending', serviceKey: 'pdf.merge', jobId: call.id })
})

test('of a thousand calls at once on a balance for five hundred, five hundred are taken', async () => {
  await using books = await openBooks()
  const account = await books.account(500_000n)
  const calls = Array.from({ length: 1_000 }, (_, index) =>
    index % 2 === 0 ? books.jobs.instant(callOf(account)) : books.jobs.intake(callOf(account)),
  )
  const refusals = await Promise.all(calls)
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(500)
  expect(refusals.filter(refusal => refusal?.kind === 'short')).toHaveLength(500)
})

test('the last micro goes to exactly one of two hundred', async () => {
  await using books = await openBooks()
  const account = await books.account(1n)
  const refusals = await Promise.all(
    Array.from({ length: 200 }, () => books.jobs.instant(callOf(account, { amountMicros: 1n }))),
  )
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(1)
})

test('two processes share one balance without spending it twice', async () => {
  await using books = await openBooks()
  const { openJobs } = await import('../../sql/job.ts')
  const other = openJobs(books.url, 'other')
  const account = await books.account(100_000n)
  const refusals = await Promise.all(
    Array.from({ length: 300 }, (_, index) => (index % 2 ? books.jobs : other).instant(callOf(account))),
  )
  await other.close()
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(100)
})

test('one key two hundred times at once runs once and is answered alike', async () => {
  await using books = await openBooks()
  const account = await books.account(1_000_000n)
  const idempotency = keyed('order-1')
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => books.jobs.instant(callOf(account, { idempotency }))),
  )
  expect(answers.filter(answer => answer === undefined)).toHaveLength(1)
  const replays = answers.filter(answer => answer !== undefined)
  for (const replay of replays) {
    expect(replay).toMatchObject({ kind: 'replay', status: 'succeeded', result: { answer: 42 }, chargedMicros: 1_000n })
  }
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '999000' })
})

test('a key with another body is a conflict, under another account it is another key', async () => {
  await using books = await openBooks()
  const [mine, theirs] = [await books.account(10_000n), await books.account(10_000n)]
  expect(await books.jobs.instant(callOf(mine, { idempotency: keyed('k') }))).toBeUndefined()
  expect(await books.jobs.instant(callOf(mine, { idempotency: keyed('k', 'b') }))).toEqual({ kind: 'conflict' })
  expect(await books.jobs.instant(callOf(theirs, { idempotency: keyed('k', 'b') }))).toBeUndefined()
})

test('while the first request runs its key is in flight, and a failure frees it', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  const first = callOf(account, { idempotency: keyed('k') })
  expect(await books.jobs.intake(first)).toBeUndefined()
  expect(await books.jobs.intake(callOf(account, { idempotency: keyed('k') }))).toEqual({
    kind: 'in_flight',
    jobId: first.id,
  })
  const outcome = { status: 'failed' as const, problem: { code: 'PDF_PARSE_FAILED' as const, hints: {} } }
  expect(
    await books.jobs.finish({ id: first.id, accountId: account, attempt: 1, startedAt: new Date(), outcome }),
  ).toBe('ended')
  expect(await books.jobs.intake(callOf(account, { idempotency: keyed('k') }))).toBeUndefined()
})

test('a key is forgotten after a day', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  await books.jobs.instant(callOf(account, { idempotency: keyed('k') }))
  await rows(books.db, "update svc.idempotency set created_at = now() - interval '25 hours'")
  await rows(books.db, "update svc.job set created_at = now() - interval '25 hours'")
  expect(await books.jobs.instant(callOf(account, { idempotency: keyed('k', 'b') }))).toBeUndefined()
})

test('a suspended account is refused and keeps its money', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  await suspendAccount(books.db, account, true)
  expect(await books.jobs.instant(callOf(account))).toEqual({ kind: 'suspended' })
  await suspendAccount(books.db, account, false)
  expect(await books.jobs.instant(callOf(account))).toBeUndefined()
})

test('a batch that is sent again because its answer was lost is taken once', async () => {
  await using books = await openBooks()
  const account = await books.account(10_000n)
  const { id } = callOf(account)
  const batch = JSON.stringify([
    { id, acct: account, svc: 'utils.hash', lane: 'thread', amt: '1000', secs: 60, payload: {} },
  ])
  await rows(books.db, 'select job.intake_batch($1, false)', [batch])
  await rows(books.db, 'select job.intake_batch($1, true)', [batch])
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '9000', heldMicros: '1000' })
  expect(await rows(books.db, 'select from lane_thread.jobs')).toHaveLength(1)
})
