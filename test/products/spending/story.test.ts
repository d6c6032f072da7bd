import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../../sql/db.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { checkAlarms } from '../../../sql/spending/steps.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

async function openOwner() {
  const owner = await openBatonOwner(api)
  const ask = async (method: 'GET' | 'PUT' | 'DELETE', path = '', payload?: object) => {
    const reply = await owner.call(method, `/v1/account/spend-alarms/${path}`.replace(/\/$/, ''), payload)
    return { status: reply.statusCode, body: reply.payload === '' ? undefined : reply.json() }
  }
  const spend = () => owner.call('POST', '/v1/utils/hash', { text: 'a' })
  const readSubjects = async () => {
    const { data } = (await owner.call('GET', '/v1/notifications')).json()
    return data.map(({ subject }: { subject: string }) => subject)
  }
  return { ...owner, ask, spend, readSubjects }
}

test('the owner is told once a period of what is reached, and again of another limit', async () => {
  const owner = await openOwner()
  const other = await openOwner()
  const { db } = api.context
  const register =
    "select webhook.register(gen_random_uuid(), $1, null, 'http://127.0.0.1:9/', '{account.spend_alarm}', null, 's', 9)"
  await value(db, register, [owner.accountId])
  await owner.ask('PUT', 'day', { limitMicros: '2000' })
  await owner.ask('PUT', 'hour', { limitMicros: '1000000' })
  await owner.spend()
  await other.spend()
  expect(await checkAlarms(api.context.db)).toBe(0)
  await owner.spend()
  expect(await checkAlarms(api.context.db)).toBe(1)
  await owner.spend()
  expect(await checkAlarms(api.context.db)).toBe(0)
  expect(await owner.readSubjects()).toEqual(['More than 0.002 USD spent this day'])
  expect(await other.readSubjects()).toEqual([])
  expect((await owner.ask('GET')).body.data).toMatchObject([
    { period: 'hour', limitMicros: '1000000', spentMicros: '3000', isReached: false },
    { period: 'day', limitMicros: '2000', spentMicros: '3000', isReached: true },
  ])
  await owner.ask('PUT', 'day', { limitMicros: '3000' })
  expect(await checkAlarms(api.context.db)).toBe(1)
  expect(await owner.readSubjects()).toHaveLength(2)
  const deliveries = await rows<{ payload: object }>(
    db,
    'select d.payload from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id where e.account_id = $1 order by d.sequence',
    [owner.accountId],
  )
  expect(deliveries.map(({ payload }) => payload)).toMatchObject([
    { period: 'day', limitMicros: '2000', spentMicros: '2000' },
    { period: 'day', limitMicros: '3000', spentMicros: '3000' },
  ])
})

test('alarms are taken back, exported and erased', async () => {
  const owner = await openOwner()
  expect((await owner.ask('PUT', 'week', { limitMicros: '1' })).body.code).toBe('INVALID_PARAM')
  expect((await owner.ask('PUT', 'day', { limitMicros: '0' })).body.code).toBe('INVALID_PARAM')
  await owner.ask('PUT', 'day', { limitMicros: '1' })
  await owner.ask('PUT', 'hour', { limitMicros: '1' })
  expect((await owner.ask('DELETE', 'hour')).status).toBe(204)
  expect((await owner.ask('DELETE', 'hour')).body.code).toBe('NOT_FOUND')
  const { db } = api.context
  expect((await exportAccount(db, owner.accountId)).spending).toEqual([{ period: 'day', limitMicros: '1' }])
  await eraseAccount(db, api.context.store, owner.accountId)
  expect((await exportAccount(db, owner.accountId)).spending).toEqual([])
})
