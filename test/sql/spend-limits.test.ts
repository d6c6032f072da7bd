import { expect, test } from 'vitest'
import { newApiKey } from '#kit'
import { rows } from '../../sql/db.ts'
import { raiseHold } from '../../sql/job.ts'
import { createKey, limitKey, showKeys } from '../../sql/key.ts'
import { type Books, callOf, openBooks } from '../support/books.ts'

const hash = (key: string) => Buffer.from(key)

/** An account with a key that may spend only so much. */
async function limited(books: Books, caps: { callCapMicros?: bigint; dailyCapMicros?: bigint }) {
  const accountId = await books.account(1_000_000n)
  const key = await createKey(books.db, { accountId, mode: 'test', hash })
  const { prefix } = (await showKeys(books.db, accountId))[0]!
  await limitKey(books.db, { accountId, prefix, callCapMicros: null, dailyCapMicros: null, ...caps })
  const spent = async () => (await showKeys(books.db, accountId))[0]!.spentTodayMicros
  return { accountId, keyHash: hash(key), spent }
}

test('a price that only the content tells is held against both limits, too', async () => {
  await using books = await openBooks()
  const { accountId, keyHash, spent } = await limited(books, { callCapMicros: 5_000n, dailyCapMicros: 8_000n })
  const [first, second] = [callOf(accountId, { keyHash }), callOf(accountId, { keyHash })]
  expect([await books.jobs.intake(first), await books.jobs.intake(second)]).toEqual([undefined, undefined])
  await expect(raiseHold(books.db, first.id, 1, 5_001n)).rejects.toMatchObject({
    code: 'SPEND_LIMIT_REACHED',
    hints: { limit: 'call', amountMicros: '5001' },
  })
  expect(await raiseHold(books.db, first.id, 1, 5_000n)).toBe(true)
  expect(await spent()).toBe('6000')
  await expect(raiseHold(books.db, second.id, 1, 4_000n)).rejects.toMatchObject({ hints: { limit: 'day' } })
  expect(await spent()).toBe('6000')
  const end = { accountId, attempt: 1, startedAt: new Date() }
  const outcome = { status: 'succeeded' as const, chargeMicros: 2_000n, result: '{}', objects: [] }
  await books.jobs.finish({ ...end, id: first.id, outcome })
  expect(await spent()).toBe('3000')
  await books.jobs.finish({
    ...end,
    id: second.id,
    outcome: { status: 'failed', problem: { code: 'INTERNAL', hints: {} } },
  })
  expect(await spent()).toBe('2000')
})

test('a new day begins at nothing, and what an old day held is not given to it', async () => {
  await using books = await openBooks()
  const { accountId, keyHash, spent } = await limited(books, { dailyCapMicros: 2_000n })
  const old = callOf(accountId, { keyHash, amountMicros: 2_000n })
  await books.jobs.intake(old)
  expect(await books.jobs.instant(callOf(accountId, { keyHash }))).toMatchObject({
    kind: 'limit',
    hints: { limit: 'day' },
  })
  await rows(books.db, 'update svc.api_key set spent_on = spent_on - 1')
  await rows(books.db, "update svc.job set created_at = created_at - interval '1 day' where id = $1", [old.id])
  expect(await books.jobs.instant(callOf(accountId, { keyHash }))).toBeUndefined()
  await rows(books.db, 'select job.cancel($1, $2)', [accountId, old.id])
  expect(await spent()).toBe('1000')
})

test('a repeated batch counts once, and a key without limits counts nothing', async () => {
  await using books = await openBooks()
  const { accountId, keyHash, spent } = await limited(books, { dailyCapMicros: 9_000n })
  const call = callOf(accountId, { keyHash })
  await books.jobs.intake(call)
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
  await rows(books.db, 'select job.intake_batch($1, true)', [batch])
  expect(await spent()).toBe('1000')
  const other = await books.account(5_000n)
  expect(await books.jobs.instant(callOf(other, { keyHash: hash(newApiKey('test')) }))).toBeUndefined()
})
