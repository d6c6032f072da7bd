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
  expect(await owner.readSubjects()).toEqual(['0.002 USD spent within one day'])
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

test('what is spent after the last check of an hour is reported in the next one, but not what was before the alarm', async () => {
  const { db } = api.context
  const [owner, later] = [await openOwner(), await openOwner()]
  for (const { spend, ask } of [owner, later]) {
    await spend()
    await ask('PUT', 'hour', { limitMicros: '1000' })
  }
  const settle = "update svc.spend_alarm set told_for = spending.find_start('hour') where account_id = $1"
  const readSettled =
    "select told_for = spending.find_previous('hour') as is_previous from svc.spend_alarm where account_id = $1"
  expect(await rows(db, readSettled, [owner.accountId])).toEqual([{ is_previous: true }])
  // As if this alarm had been set in the next hour.
  await rows(db, settle, [later.accountId])
  const checkInNextHour = (minutes: number) =>
    value(db, "select spending.check_alarms(spending.find_start('hour') + make_interval(hours => 1, mins => $1))", [
      minutes,
    ])
  expect(await checkInNextHour(15)).toBe(0)
  expect(await checkInNextHour(5)).toBe(1)
  expect(await checkInNextHour(6)).toBe(0)
  expect(await owner.readSubjects()).toEqual(['0.001 USD spent within one hour'])
  expect(await later.readSubjects()).toEqual([])
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
