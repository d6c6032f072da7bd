import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
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

test('an account has several keys, each with a name, limits and a last use of its own', async () => {
  const { request, post } = await signInOwner('several@example.com', 10_000n)
  const create = async (body: object) => (await post('/v1/account/api-keys', body)).json()
  const reader = await create({ name: ' invoice\u200b agent ', dailyCapUsd: '2' })
  const writer = await create({})
  expect(reader.key).toMatchObject({ name: 'invoice agent', dailyCapMicros: '2000000', lastUsedAt: null, endsAt: null })
  expect(writer.key).toMatchObject({ name: null, dailyCapMicros: null })
  expect([(await call(reader.apiKey)).statusCode, (await call(writer.apiKey)).statusCode]).toEqual([200, 200])
  const renamed = await request('PUT', `/${writer.key.prefix}`, { name: 'writer' })
  expect(renamed.json()).toMatchObject({ name: 'writer', callCapMicros: null })
  const unlimited = await request('PUT', `/${reader.key.prefix}`, { dailyCapUsd: null })
  expect(unlimited.json()).toMatchObject({ name: 'invoice agent', dailyCapMicros: null })
  const { data } = (await request('GET', '')).json()
  expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(['invoice agent', 'writer'])
  for (const { lastUsedAt } of data) expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(60_000)
})

test('an account has at most fifty keys', async () => {
  const { post } = await signInOwner('many@example.com')
  const create = async () => (await post('/v1/account/api-keys', {})).statusCode
  for (let count = 0; count < 50; count += 10) await Promise.all(Array.from({ length: 10 }, create))
  const refused = await post('/v1/account/api-keys', {})
  expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'TOO_MANY_KEYS', limit: 50 }])
})

test('a replaced key works on for its grace, and both count towards the same limit', async () => {
  const { request, regenerate, post } = await signInOwner('grace@example.com', 100_000n)
  const first = (await post('/v1/account/api-keys', { name: 'agent', dailyCapUsd: '0.004' })).json()
  expect((await call(first.apiKey)).statusCode).toBe(200)
  const second = (await regenerate({ prefix: first.key.prefix, graceHours: 24 })).json()
  expect(second.key).toMatchObject({ name: 'agent', dailyCapMicros: '4000', spentTodayMicros: '1000', endsAt: null })
  const { data } = (await request('GET', '')).json()
  expect(data).toMatchObject([{ prefix: second.key.prefix }, { prefix: first.key.prefix }])
  expect(Date.parse(data[1].endsAt) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect((await regenerate({ prefix: first.key.prefix })).json().code).toBe('KEY_NOT_CURRENT')
  expect((await request('PUT', `/${first.key.prefix}`, { dailyCapUsd: '9' })).statusCode).toBe(404)
  const third = (await regenerate({ graceHours: 1 })).json()
  const answers = []
  for (const { apiKey } of [first, second, third, first]) answers.push((await call(apiKey)).statusCode)
  expect(answers).toEqual([200, 200, 200, 403])
  expect((await request('GET', '')).json().data[0]).toMatchObject({
    prefix: third.key.prefix,
    spentTodayMicros: '4000',
  })
  expect((await request('DELETE', `/${first.key.prefix}`)).statusCode).toBe(204)
  expect([(await call(first.apiKey)).statusCode, (await call(second.apiKey)).statusCode]).toEqual([401, 403])
  await rows(api.context.db, 'update svc.api_key set ends_at = now() where prefix = $1', [second.key.prefix])
  api.context.keys.forget()
  expect((await call(second.apiKey)).statusCode).toBe(401)
})

test('what is given back of a replaced key counts on its successor', async () => {
  const { request, regenerate } = await signInOwner('given-back@example.com', 10_000n)
  const { apiKey } = (await regenerate()).json()
  const later = { url: '/v1/text/slugify', payload: { text: 'a' }, headers: { prefer: 'respond-async' } }
  const { ticket } = (await call(apiKey, later)).json()
  const next = (await regenerate({ graceHours: 1 })).json()
  expect(next.key.spentTodayMicros).toBe('1000')
  const headers = { authorization: `Bearer ${next.apiKey}` }
  expect((await api.app.inject({ method: 'DELETE', url: `/v1/jobs/${ticket}`, headers })).statusCode).toBe(200)
  expect((await request('GET', '')).json().data[0].spentTodayMicros).toBe('0')
})

test('the ledger is filtered by day, operation and key', async () => {
  const { post } = await signInOwner('filters@example.com', 10_000n)
  const [one, other] = [
    (await post('/v1/account/api-keys', {})).json(),
    (await post('/v1/account/api-keys', {})).json(),
  ]
  await call(one.apiKey)
  await call(other.apiKey)
  await call(other.apiKey, { url: '/v1/utils/hash', payload: { text: 'a' } })
  const headers = { authorization: `Bearer ${one.apiKey}` }
  const list = async (query: string) => {
    const { statusCode, body } = await api.app.inject({ url: `/v1/account/ledger?${query}`, headers })
    if (statusCode !== 200) return `${statusCode} ${JSON.parse(body).field}`
    return JSON.parse(body).data.map(({ serviceKey }: { serviceKey?: string }) => serviceKey ?? 'topup')
  }
  expect(await list(`key=${other.key.prefix}`)).toEqual(['utils.hash', 'utils.uuid'])
  expect(await list('operation=utils.uuid')).toEqual(['utils.uuid', 'utils.uuid'])
  expect(await list(`key=${one.key.prefix}&operation=utils.hash`)).toEqual([])
  const day = new Date().toISOString().slice(0, 10)
  const before = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  expect(await list(`from=${before}&to=${day}`)).toHaveLength(4)
  expect(await list(`from=2000-01-01&to=2000-12-31`)).toEqual([])
  for (const odd of ['from=2026-02-31', 'to=today', 'operation=%00', 'key=%27', 'from=0000-01-01'])
    expect(await list(odd), odd).toMatch(/^400 (from|to|operation|key)$/)
})
