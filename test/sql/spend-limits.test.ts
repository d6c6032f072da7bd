import { expect, test } from 'vitest'
import { newApiKey } from '#kit'
import { rows } from '../../sql/db.ts'
import { raiseHold } from '../../sql/job.ts'
import { changeKey, createKey, showKeys } from '../../sql/key.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'

const hash = (key: string) => Buffer.from(key)

/** Creates an account with a key that has spend limits. */
async function createLimitedKey(ledger: TestLedger, caps: { callCapMicros?: bigint; dailyCapMicros?: bigint }) {
  const accountId = await ledger.openAccount(1_000_000n)
  const key = await createKey(ledger.db, { accountId, mode: 'test', hash })
  const { prefix } = (await showKeys(ledger.db, accountId))[0]!
  await changeKey(ledger.db, { accountId, prefix }, caps)
  const spent = async () => (await showKeys(ledger.db, accountId))[0]!.spentTodayMicros
  return { accountId, keyHash: hash(key), spent }
}

test('a price that depends on the content is checked against both limits, too', async () => {
  await using ledger = await openTestLedger()
  const { accountId, keyHash, spent } = await createLimitedKey(ledger, {
    callCapMicros: 5_000n,
    dailyCapMicros: 8_000n,
  })
  const [first, second] = [buildCall(accountId, { keyHash }), buildCall(accountId, { keyHash })]
  expect([await ledger.jobs.intake(first), await ledger.jobs.intake(second)]).toEqual([undefined, undefined])
  await expect(raiseHold(ledger.db, first.id, 1, 5_001n)).rejects.toMatchObject({
    code: 'SPEND_LIMIT_REACHED',
    hints: { limit: 'call', amountMicros: '5001' },
  })
  expect(await raiseHold(ledger.db, first.id, 1, 5_000n)).toBe(true)
  expect(await spent()).toBe('6000')
  await expect(raiseHold(ledger.db, second.id, 1, 4_000n)).rejects.toMatchObject({ hints: { limit: 'day' } })
  expect(await spent()).toBe('6000')
  const end = { accountId, attempt: 1, startedAt: new Date() }
  const outcome = { status: 'succeeded' as const, chargeMicros: 2_000n, result: '{}', objects: [] }
  await ledger.jobs.finish({ ...end, id: first.id, outcome })
  expect(await spent()).toBe('3000')
  await ledger.jobs.finish({
    ...end,
    id: second.id,
    outcome: { status: 'failed', problem: { code: 'INTERNAL', hints: {} } },
  })
  expect(await spent()).toBe('2000')
})

test('a new day starts at zero, and a hold released from the day before does not lower it', async () => {
  await using ledger = await openTestLedger()
  const { accountId, keyHash, spent } = await createLimitedKey(ledger, { dailyCapMicros: 2_000n })
  const old = buildCall(accountId, { keyHash, amountMicros: 2_000n })
  await ledger.jobs.intake(old)
  expect(await ledger.jobs.instant(buildCall(accountId, { keyHash }))).toMatchObject({
    kind: 'limit',
    hints: { limit: 'day' },
  })
  await rows(ledger.db, 'update svc.api_key set spent_on = spent_on - 1')
  await rows(ledger.db, "update svc.job set created_at = created_at - interval '1 day' where id = $1", [old.id])
  expect(await ledger.jobs.instant(buildCall(accountId, { keyHash }))).toBeUndefined()
  await rows(ledger.db, 'select job.cancel($1, $2)', [accountId, old.id])
  expect(await spent()).toBe('1000')
})

test('a repeated batch counts once, and an unknown key counts nothing', async () => {
  await using ledger = await openTestLedger()
  const { accountId, keyHash, spent } = await createLimitedKey(ledger, { dailyCapMicros: 9_000n })
  const call = buildCall(accountId, { keyHash })
  await ledger.jobs.intake(call)
  const batch = JSON.stringify([
    {
      id: call.id,
      acct: accountId,
      svc: 'utils.hash',
      lane: 'thread',
      amt: '1000',
      secs: 60,
      kh: keyHash.toString('hex'),
      payload: {},
    },
  ])
  await rows(ledger.db, 'select job.intake_batch($1, true)', [batch])
  expect(await spent()).toBe('1000')
  const other = await ledger.openAccount(5_000n)
  expect(await ledger.jobs.instant(buildCall(other, { keyHash: hash(newApiKey('test')) }))).toBeUndefined()
})

test('what a key without limits spends is counted too, and counts for a limit that is set later', async () => {
  await using ledger = await openTestLedger()
  const { accountId, keyHash, spent } = await createLimitedKey(ledger, {})
  const done = Array.from({ length: 3 }, () => ledger.jobs.instant(buildCall(accountId, { keyHash })))
  const queued = [2_000n, 4_000n].map(amountMicros => buildCall(accountId, { keyHash, amountMicros }))
  expect(await Promise.all([...done, ...queued.map(call => ledger.jobs.intake(call))])).toEqual(
    Array(5).fill(undefined),
  )
  expect(await spent()).toBe('9000')
  const outcome = { status: 'succeeded' as const, chargeMicros: 500n, result: '{}', objects: [] }
  await ledger.jobs.finish({ id: queued[0]!.id, accountId, attempt: 1, startedAt: new Date(), outcome })
  await rows(ledger.db, 'select job.cancel($1, $2)', [accountId, queued[1]!.id])
  expect(await spent()).toBe('3500')
  const { prefix } = (await showKeys(ledger.db, accountId))[0]!
  await changeKey(ledger.db, { accountId, prefix }, { dailyCapMicros: 4_000n })
  expect(await ledger.jobs.instant(buildCall(accountId, { keyHash }))).toMatchObject({
    kind: 'limit',
    hints: { spentMicros: '3500' },
  })
})

test('a batch of calls with limited and unlimited keys counts each for its own key', async () => {
  await using ledger = await openTestLedger()
  const [free, capped] = [
    await createLimitedKey(ledger, {}),
    await createLimitedKey(ledger, { dailyCapMicros: 1_000n }),
  ]
  const calls = [free, capped, free, capped].map(({ accountId, keyHash }) => buildCall(accountId, { keyHash }))
  const answers = await Promise.all(calls.map(call => ledger.jobs.instant(call)))
  expect(answers.map(answer => answer?.kind)).toEqual([undefined, undefined, undefined, 'limit'])
  expect([await free.spent(), await capped.spent()]).toEqual(['2000', '1000'])
})
