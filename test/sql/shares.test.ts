import { expect, test } from 'vitest'
import { newId } from '#kit'
import { readAccount } from '../../sql/account.ts'
import { rows, value } from '../../sql/db.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'
import { openAuthor } from '../support/plugins/authors.ts'

async function charge(
  ledger: TestLedger,
  accountId: string,
  serviceKey: string,
  { micros, result = '{}' }: { micros: bigint; result?: string },
): Promise<string> {
  const call = buildCall(accountId, { serviceKey, amountMicros: micros, lane: 'program' })
  await ledger.jobs.intake(call)
  const outcome = { status: 'succeeded' as const, chargeMicros: micros, result, objects: [] }
  await ledger.jobs.finish({ id: call.id, accountId, attempt: 1, startedAt: new Date(), outcome })
  return call.id
}

async function balanceOf({ db }: TestLedger, account: string): Promise<bigint> {
  return BigInt((await readAccount(db, account))!.balanceMicros)
}

const refund = ({ db }: TestLedger, job: string, micros: bigint) =>
  value(db, 'select ledger.refund($1, $2)', [job, micros])

test.each([
  { percent: 70, micros: 2_000n, share: 1_400n },
  { percent: 33, micros: 1_001n, share: 330n },
  { percent: 1, micros: 1_050n, share: 10n },
  { percent: 100, micros: 1_000n, share: 1_000n },
])('of $micros micros $percent percent are $share', async ({ percent, micros, share }) => {
  await using ledger = await openTestLedger()
  const [payer, author] = [await ledger.openAccount(10_000n), await ledger.openAccount(0n)]
  await openAuthor(ledger.db, 'acme.paid', author, percent)
  await charge(ledger, payer, 'acme.paid', { micros })
  await charge(ledger, payer, 'utils.hash', { micros })
  expect(await balanceOf(ledger, author)).toBe(share)
})

test('refunds take back their part to the micro, in several steps, and what was spent is owed and paid off', async () => {
  await using ledger = await openTestLedger()
  const [payer, author] = [await ledger.openAccount(20_000n), await ledger.openAccount(0n)]
  await openAuthor(ledger.db, 'acme.paid', author, 33)
  const job = await charge(ledger, payer, 'acme.paid', { micros: 9_999n })
  expect(await balanceOf(ledger, author)).toBe(3_299n)
  await refund(ledger, job, 1n)
  expect(await balanceOf(ledger, author)).toBe(3_299n)
  await refund(ledger, job, 3_332n)
  expect(await balanceOf(ledger, author)).toBe(3_299n - 1_099n)
  await charge(ledger, author, 'utils.hash', { micros: 2_000n })
  await refund(ledger, job, 6_666n)
  // Of the rest 200 were there, and 2,000 are owed.
  expect(await balanceOf(ledger, author)).toBe(-2_000n)
  await charge(ledger, payer, 'acme.paid', { micros: 10_000n })
  expect(await balanceOf(ledger, author)).toBe(1_300n)
  await expect(refund(ledger, job, 1n)).rejects.toThrow(/more than job/)
})

test('each step of a pipeline is shared with its own author', async () => {
  await using ledger = await openTestLedger()
  const [payer, one, two] = [
    await ledger.openAccount(20_000n),
    await ledger.openAccount(0n),
    await ledger.openAccount(0n),
  ]
  await openAuthor(ledger.db, 'acme.one', one, 50)
  await openAuthor(ledger.db, 'acme.two', two, 10)
  const steps = [
    { id: 'a', op: 'acme/one', chargedMicros: '2000' },
    { id: 'b', op: 'text/slugify', chargedMicros: '1000' },
    { id: 'c', op: 'acme/two', chargedMicros: '3000' },
  ]
  const job = await charge(ledger, payer, 'pipeline.run', { micros: 6_000n, result: JSON.stringify({ steps }) })
  expect([await balanceOf(ledger, one), await balanceOf(ledger, two)]).toEqual([1_000n, 300n])
  await refund(ledger, job, 3_000n)
  expect([await balanceOf(ledger, one), await balanceOf(ledger, two)]).toEqual([500n, 150n])
})

test('money of tests, and what nobody can have, stays with the house', async () => {
  await using ledger = await openTestLedger()
  const payer = await ledger.openAccount(10_000n)
  const isTest = await value<boolean>(ledger.db, 'select is_test from svc.account where id = $1', [payer])
  const otherKind = newId()
  await value(ledger.db, 'select account.create($1, $2, $3)', [otherKind, 'of the other kind', !isTest])
  await openAuthor(ledger.db, 'acme.other', otherKind, 50)
  await charge(ledger, payer, 'acme.other', { micros: 2_000n })
  const closed = await ledger.openAccount(0n)
  await openAuthor(ledger.db, 'acme.closed', closed, 50)
  await value(ledger.db, 'select account.suspend($1, true)', [closed])
  await charge(ledger, payer, 'acme.closed', { micros: 2_000n })
  expect([await balanceOf(ledger, otherKind), await balanceOf(ledger, closed)]).toEqual([0n, 0n])
  await expect(openAuthor(ledger.db, 'acme.nobody', newId(), 50)).rejects.toMatchObject({ code: 'PLUGIN_INVALID' })
})

test('a share follows an account that joins another, and its statement tells no caller', async () => {
  await using ledger = await openTestLedger()
  const [payer, author, next] = [
    await ledger.openAccount(10_000n),
    await ledger.openAccount(0n),
    await ledger.openAccount(0n),
  ]
  await openAuthor(ledger.db, 'acme.paid', author, 50)
  await value(ledger.db, 'select wallet.move_products($1, $2)', [author, next])
  await charge(ledger, payer, 'acme.paid', { micros: 2_000n })
  expect([await balanceOf(ledger, author), await balanceOf(ledger, next)]).toEqual([0n, 1_000n])
  const [line] = await value<object[]>(
    ledger.db,
    'select ledger.search($1, null, null, null, null, null, null, 10, 0)',
    [next],
  )
  expect(line).toMatchObject({ type: 'share', direction: 'credit', amountMicros: '1000', serviceKey: 'acme.paid' })
  expect(line).not.toHaveProperty('jobId')
  const revenue = await rows(
    ledger.db,
    "select sum(amount_micros)::int as micros from svc.entry where ledger = 'revenue'",
  )
  expect(revenue).toEqual([{ micros: 1_000 }])
})
