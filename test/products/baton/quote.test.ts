import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const quote = (payload: object) => api.app.inject({ method: 'POST', url: '/v1/baton/quote', payload })

test('a quote is free, needs no credentials and agrees with the price list', async () => {
  const prices = (await api.app.inject('/v1/baton/prices')).json()
  expect(prices.presets.map(({ preset }: { preset: string }) => preset)).toEqual([
    'drop',
    'pass',
    'scratchpad',
    'checkpoint',
    'ledger',
    'witness',
    'vector',
  ])
  for (const listed of prices.tiers) {
    const answer = await quote({ preset: 'drop', tier: listed.tier })
    expect([answer.statusCode, answer.json().quote, answer.json().shape]).toEqual([200, listed.quote, listed.shape])
  }
})

test.each([
  [{ preset: 'vault', tier: 'nano' }, 404, 'PRECONFIG_NOT_FOUND'],
  [{ preset: 'drop', tier: 'huge' }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop', customShape: { sizeBytes: '-1', durationSeconds: 1, maxEgressBytes: 1 } }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop' }, 422, 'INVALID_SHAPE'],
  [{ preset: 'drop', tier: 'nano', flags: { hashChaining: true } }, 422, 'FLAG_DEPENDENCY_UNMET'],
])('%j is answered with %i %s', async (payload, status, code) => {
  const answer = await quote(payload)
  expect([answer.statusCode, answer.json().code]).toEqual([status, code])
})

test("an operator's rates change the quote", async () => {
  const { db, settings } = api.context
  await writeSetting(db, 'baton.rate.base_micros', 5_000)
  await settings.refresh()
  const { quote: changed } = (await quote({ preset: 'drop', tier: 'femto' })).json()
  expect(changed.lines[0]).toMatchObject({ line: 'base', amountMicros: '5000' })
  await writeSetting(db, 'baton.rate.base_micros', null)
  await settings.refresh()
})

test('the storage describes itself to everyone', async () => {
  const info = await api.app.inject('/v1/baton/system/info')
  expect([info.statusCode, info.json()]).toMatchObject([
    200,
    {
      presets: expect.arrayContaining(['pass']),
      limits: { tokens: 100 },
      eventTriggers: expect.arrayContaining(['baton.written']),
    },
  ])
  const egress = await api.app.inject('/v1/baton/system/egress-ips')
  expect([egress.statusCode, egress.json()]).toMatchObject([200, { dynamic: true, ips: [] }])
})
