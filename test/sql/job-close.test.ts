import { expect, test } from 'vitest'
import { readAccount } from '../../sql/account.ts'
import { openListener, rows, value } from '../../sql/db.ts'
import {
  addRun,
  beginAttempt,
  cancelJob,
  type Ending,
  endAttempt,
  raiseHold,
  readJob,
  reportProgress,
} from '../../sql/job.ts'
import { readStatement } from '../../sql/ledger.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'

const WORKER = '00000000-0000-7000-8000-000000000001'

async function acceptJob(ledger: TestLedger, balance: bigint, held: bigint) {
  const account = await ledger.openAccount(balance)
  const call = buildCall(account, { amountMicros: held })
  expect(await ledger.jobs.intake(call)).toBeUndefined()
  return { account, id: call.id }
}

function buildSuccess(id: string, accountId: string, chargeMicros: bigint, attempt = 1): Ending {
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
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, held)
  expect(await ledger.jobs.finish(buildSuccess(id, account, charge))).toBe('ended')
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: left, heldMicros: '0' })
  const [line] = await readStatement(ledger.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: charged, status: 'settled' })
})

const PARTS = [
  { id: 'clean', op: 'data/dropna', chargedMicros: '1000' },
  { id: 'ask', op: 'data/sql', chargedMicros: '2000' },
  { id: 'sum', op: 'data/groupby', chargedMicros: '1000' },
]

test.each([
  { charge: 4_000n, steps: PARTS, lines: ['clean data.dropna 1000', 'ask data.sql 2000', 'sum data.groupby 1000'] },
  // A ceiling or a tariff of the operator: each part is smaller, and nothing is lost to rounding.
  { charge: 1_001n, steps: PARTS, lines: ['clean data.dropna 250', 'ask data.sql 500', 'sum data.groupby 251'] },
  {
    charge: 1_000n,
    steps: [
      { ...PARTS[0]!, chargedMicros: '1' },
      { ...PARTS[1]!, chargedMicros: '900000' },
    ],
    lines: ['ask data.sql 1000'],
  },
  { charge: 4_000n, steps: [], lines: undefined },
  { charge: 0n, steps: PARTS, lines: undefined },
])('a pipeline charged with $charge has a line for each of its steps', async ({ charge, steps, lines }) => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  const call = buildCall(account, { amountMicros: 5_000n, serviceKey: 'pipeline.run' })
  expect(await ledger.jobs.intake(call)).toBeUndefined()
  const success = buildSuccess(call.id, account, charge)
  const result = JSON.stringify({ steps })
  await ledger.jobs.finish({ ...success, outcome: { ...success.outcome, result } as Ending['outcome'] })
  expect(await readAccount(ledger.db, account)).toMatchObject({
    balanceMicros: String(10_000n - charge),
    heldMicros: '0',
  })
  const [line] = await readStatement(ledger.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line!.steps?.map(step => `${step.id} ${step.serviceKey} ${step.amountMicros}`)).toEqual(lines)
})

test('a failed job is free and its ledger line is released', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  const outcome = { status: 'failed' as const, problem: { code: 'PDF_PARSE_FAILED' as const, hints: { index: 1 } } }
  await ledger.jobs.finish({ id, accountId: account, attempt: 1, startedAt: new Date(), outcome })
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '10000', heldMicros: '0' })
  expect(await readJob(ledger.db, account, id)).toMatchObject({
    ticket: { status: 'failed', actualMicros: '0' },
    problem: { code: 'PDF_PARSE_FAILED', hints: { index: 1 } },
  })
  const [line] = await readStatement(ledger.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: '5000', status: 'released' })
})

test('a second end of a job changes nothing', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  const ends = await Promise.all([
    ledger.jobs.finish(buildSuccess(id, account, 5_000n)),
    ledger.jobs.finish(buildSuccess(id, account, 5_000n)),
    cancelJob(ledger.db, account, id),
  ])
  expect(ends.filter(end => end === 'late')).toHaveLength(ends[2] === 'cancelled' ? 2 : 1)
})

test('of two ends of a job in one batch the second is late', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  const end = { id, acct: account, attempt: 1, status: 'succeeded', charge: '5000', result: {}, started: new Date() }
  const finish = 'select job.finish_batch($1, false)'
  expect(await value(ledger.db, finish, [JSON.stringify([end, end])])).toEqual([[2, 'late', false]])
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '5000', heldMicros: '0' })
})

test('the late end of an attempt that was taken over changes nothing', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  expect(await beginAttempt(ledger.db, id, WORKER, false)).toEqual({ attempt: 2, lost: 0 })
  expect(await ledger.jobs.finish(buildSuccess(id, account, 1_000n, 1))).toBe('late')
  expect(await readJob(ledger.db, account, id)).toMatchObject({ ticket: { status: 'running' } })
  expect(await ledger.jobs.finish(buildSuccess(id, account, 3_000n, 2))).toBe('ended')
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '7000' })
})

test('a job that has ended does not begin again', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  expect(await cancelJob(ledger.db, account, id)).toBe('cancelled')
  expect(await beginAttempt(ledger.db, id, WORKER, false)).toBeUndefined()
  expect(await cancelJob(ledger.db, account, id)).toBe('ended')
})

