import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../api/intake/identity/caller.ts'
import { requireAllowedUrl } from '../../../api/products/webhook/registration.ts'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openPaidApi } from '../../support/chain/in-process-paid-api.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Ask = (
  method: Method,
  path: string,
  payload?: object,
) => Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>

async function openCustomer(mode: 'test' | 'live' = 'live'): Promise<Ask> {
  const { db, config } = api.context
  const { id } = await createAccount(db)
  const key = await createKey(db, { accountId: id, mode, hash: word => hashApiKey(config.secret, word) })
  return async (method, path, payload) => {
    const headers = { authorization: `Bearer ${key}` }
    const reply = await api.app.inject({ method, url: `/v1/webhooks${path}`, headers, payload })
    return { status: reply.statusCode, body: reply.body && reply.json() }
  }
}

const HOOK = { url: 'https://93.184.216.34/hooks', events: ['job.completed'] }

test('a webhook is registered, read, changed and deleted, and its secret is shown once', async () => {
  const ask = await openCustomer()
  const created = await ask('POST', '', { ...HOOK, description: 'mine' })
  expect(created).toMatchObject({
    status: 201,
    body: {
      ...HOOK,
      description: 'mine',
      active: true,
      consecutiveFailures: 0,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    },
  })
  const { secret, ...webhook } = created.body
  const { id } = webhook
  expect(await ask('GET', `/${id}`)).toEqual({ status: 200, body: webhook })
  expect(await ask('GET', '')).toEqual({ status: 200, body: { data: [webhook] } })
  const changed = await ask('PUT', `/${id}`, { description: null, active: false, url: 'https://93.184.216.34/other' })
  expect(changed.body).toMatchObject({ id, description: null, active: false, url: 'https://93.184.216.34/other' })
  expect(changed.body).not.toHaveProperty('secret')
  expect(await ask('GET', `/${id}/deliveries`)).toMatchObject({
    status: 200,
    body: { data: [], pagination: { hasMore: false } },
  })
  const stored = await rows(api.context.db, 'select e::text as webhook from svc.webhook_endpoint e')
  expect(JSON.stringify(stored)).toContain(id)
  expect(JSON.stringify(stored)).not.toContain(secret.slice(6))
  expect((await ask('DELETE', `/${id}`)).status).toBe(204)
  expect((await ask('GET', `/${id}`)).status).toBe(404)
})

const EVENTS = [
  ...['balance_low', 'key_revoked', 'spend_alarm'].map(of => `account.${of}`),
  'bridge.ask.replied',
  ...['active', 'declined', 'disputed', 'expired', 'ruled', 'signed', 'superseded', 'withdrawn'].map(
    of => `contract.${of}`,
  ),
  ...['cancelled', 'completed', 'expired', 'rejected', 'sent', 'signed', 'viewed'].map(of => `envelope.${of}`),
  ...['job.completed', 'screening.changed'],
  ...['age_check', 'completed', 'document_processed', 'expired', 'failed', 'manual_review', 'started'].map(
    of => `verification.${of}`,
  ),
]

test('an unknown event is refused with the list of those that there are', async () => {
  const ask = await openCustomer()
  const list = (await api.app.inject({ method: 'GET', url: '/v1/webhooks/events' })).json()
  // Those of one object are registered with it, and a test is asked for by its own route.
  expect([...list.events].sort()).toEqual(EVENTS)
  for (const events of [['job.completed', 'no.such'], ['baton.written'], ['webhook.test'], []]) {
    const refused = await ask('POST', '', { ...HOOK, events })
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_EVENTS', ...list } })
  }
  expect((await ask('GET', '')).body.data).toEqual([])
})

test.each([
  ['http://127.0.0.1/hook', 'not a public address'],
  ['https://localhost/hook', 'not a public address'],
  ['https://[::1]/hook', 'not a public address'],
  ['https://[::ffff:10.0.0.1]/hook', 'not a public address'],
  ['https://10.1.2.3/hook', 'not a public address'],
  ['https://192.168.1.1/hook', 'not a public address'],
  ['https://169.254.169.254/latest/meta-data', 'not a public address'],
  ['https://2130706433/hook', 'not a public address'],
  ['https://[fe80::1]/hook', 'not a public address'],
  ['https://[fd00::1]/hook', 'not a public address'],
  ['https://93.184.216.34:25/hook', 'not a port for web servers'],
  ['https://a:b@93.184.216.34/hook', 'the URL contains a user name or password'],
  ['file:///etc/passwd', 'not an http or https URL'],
  ['gopher://93.184.216.34/', 'not an http or https URL'],
  ['http://93.184.216.34/hook', 'not an https URL'],
  ['//nowhere', 'not a URL'],
])('the address %s is refused: %s', async (url, reason) => {
  const ask = await openCustomer()
  const refused = { status: 422, body: { code: 'WEBHOOK_URL_REFUSED', field: 'url', reason } }
  expect(await ask('POST', '', { ...HOOK, url })).toMatchObject(refused)
  const { body } = await ask('POST', '', HOOK)
  expect(await ask('PUT', `/${body.id}`, { url })).toMatchObject(refused)
})

