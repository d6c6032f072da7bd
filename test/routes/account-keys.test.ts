import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../sql/account.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { accountOf } from '../../sql/session.ts'
import { writeSetting } from '../../sql/setting.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { signedIn } from '../support/signed-in.ts'

let door: FrontDoor
beforeAll(async () => {
  door = await openFrontDoor({ TEST_CHECKOUT: 'true' })
  for (const name of ['rate.sign_in_per_minute', 'rate.mail_per_minute']) await writeSetting(door.floor.db, name, 1_000)
  await door.floor.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(door.floor.db)).toEqual([])
  await door[Symbol.asyncDispose]()
})

async function owner(email: string, micros = 0n) {
  const session = await signedIn(door, email)
  const accountId = await accountOf(door.floor.db, { provider: 'email', subject: email, isTest: true })
  if (micros > 0n) await creditAccount(door.floor.db, { accountId, amountMicros: micros })
  const headers = { origin: session.origin, cookie: session.cookie, 'x-csrf-token': session.csrf }
  const ask = (method: 'GET' | 'PUT' | 'DELETE', prefix: string, payload?: object) =>
    door.app.inject({ method, url: `/v1/account/api-keys${prefix}`, headers, payload })
  const regenerate = async (payload: object = {}) => session.post('/v1/account/api-keys/regenerate', payload)
  return { ...session, accountId, ask, regenerate }
}

function call(key: string, more: { payload?: object; url?: string; headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${key}`, ...more.headers }
  return door.app.inject({ method: 'POST', url: more.url ?? '/v1/utils/uuid', payload: more.payload ?? {}, headers })
}

test('a key is shown once, rotated and ended; who names an old one is told the current one', async () => {
  const { ask, regenerate } = await owner('keys@example.com', 10_000n)
  expect((await ask('DELETE', '/svc_test_00000000')).statusCode).toBe(404)
  const first = (await regenerate()).json()
  expect(first.apiKey).toMatch(/^svc_test_[0-9a-f]{32}$/)
  const { data } = (await ask('GET', '')).json()
  expect(data).toEqual([first.key])
  expect(JSON.stringify(data)).not.toContain(first.apiKey)
  expect((await call(first.apiKey)).statusCode).toBe(200)
  const second = (await regenerate()).json()
  expect([(await call(first.apiKey)).statusCode, (await call(second.apiKey)).statusCode]).toEqual([401, 200])
  const stale = await ask('DELETE', `/${first.key.prefix}`)
  expect([stale.statusCode, stale.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'KEY_NOT_CURRENT', currentPrefix: second.key.prefix }),
  ])
  expect((await regenerate({ prefix: first.key.prefix })).statusCode).toBe(409)
  expect((await ask('DELETE', `/${second.key.prefix}`)).statusCode).toBe(204)
  expect((await call(second.apiKey)).statusCode).toBe(401)
})

test('of ten rotations at once, one key is left', async () => {
  const { ask, regenerate } = await owner('race@example.com')
  const { key } = (await regenerate()).json()
  const answers = await Promise.all(Array.from({ length: 10 }, () => regenerate({ prefix: key.prefix })))
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
  expect((await ask('GET', '')).json().data).toHaveLength(1)
})

test("nobody ends or limits another account's key", async () => {
  const [mine, theirs] = [await owner('mine@example.com'), await owner('theirs@example.com')]
  await mine.regenerate()
  const { key } = (await theirs.regenerate()).json()
  expect((await mine.ask('DELETE', `/${key.prefix}`)).statusCode).toBe(409)
  expect((await mine.ask('PUT', `/${key.prefix}`, { callCapUsd: '1', dailyCapUsd: null })).statusCode).toBe(404)
  expect((await theirs.ask('GET', '')).json().data).toHaveLength(1)
})

test('two hundred calls at once on a daily limit for fifty: fifty are taken', async () => {
  const { ask, regenerate, accountId } = await owner('cap@example.com', 1_000_000n)
  const { apiKey, key } = (await regenerate()).json()
  const limited = await ask('PUT', `/${key.prefix}`, { callCapUsd: null, dailyCapUsd: '0.05' })
  expect(limited.json()).toMatchObject({ dailyCapMicros: '50000', callCapMicros: null })
  const answers = await Promise.all(Array.from({ length: 200 }, () => call(apiKey)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(50)
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!
  expect([refused.statusCode, refused.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'SPEND_LIMIT_REACHED', limit: 'day', capMicros: '50000', spentMicros: '50000' }),
  ])
  expect(Date.parse(refused.json().resetsAt)).toBeGreaterThan(Date.now())
  expect((await ask('GET', '')).json().data[0].spentTodayMicros).toBe('50000')
  const headers = { authorization: `Bearer ${apiKey}` }
  expect((await door.app.inject({ url: '/v1/account', headers })).json()).toMatchObject({
    id: accountId,
    balanceMicros: '950000',
  })
  const next = (await regenerate()).json()
  expect((await call(next.apiKey)).json().code).toBe('SPEND_LIMIT_REACHED')
})

test('a call above the limit of a call is refused and costs nothing', async () => {
  const { ask, regenerate } = await owner('each@example.com', 10_000n)
  const { apiKey, key } = (await regenerate()).json()
  await ask('PUT', `/${key.prefix}`, { callCapUsd: '0.0009', dailyCapUsd: null })
  const answer = await call(apiKey)
  expect([answer.statusCode, answer.json()]).toEqual([
    403,
    expect.objectContaining({ limit: 'call', capMicros: '900', amountMicros: '1000' }),
  ])
  await ask('PUT', `/${key.prefix}`, { callCapUsd: '0.001', dailyCapUsd: null })
  expect((await call(apiKey)).statusCode).toBe(200)
})

test('what is released is given back to the limit', async () => {
  const { ask, regenerate } = await owner('back@example.com', 10_000n)
  const { apiKey, key } = (await regenerate()).json()
  await ask('PUT', `/${key.prefix}`, { callCapUsd: null, dailyCapUsd: '0.001' })
  const later = { url: '/v1/text/slugify', payload: { text: 'a' }, headers: { prefer: 'respond-async' } }
  const { ticket } = (await call(apiKey, later)).json()
  expect((await call(apiKey)).statusCode).toBe(403)
  const headers = { authorization: `Bearer ${apiKey}` }
  expect((await door.app.inject({ method: 'DELETE', url: `/v1/jobs/${ticket}`, headers })).statusCode).toBe(200)
  expect((await call(apiKey)).statusCode).toBe(200)
})

test.each(['0', '-1', '1e3', 'x', '0.0000001', '99999999'])('%s is no limit', async amount => {
  const { ask, regenerate } = await owner('odd@example.com')
  const { key } = (await regenerate()).json()
  const answer = await ask('PUT', `/${key.prefix}`, { callCapUsd: amount, dailyCapUsd: null })
  expect([answer.statusCode, answer.json().field]).toEqual([400, 'callCapUsd'])
})
