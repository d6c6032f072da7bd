import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../sql/account.ts'
import { rows, value } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { checkBalances } from '../../../sql/spending/steps.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function openOwner() {
  const owner = await openBatonOwner(api)
  const ask = async (method: 'GET' | 'PUT' | 'DELETE', payload?: object) => {
    const reply = await owner.call(method, '/v1/account/balance-alarm', payload)
    return { status: reply.statusCode, body: reply.payload === '' ? undefined : reply.json() }
  }
  const spend = () => owner.call('POST', '/v1/utils/hash', { text: 'a' })
  const readSubjects = async () => {
    const { data } = (await owner.call('GET', '/v1/notifications')).json()
    return data.map(({ subject }: { subject: string }) => subject)
  }
  return { ...owner, ask, spend, readSubjects }
}

test('the owner is told once when the balance falls below an amount, and again after it was as high', async () => {
  const { db } = api.context
  const [owner, other] = [await openOwner(), await openOwner()]
  const register =
    "select webhook.register(gen_random_uuid(), $1, null, 'http://127.0.0.1:9/', '{account.balance_low}', null, 's', 9)"
  await value(db, register, [owner.accountId])
  expect((await owner.ask('PUT', { limitMicros: '999000' })).body).toEqual({
    ...{ limitMicros: '999000', balanceMicros: '1000000', isReached: false },
  })
  await other.ask('PUT', { limitMicros: '1' })
  await owner.spend()
  expect(await checkBalances(db)).toBe(0)
  await owner.spend()
  expect(await checkBalances(db)).toBe(1)
  await owner.spend()
  expect(await checkBalances(db)).toBe(0)
  expect((await owner.ask('GET')).body).toMatchObject({ balanceMicros: '997000', isReached: true })
  await owner.ask('PUT', { limitMicros: '999000' })
  expect(await checkBalances(db)).toBe(0)

  await creditAccount(db, { accountId: owner.accountId, amountMicros: 3_000n })
  expect(await checkBalances(db)).toBe(0)
  expect((await owner.ask('GET')).body).toMatchObject({ balanceMicros: '1000000', isReached: false })
  for (const _ of [1, 2]) await owner.spend()
  expect(await checkBalances(db)).toBe(1)
  expect(await owner.readSubjects()).toEqual(['0.998 USD left on your account', '0.998 USD left on your account'])
  expect(await other.readSubjects()).toEqual([])
  const deliveries = await rows<{ payload: object }>(
    db,
    'select d.payload from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id where e.account_id = $1',
    [owner.accountId],
  )
  const low = { limitMicros: '999000', balanceMicros: '998000' }
  expect(deliveries.map(({ payload }) => payload)).toMatchObject([low, low])
})

test('an amount above the balance is told of at once, and another one anew', async () => {
  const owner = await openOwner()
  for (const limitMicros of ['2000000', '3000000']) {
    await owner.ask('PUT', { limitMicros })
    expect(await checkBalances(api.context.db)).toBe(1)
    expect(await checkBalances(api.context.db)).toBe(0)
  }
})

test('the alarm is refused, removed, exported and erased as others are', async () => {
  const owner = await openOwner()
  const { db, store } = api.context
  expect((await owner.ask('GET')).body.code).toBe('NOT_FOUND')
  expect((await owner.ask('PUT', { limitMicros: '0' })).body.code).toBe('INVALID_PARAM')
  await owner.ask('PUT', { limitMicros: '5' })
  expect((await owner.ask('DELETE')).status).toBe(204)
  expect((await owner.ask('DELETE')).body.code).toBe('NOT_FOUND')
  await owner.ask('PUT', { limitMicros: '5' })
  expect((await exportAccount(db, owner.accountId)).spending).toEqual([{ period: 'balance', limitMicros: '5' }])
  await eraseAccount(db, store, owner.accountId)
  expect((await exportAccount(db, owner.accountId)).spending).toEqual([])
})