test('attempts lost with their workers and crashes of the job are counted apart', async () => {
  await using ledger = await openTestLedger()
  const { id } = await acceptJob(ledger, 10_000n, 5_000n)
  const begin = () => beginAttempt(ledger.db, id, WORKER, false)
  expect(await begin()).toEqual({ attempt: 2, lost: 0 })
  expect(await begin()).toEqual({ attempt: 3, lost: 1 })
  expect(await endAttempt(ledger.db, id, 3, true)).toBe(1)
  expect(await begin()).toEqual({ attempt: 4, lost: 1 })
  expect(await endAttempt(ledger.db, id, 3, true), 'the attempt was taken over').toBeNull()
  expect(await endAttempt(ledger.db, id, 4, false)).toBe(1)
  expect(await begin()).toEqual({ attempt: 5, lost: 1 })
})

test('the time of crashed attempts is added up', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  expect(await addRun(ledger.db, id, 1, 1200.4)).toBe(1200)
  await beginAttempt(ledger.db, id, WORKER, false)
  expect(await addRun(ledger.db, id, 1, 500), 'the attempt was taken over').toBeNull()
  expect(await addRun(ledger.db, id, 2, 300)).toBe(1500)
  await cancelJob(ledger.db, account, id)
  expect(await addRun(ledger.db, id, 2, 0)).toBeNull()
})

test('another account can neither see nor cancel a job', async () => {
  await using ledger = await openTestLedger()
  const { id } = await acceptJob(ledger, 10_000n, 5_000n)
  const other = await ledger.openAccount(0n)
  expect(await readJob(ledger.db, other, id)).toBeUndefined()
  expect(await cancelJob(ledger.db, other, id)).toBe('missing')
})

test('a hold is raised to the exact price, never above the balance', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 1_000n)
  expect(await raiseHold(ledger.db, id, 1, 7_000n)).toBe(true)
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '3000', heldMicros: '7000' })
  await expect(raiseHold(ledger.db, id, 1, 10_001n)).rejects.toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    hints: { amountMicros: '10001', balanceMicros: '10000' },
  })
  expect(await ledger.jobs.finish(buildSuccess(id, account, 7_000n))).toBe('ended')
  expect(await raiseHold(ledger.db, id, 1, 9_000n)).toBe(false)
})

test('a job past its deadline expires and is free', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 5_000n)
  await rows(ledger.db, "update svc.job set deadline_at = now() - interval '1 second'")
  expect(await value(ledger.db, 'select job.expire()')).toBe(1)
  expect(await readJob(ledger.db, account, id)).toMatchObject({ ticket: { status: 'expired', actualMicros: '0' } })
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '10000', heldMicros: '0' })
  expect(await value(ledger.db, 'select job.expire()')).toBe(0)
})

test('the notification of an end has a small result, and only the id of a job with a large one', async () => {
  await using ledger = await openTestLedger()
  const small = await acceptJob(ledger, 10_000n, 1_000n)
  const large = await acceptJob(ledger, 10_000n, 1_000n)
  const payloads: unknown[] = []
  const both = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const onPayload = (payload: string) => {
    payloads.push(JSON.parse(payload))
    if (payloads.length === 2) both.resolve()
  }
  const listener = openListener(ledger.url, 'test', { job_done: onPayload }, ready.resolve)
  await ready.promise
  await ledger.jobs.finish(buildSuccess(small.id, small.account, 1_000n))
  const ending = buildSuccess(large.id, large.account, 1_000n)
  await ledger.jobs.finish({
    ...ending,
    outcome: { ...ending.outcome, result: JSON.stringify('x'.repeat(9_000)) } as never,
  })
  await both.promise
  expect(payloads).toEqual([[[small.id, 'succeeded', '1000', { ok: true }]], [[large.id]]])
  await listener.close()
})

test('progress is shown while the job runs and removed when it ends', async () => {
  await using ledger = await openTestLedger()
  const { account, id } = await acceptJob(ledger, 10_000n, 1_000n)
  await ledger.jobs.begin({ id, startedAt: new Date(), workerId: WORKER })
  await reportProgress(ledger.db, id, 1, { done: 3, total: 10, unit: 'page' })
  expect(await readJob(ledger.db, account, id)).toMatchObject({
    ticket: { status: 'running', progress: { done: 3, total: 10, unit: 'page' } },
  })
  await ledger.jobs.finish(buildSuccess(id, account, 1_000n))
  expect((await readJob(ledger.db, account, id))?.ticket).not.toHaveProperty('progress')
})

test('an end that the database refuses fails alone, not with those that end beside it', async () => {
  await using ledger = await openTestLedger()
  const jobs = await Promise.all([1, 2, 3].map(() => acceptJob(ledger, 10_000n, 5_000n)))
  const endings = jobs.map(({ id, account }) => buildSuccess(id, account, 5_000n))
  const object = { key: 'scratch/a', size: 1, type: 'text/plain', name: 'a\ud800', hours: 1 }
  Object.assign(endings[1]!.outcome, { objects: [object] })
  const ends = await Promise.allSettled(endings.map(ending => ledger.jobs.finish(ending)))
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
