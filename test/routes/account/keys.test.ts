import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../sql/account.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findOrCreateAccount } from '../../../sql/session.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { signInByLink } from '../../support/browser/sign-in.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ TEST_CHECKOUT: 'true' })
  for (const name of ['rate.sign_in_per_minute', 'rate.mail_per_minute'])
    await writeSetting(api.context.db, name, 1_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function signInOwner(email: string, micros = 0n) {
  const session = await signInByLink(api, email)
  const accountId = await findOrCreateAccount(api.context.db, { provider: 'email', subject: email, isTest: true })
  if (micros > 0n) await creditAccount(api.context.db, { accountId, amountMicros: micros })
  const headers = { origin: session.origin, cookie: session.cookie, 'x-csrf-token': session.csrf }
  const request = (method: 'GET' | 'PUT' | 'DELETE', prefix: string, payload?: object) =>
    api.app.inject({ method, url: `/v1/account/api-keys${prefix}`, headers, payload })
  const regenerate = async (payload: object = {}) => session.post('/v1/account/api-keys/regenerate', payload)
  return { ...session, accountId, request, regenerate }
}

function call(key: string, options: { payload?: object; url?: string; headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${key}`, ...options.headers }
  return api.app.inject({
    method: 'POST',
    url: options.url ?? '/v1/utils/uuid',
    payload: options.payload ?? {},
    headers,
  })
}

test('a key is shown once, rotated and revoked; a stale prefix returns the current one', async () => {
  const { request, regenerate } = await signInOwner('keys@example.com', 10_000n)
  expect((await request('DELETE', '/svc_test_00000000')).statusCode).toBe(404)
  const first = (await regenerate()).json()
  expect(first.apiKey).toMatch(/^svc_test_[0-9a-f]{32}$/)
  const { data } = (await request('GET', '')).json()
  expect(data).toEqual([first.key])
  expect(JSON.stringify(data)).not.toContain(first.apiKey)
  expect((await call(first.apiKey)).statusCode).toBe(200)
  const second = (await regenerate()).json()
  expect([(await call(first.apiKey)).statusCode, (await call(second.apiKey)).statusCode]).toEqual([401, 200])
  const stale = await request('DELETE', `/${first.key.prefix}`)
  expect([stale.statusCode, stale.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'KEY_NOT_CURRENT', currentPrefix: second.key.prefix }),
  ])
  expect((await regenerate({ prefix: first.key.prefix })).statusCode).toBe(409)
  expect((await request('DELETE', `/${second.key.prefix}`)).statusCode).toBe(204)
  expect((await call(second.apiKey)).statusCode).toBe(401)
})

test('ten concurrent rotations leave one key', async () => {
  const { request, regenerate } = await signInOwner('race@example.com')
  const { key } = (await regenerate()).json()
  const answers = await Promise.all(Array.from({ length: 10 }, () => regenerate({ prefix: key.prefix })))
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
  expect((await request('GET', '')).json().data).toHaveLength(1)
})

test("an account cannot revoke or limit another account's key", async () => {
  const [own, other] = [await signInOwner('mine@example.com'), await signInOwner('theirs@example.com')]
  await own.regenerate()
  const { key } = (await other.regenerate()).json()
  expect((await own.request('DELETE', `/${key.prefix}`)).statusCode).toBe(409)
  expect((await own.request('PUT', `/${key.prefix}`, { callCapUsd: '1', dailyCapUsd: null })).statusCode).toBe(404)
  expect((await other.request('GET', '')).json().data).toHaveLength(1)
})

test('of two hundred concurrent calls, a daily limit for fifty accepts fifty', async () => {
  const { request, regenerate, accountId } = await signInOwner('cap@example.com', 1_000_000n)
  const { apiKey, key } = (await regenerate()).json()
  const limited = await request('PUT', `/${key.prefix}`, { callCapUsd: null, dailyCapUsd: '0.05' })
  expect(limited.json()).toMatchObject({ dailyCapMicros: '50000', callCapMicros: null })
  const answers = await Promise.all(Array.from({ length: 200 }, () => call(apiKey)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(50)
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!
  expect([refused.statusCode, refused.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'SPEND_LIMIT_REACHED', limit: 'day', capMicros: '50000', spentMicros: '50000' }),
  ])
  expect(Date.parse(refused.json().resetsAt)).toBeGreaterThan(Date.now())
  expect((await request('GET', '')).json().data[0].spentTodayMicros).toBe('50000')
  const headers = { authorization: `Bearer ${apiKey}` }
  expect((await api.app.inject({ url: '/v1/account', headers })).json()).toMatchObject({
    id: accountId,
    balanceMicros: '950000',
  })
  const next = (await regenerate()).json()
  expect((await call(next.apiKey)).json().code).toBe('SPEND_LIMIT_REACHED')
})

test('a call above the limit per call is refused and costs nothing', async () => {
  const { request, regenerate } = await signInOwner('each@example.com', 10_000n)
  const { apiKey, key } = (await regenerate()).json()
  await request('PUT', `/${key.prefix}`, { callCapUsd: '0.0009', dailyCapUsd: null })
  const answer = await call(apiKey)
  expect([answer.statusCode, answer.json()]).toEqual([
    403,
    expect.objectContaining({ limit: 'call', capMicros: '900', amountMicros: '1000' }),
  ])
  await request('PUT', `/${key.prefix}`, { callCapUsd: '0.001', dailyCapUsd: null })
  expect((await call(apiKey)).statusCode).toBe(200)
})

test('a released amount no longer counts towards the limit', async () => {
  const { request, regenerate } = await signInOwner('back@example.com', 10_000n)
  const { apiKey, key } = (await regenerate()).json()
  await request('PUT', `/${key.prefix}`, { callCapUsd: null, dailyCapUsd: '0.001' })
  const later = { url: '/v1/text/slugify', payload: { text: 'a' }, headers: { prefer: 'respond-async' } }
  const { ticket } = (await call(apiKey, later)).json()
  expect((await call(apiKey)).statusCode).toBe(403)
  const headers = { authorization: `Bearer ${apiKey}` }
  expect((await api.app.inject({ method: 'DELETE', url: `/v1/jobs/${ticket}`, headers })).statusCode).toBe(200)
  expect((await call(apiKey)).statusCode).toBe(200)
})

test.each(['0', '-1', '1e3', 'x', '0.0000001', '99999999'])('%s is not a valid limit', async amount => {
  const { request, regenerate } = await signInOwner('odd@example.com')
  const { key } = (await regenerate()).json()
  const answer = await request('PUT', `/${key.prefix}`, { callCapUsd: amount, dailyCapUsd: null })
  expect([answer.statusCode, answer.json().field]).toEqual([400, 'callCapUsd'])
})

test('what a key without limits has spent today is told', async () => {
  const { request, regenerate } = await signInOwner('no-limits@example.com', 10_000n)
  const { apiKey } = (await regenerate()).json()
  expect([(await call(apiKey)).statusCode, (await call(apiKey)).statusCode]).toEqual([200, 200])
  expect((await request('GET', '')).json().data[0]).toMatchObject({ dailyCapMicros: null, spentTodayMicros: '2000' })
})