test('the refusal of a private address names the setting that allows it, with which localhost is reached too', async () => {
  const url = 'http://localhost:9999/hook'
  const refused = await (await openCustomer('test'))('POST', '', { ...HOOK, url })
  expect(refused.body).toMatchObject({ set: 'WEBHOOK_NETWORKS', example: 'WEBHOOK_NETWORKS=127.0.0.1 npm start' })
  const config = { ...api.context.config, webhookNetworks: ['127.0.0.1'] }
  const caller = { mode: 'test' } as Caller
  expect(await requireAllowedUrl({ ...api.context, config }, caller, url)).toBe(url)
})

test('only test keys may use plain http', async () => {
  const ask = await openCustomer('test')
  expect((await ask('POST', '', { ...HOOK, url: 'http://93.184.216.34/hook' })).status).toBe(201)
})

test('a webhook of another account is as unknown as one that never was', async () => {
  const [owner, other] = [await openCustomer(), await openCustomer()]
  const { id } = (await owner('POST', '', HOOK)).body
  const calls: [Method, string, object?][] = [
    ['GET', ''],
    ['PUT', '', { active: false }],
    ['DELETE', ''],
    ['GET', '/deliveries'],
    ['GET', `/deliveries/${id}`],
    ['POST', `/deliveries/${id}/redeliver`],
    ['POST', '/redeliver', { since: '2026-01-01T00:00:00Z' }],
    ['POST', '/rotate-secret', {}],
    ['POST', '/test'],
  ]
  for (const [method, path, payload] of calls) {
    const answers = []
    for (const someId of [id, crypto.randomUUID(), 'no-id'])
      answers.push(await other(method, `/${someId}${path}`, payload))
    expect(answers[0], path).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  }
  expect((await owner('GET', `/${id}`)).body.active).toBe(true)
})

test('an account has a limited number of webhooks', async () => {
  const ask = await openCustomer()
  await writeSetting(api.context.db, 'webhook.max_per_account', 2)
  await api.context.settings.refresh()
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', '', HOOK)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({
    status: 409,
    body: { code: 'TOO_MANY_WEBHOOKS', limit: 2 },
  })
  await writeSetting(api.context.db, 'webhook.max_per_account', null)
  await api.context.settings.refresh()
})

test('callers without credentials are refused', async () => {
  const reply = await api.app.inject({ method: 'POST', url: '/v1/webhooks', payload: HOOK })
  expect([reply.statusCode, reply.json().code]).toEqual([401, 'MISSING_AUTH'])
})

test('a wallet registers with its payment signature, which is not charged', async () => {
  await using paid = await openPaidApi()
  const wallet = paid.chain.wallet()
  const send = (method: Method, path: string, payload?: object) =>
    paid.app.inject({
      method,
      url: `/v1/webhooks${path}`,
      headers: { 'payment-signature': wallet.pay(10_000n) },
      payload,
    })
  const created = await send('POST', '', HOOK)
  expect([created.statusCode, created.json().active]).toEqual([201, true])
  const { id } = created.json()
  expect((await send('PUT', `/${id}`, { active: false })).json()).toMatchObject({ id, active: false })
  expect((await send('DELETE', `/${id}`)).statusCode).toBe(204)
  expect(await rows(paid.context.db, 'select * from svc.chunk')).toEqual([])
})

test('a credential of a kind that a route does not name does not open it', async () => {
  const own = {
    name: 'only.wallets',
    family: 'only',
    at: 'GET /v1/only-wallets',
    summary: '',
    auth: ['wallet'],
  } as const
  const route = { ...own, reply: { status: 200 }, errors: [], handle: () => ({}) } as never
  await using other = await openInProcessApi({}, undefined, [route])
  const { db, config } = other.context
  const { id } = await createAccount(db)
  const key = await createKey(db, { accountId: id, mode: 'test', hash: word => hashApiKey(config.secret, word) })
  const headers = { authorization: `Bearer ${key}` }
  const reply = await other.app.inject({ method: 'GET', url: '/v1/only-wallets', headers })
  expect([reply.statusCode, reply.json().code]).toEqual([403, 'FORBIDDEN'])
})

test('OpenAPI describes what each event sends', async () => {
  const { webhooks } = (await api.app.inject({ method: 'GET', url: '/openapi.json' })).json()
  const { parameters, requestBody } = webhooks['job.completed'].post
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'X-Service-Signature']
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(headers))
  const { schema } = requestBody.content['application/json']
  expect(schema.required).toEqual(['type', 'timestamp', 'sequence', 'jobId', 'serviceKey', 'status'])
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['actualMicros', 'result', 'errorReason']))
})
