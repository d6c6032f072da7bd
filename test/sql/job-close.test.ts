import { expect, test } from 'vitest'
import { readAccount } from '../../sql/account.ts'
import { rows, value } from '../../sql/db.ts'
import { beginAgain, cancelJob, type Ending, raiseHold, readJob, reportProgress } from '../../sql/job.ts'
import { readStatement } from '../../sql/ledger.ts'
import { listen } from '../../sql/line.ts'
import { type Books, callOf, openBooks } from '../support/books.ts'

const WORKER = '00000000-0000-7000-8000-000000000001'

async function accepted(books: Books, balance: bigint, held: bigint) {
  const account = await books.account(balance)
  const call = callOf(account, { amountMicros: held })
  expect(await books.jobs.intake(call)).toBeUndefined()
  return { account, id: call.id }
}

function success(id: string, accountId: string, chargeMicros: bigint, attempt = 1): Ending {
  return {
    id,
    accountId,
    attempt,
    startedAt: new Date(),
    outcome: { status: 'succeeded', chargeMicros, result: '{"ok":true}', objects: [] },
  }
}

test.each([
  { held: 5_000n, charge: 5_000n, left: '5000', charged: '5000' },
  { held: 5_000n, charge: 2_000n, left: '8000', charged: '2000' },
  { held: 5_000n, charge: 9_000n, left: '5000', charged: '5000' },
])('a hold of $held charged with $charge', async ({ held, charge, left, charged }) => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, held)
  expect(await books.jobs.finish(success(id, account, charge))).toBe('ended')
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: left, heldMicros: '0' })
  const [line] = await readStatement(books.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: charged, status: 'settled' })
})

test('a failed job costs nothing and its line says released', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 5_000n)
  const outcome = { status: 'failed' as const, problem: { code: 'PDF_PARSE_FAILED' as const, hints: { index: 1 } } }
  await books.jobs.finish({ id, accountId: account, attempt: 1, startedAt: new Date(), outcome })
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '10000', heldMicros: '0' })
  expect(await readJob(books.db, account, id)).toMatchObject({
    ticket: { status: 'failed', actualMicros: '0' },
    problem: { code: 'PDF_PARSE_FAILED', hints: { index: 1 } },
  })
  const [line] = await readStatement(books.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: '5000', status: 'released' })
})

test('whoever ends a job second changes nothing', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 5_000n)
  const ends = await Promise.all([
    books.jobs.finish(success(id, account, 5_000n)),
    books.jobs.finish(success(id, account, 5_000n)),
    cancelJob(books.db, account, id),
  ])
  expect(ends.filter(end => end === 'late')).toHaveLength(ends[2] === 'cancelled' ? 2 : 1)
})

test('the late end of an attempt that was taken over changes nothing', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 5_000n)
  expect(await beginAgain(books.db, id, WORKER, false)).toBe(2)
  expect(await books.jobs.finish(success(id, account, 1_000n, 1))).toBe('late')
  expect(await readJob(books.db, account, id)).toMatchObject({ ticket: { status: 'running' } })
  expect(await books.jobs.finish(success(id, account, 3_000n, 2))).toBe('ended')
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '7000' })
})

test('a job that has ended does not begin again', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 5_000n)
  expect(await cancelJob(books.db, account, id)).toBe('cancelled')
  expect(await beginAgain(books.db, id, WORKER, false)).toBeNull()
  expect(await cancelJob(books.db, account, id)).toBe('ended')
})

test('another account can neither see nor cancel a job', async () => {
  await using books = await openBooks()
  const { id } = await accepted(books, 10_000n, 5_000n)
  const stranger = await books.account(0n)
  expect(await readJob(books.db, stranger, id)).toBeUndefined()
  expect(await cancelJob(books.db, stranger, id)).toBe('missing')
})

test('a hold is lifted to the exact price, never above the balance', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 1_000n)
  expect(await raiseHold(books.db, id, 1, 7_000n)).toBe(true)
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '3000', heldMicros: '7000' })
  await expect(raiseHold(books.db, id, 1, 10_001n)).rejects.toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    hints: { amountMicros: '10001', balanceMicros: '10000' },
  })
  expect(await books.jobs.finish(success(id, account, 7_000n))).toBe('ended')
  expect(await raiseHold(books.db, id, 1, 9_000n)).toBe(false)
})

test('what is past its deadline expires and is free', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 5_000n)
  await rows(books.db, "update svc.job set deadline_at = now() - interval '1 second'")
  expect(await value(books.db, 'select job.expire()')).toBe(1)
  expect(await readJob(books.db, account, id)).toMatchObject({ ticket: { status: 'expired', actualMicros: '0' } })
  expect(await readAccount(books.db, account)).toMatchObject({ balanceMicros: '10000', heldMicros: '0' })
  expect(await value(books.db, 'select job.expire()')).toBe(0)
})

test('the news of an end carries a small result and only the id of a large one', async () => {
  await using books = await openBooks()
  const small = await accepted(books, 10_000n, 1_000n)
  const large = await accepted(books, 10_000n, 1_000n)
  const heard: unknown[] = []
  const both = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const onNews = (news: string) => {
    heard.push(JSON.parse(news))
    if (heard.length === 2) both.resolve()
  }
  const ears = listen(books.url, 'test', { job_done: onNews }, ready.resolve)
  await ready.promise
  await books.jobs.finish(success(small.id, small.account, 1_000n))
  const ending = success(large.id, large.account, 1_000n)
  await books.jobs.finish({
    ...ending,
    outcome: { ...ending.outcome, result: JSON.stringify('x'.repeat(9_000)) } as never,
  })
  await both.promise
  expect(heard).toEqual([[[small.id, 'succeeded', '1000', { ok: true }]], [[large.id]]])
  await ears.close()
})

test('progress shows while the job runs and is gone with its end', async () => {
  await using books = await openBooks()
  const { account, id } = await accepted(books, 10_000n, 1_000n)
  await books.jobs.begin({ id, startedAt: new Date(), workerId: WORKER })
  await reportProgress(books.db, id, 1, { done: 3, total: 10, unit: 'page' })
  expect(await readJob(books.db, account, id)).toMatchObject({
    ticket: { status: 'running', progress: { done: 3, total: 10, unit: 'page' } },
  })
  await books.jobs.finish(success(id, account, 1_000n))
  expect((await readJob(books.db, account, id))?.ticket).not.toHaveProperty('progress')
})
