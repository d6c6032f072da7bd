import { expect, test } from 'vitest'
import { readAccount, suspendAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { readJob } from '../../sql/job.ts'
import { readStatement } from '../../sql/ledger.ts'
import { buildCall, openTestLedger } from '../support/database/ledger.ts'

const buildIdempotency = (key: string, fill = 'a') => ({ key, fingerprint: Buffer.from(fill.repeat(64), 'hex') })

test.each([
  { balance: 1_000_000n, amount: 400_000n, left: '600000', kind: undefined },
  { balance: 400_000n, amount: 400_000n, left: '0', kind: undefined },
  { balance: 399_999n, amount: 400_000n, left: '399999', kind: 'short' },
  { balance: 0n, amount: 1_000n, left: '0', kind: 'short' },
])('an instant charge of $amount on $balance', async ({ balance, amount, left, kind }) => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(balance)
  const call = buildCall(account, { amountMicros: amount })
  expect((await ledger.jobs.instant(call))?.kind).toBe(kind)
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: left, heldMicros: '0' })
  const job = await readJob(ledger.db, account, call.id)
  expect(job?.ticket.status).toBe(kind ? undefined : 'succeeded')
})

test('an accepted call holds its money, is in its queue and is shown as a pending charge', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  const call = buildCall(account, { lane: 'program', amountMicros: 4_000n, serviceKey: 'pdf.merge' })
  expect(await ledger.jobs.intake(call)).toBeUndefined()
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '6000', heldMicros: '4000' })
  expect(await rows(ledger.db, 'select task_identifier from lane_program.jobs')).toEqual([
    { task_identifier: 'perform' },
  ])
  const [line] = await readStatement(ledger.db, { accountId: account, type: 'charge', limit: 1, offset: 0 })
  expect(line).toMatchObject({ amountMicros: '4000', status: 'pending', serviceKey: 'pdf.merge', jobId: call.id })
})

test('of a thousand concurrent calls on a balance for five hundred, five hundred are taken', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(500_000n)
  const calls = Array.from({ length: 1_000 }, (_, index) =>
    index % 2 === 0 ? ledger.jobs.instant(buildCall(account)) : ledger.jobs.intake(buildCall(account)),
  )
  const refusals = await Promise.all(calls)
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(500)
  expect(refusals.filter(refusal => refusal?.kind === 'short')).toHaveLength(500)
})

test('of two hundred concurrent calls exactly one gets the last micro', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(1n)
  const refusals = await Promise.all(
    Array.from({ length: 200 }, () => ledger.jobs.instant(buildCall(account, { amountMicros: 1n }))),
  )
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(1)
})

test('two processes share one balance without spending it twice', async () => {
  await using ledger = await openTestLedger()
  const { openJobs } = await import('../../sql/job.ts')
  const other = openJobs(ledger.url, 'other')
  const account = await ledger.openAccount(100_000n)
  const refusals = await Promise.all(
    Array.from({ length: 300 }, (_, index) => (index % 2 ? ledger.jobs : other).instant(buildCall(account))),
  )
  await other.close()
  expect(refusals.filter(refusal => refusal === undefined)).toHaveLength(100)
})

test('two hundred concurrent calls with one key run once and get the same answer', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(1_000_000n)
  const idempotency = buildIdempotency('order-1')
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => ledger.jobs.instant(buildCall(account, { idempotency }))),
  )
  expect(answers.filter(answer => answer === undefined)).toHaveLength(1)
  const replays = answers.filter(answer => answer !== undefined)
  for (const replay of replays) {
    expect(replay).toMatchObject({ kind: 'replay', status: 'succeeded', result: { answer: 42 }, chargedMicros: 1_000n })
  }
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '999000' })
})

test('a key with another body is a conflict; in another account it is another key', async () => {
  await using ledger = await openTestLedger()
  const [mine, others] = [await ledger.openAccount(10_000n), await ledger.openAccount(10_000n)]
  expect(await ledger.jobs.instant(buildCall(mine, { idempotency: buildIdempotency('k') }))).toBeUndefined()
  expect(await ledger.jobs.instant(buildCall(mine, { idempotency: buildIdempotency('k', 'b') }))).toEqual({
    kind: 'conflict',
  })
  expect(await ledger.jobs.instant(buildCall(others, { idempotency: buildIdempotency('k', 'b') }))).toBeUndefined()
})

test('while the first request runs its key is in flight; a failure frees it', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  const first = buildCall(account, { idempotency: buildIdempotency('k') })
  expect(await ledger.jobs.intake(first)).toBeUndefined()
  expect(await ledger.jobs.intake(buildCall(account, { idempotency: buildIdempotency('k') }))).toEqual({
    kind: 'in_flight',
    jobId: first.id,
  })
  const outcome = { status: 'failed' as const, problem: { code: 'PDF_PARSE_FAILED' as const, hints: {} } }
  expect(
    await ledger.jobs.finish({ id: first.id, accountId: account, attempt: 1, startedAt: new Date(), outcome }),
  ).toBe('ended')
  expect(await ledger.jobs.intake(buildCall(account, { idempotency: buildIdempotency('k') }))).toBeUndefined()
})

test('a key is forgotten after a day', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  await ledger.jobs.instant(buildCall(account, { idempotency: buildIdempotency('k') }))
  await rows(ledger.db, "update svc.idempotency set created_at = now() - interval '25 hours'")
  await rows(ledger.db, "update svc.job set created_at = now() - interval '25 hours'")
  expect(await ledger.jobs.instant(buildCall(account, { idempotency: buildIdempotency('k', 'b') }))).toBeUndefined()
})

test('a suspended account is refused and keeps its money', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  await suspendAccount(ledger.db, account, true)
  expect(await ledger.jobs.instant(buildCall(account))).toEqual({ kind: 'suspended' })
  await suspendAccount(ledger.db, account, false)
  expect(await ledger.jobs.instant(buildCall(account))).toBeUndefined()
})

test('a batch that is sent again because its answer was lost is taken once', async () => {
  await using ledger = await openTestLedger()
  const account = await ledger.openAccount(10_000n)
  const { id } = buildCall(account)
  const batch = JSON.stringify([
    { id, acct: account, svc: 'utils.hash', lane: 'thread', amt: '1000', secs: 60, payload: {} },
  ])
  await rows(ledger.db, 'select job.intake_batch($1, false)', [batch])
  await rows(ledger.db, 'select job.intake_batch($1, true)', [batch])
  expect(await readAccount(ledger.db, account)).toMatchObject({ balanceMicros: '9000', heldMicros: '1000' })
  expect(await rows(ledger.db, 'select from lane_thread.jobs')).toHaveLength(1)
})
