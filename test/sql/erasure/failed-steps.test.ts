import { expect, test } from 'vitest'
import { newId } from '#kit'
import { type Db, rows, value } from '../../../sql/db.ts'
import { eraseAccount } from '../../../sql/product/account-data.ts'
import { forgetDeadSteps } from '../../../sql/step/queue.ts'
import { openTestLedger } from '../../support/database/ledger.ts'

const STORE = { remove: async () => undefined }

/** Has a step fail for good, so many days ago. */
const kill = (db: Db, key: string, days = 0) =>
  rows(
    db,
    `update lane_step._private_jobs set attempts = max_attempts, last_error = 'it fails', run_at = now() - make_interval(days => $2)
      where strpos(key, $1) > 0`,
    [key, days],
  )
const queue = (db: Db, name: string, payload: object, key: string) =>
  value(db, 'select step.queue($1, $2, now(), $3)', [name, payload, key])

async function listSteps(db: Db) {
  const found = await rows<{ name: string; state: string }>(db, 'select name, state from step.list(100) order by name')
  return found.map(({ name, state }) => `${name} ${state}`)
}

test('with an account, the steps go that have failed for it or its records; those of others stay', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const [account, other] = [await ledger.openAccount(1n), await ledger.openAccount(1n)]
  const [own, foreign] = [newId(), newId()]
  for (const [id, of] of [
    [own, account],
    [foreign, other],
  ] as const) {
    await value(db, "select notification.queue($1, $2, 'n', $3, 'ida@mail.test', '{}', null)", [id, of, id])
    await kill(db, id)
  }
  await queue(db, 'esigndoc.draw', { account, content: { key: 'k' }, page: 1, width: 800 }, 'k 1 800')
  await kill(db, 'k 1 800')
  await eraseAccount(db, STORE, account)
  expect(await listSteps(db)).toEqual(['notification.send dead'])
  expect(await value(db, 'select payload ->> $1 from lane_step._private_jobs', ['id'])).toBe(foreign)
})

test('a step that removes something elsewhere outlasts the account, and is tried again', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const account = await ledger.openAccount(1n)
  await queue(db, 'baton.remove-upload', { key: `baton/${account}/x` }, `baton/${account}/x`)
  await kill(db, account)
  await eraseAccount(db, STORE, account)
  expect(await listSteps(db)).toEqual(['baton.remove-upload waiting'])
})

test('dead steps are forgotten after their retention, but for those that remove something elsewhere', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  for (const [name, days] of [
    ['lease.forget', 29],
    ['lease.expire', 31],
    ['idverify.leave-provider', 31],
  ] as const) {
    await queue(db, name, {}, name)
    await kill(db, `${name}:`, days)
  }
  await queue(db, 'handoff.expire', {}, 'waits')
  await queue(db, 'ask.run-due', {}, 'replaced')
  await kill(db, 'replaced')
  await rows(db, "update lane_step._private_jobs set key = null where key = 'ask.run-due:replaced'")
  expect(Number(await forgetDeadSteps(db, 30, 10))).toBe(2)
  expect(Number(await forgetDeadSteps(db, 30, 10))).toBe(0)
  expect(await listSteps(db)).toEqual(['handoff.expire waiting', 'idverify.leave-provider dead', 'lease.forget dead'])
  expect(await value(db, 'select count(*) from lane_step._private_jobs')).toBe(3n)
})
