import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

test.each(['/v1', '/v1/nothing', '/v1/utils/nothing', '/v2/utils/hash', '/v1/utils/hash/more', '/%2e%2e/etc/passwd'])(
  '%s is not found',
  async path => {
    for (const method of ['GET', 'POST']) {
      const answer = await stack.anonymous.request(path, { method, body: method === 'POST' ? {} : undefined })
      expect([answer.status, answer.body]).toMatchObject([404, { error: expect.any(String), code: 'NOT_FOUND' }])
    }
  },
)

test.each([
  ['PUT', '/v1/utils/hash', ['GET', 'POST']],
  ['DELETE', '/v1/account', ['GET']],
  ['POST', '/v1/jobs/x', ['DELETE', 'GET']],
])('%s %s returns the allowed methods', async (method, path, allowed) => {
  const answer = await stack.anonymous.request(path, { method })
  expect([answer.status, answer.body]).toEqual([405, expect.objectContaining({ code: 'METHOD_NOT_ALLOWED', allowed })])
  expect(answer.headers.get('allow')).toBe(allowed.join(', '))
})

test.each([
  ['POST', '/v1/pdf/roate', 'POST /v1/pdf/rotate'],
  ['POST', '/v1/utils/hsah', 'POST /v1/utils/hash'],
  ['POST', '/utils/hash', 'POST /v1/utils/hash'],
  ['POST', '/v1/utils.hash', 'POST /v1/utils/hash'],
  ['POST', '/v1/pdf/resize', 'POST /v1/image/resize'],
  ['GET', '/v1/price', 'GET /v1/prices'],
  ['POST', '/v1/pipeline/run', 'POST /v1/pipeline'],
  ['POST', '/v1/account/create-key', 'POST /v1/account/api-keys'],
  ['POST', '/v1/account/keys', 'POST /v1/account/api-keys'],
  ['GET', '/v1/account/alarms', 'GET /v1/account/spend-alarms'],
  ['POST', '/v1/responses', 'POST /v1/chat/completions'],
  ['POST', '/v1/audio/transcriptions', 'POST /v1/media/transcribe'],
  ['POST', '/v1/bridge/acquire-lock', 'POST /v1/bridge/locks/{name}'],
])('%s %s names the nearest path', async (method, path, didYouMean) => {
  const answer = await stack.anonymous.request(path, { method })
  expect(answer.body).toMatchObject({ code: 'NOT_FOUND', didYouMean, documentation: '/llms.txt' })
})

test('a path that is like no other gets no suggestion', async () => {
  const { body } = await stack.anonymous.get('/v1/zzzzzzzzzzzz/qqqqqqqqqqqq')
  expect(body).not.toHaveProperty('didYouMean')
})

test("GET on an operation's address returns its documentation, with an example that works as it stands", async () => {
  const { status, body } = await stack.anonymous.get('/v1/pdf/rotate')
  expect([status, body]).toMatchObject([
    200,
    {
      name: 'pdf.rotate',
      method: 'POST',
      path: '/v1/pdf/rotate',
      price: { description: expect.stringContaining('0.001 USD per'), rateMicros: '1000' },
    },
  ])
  expect(body.fields.required).toEqual(['file', 'degrees'])
  const customer = await stack.customer()
  const quote = await customer.post('/v1/utils/hash', {
    ...(await stack.anonymous.get('/v1/utils/hash')).body.example,
    dryRun: true,
  })
  expect(quote.status).toBe(200)
  const bytes = Buffer.from(body.example.file.inline, 'base64')
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
})

test('every operation has documentation at its own address', async () => {
  const { operations } = await loadCatalog()
  for (const { path, name, summary } of operations) {
    const { body } = await stack.anonymous.get(path)
    expect(body).toMatchObject({ name, summary, price: { unit: expect.any(String) }, example: expect.any(Object) })
  }
})

test('a trailing slash changes nothing', async () => {
  const customer = await stack.customer()
  expect((await customer.post('/v1/utils/uuid/', {})).status).toBe(200)
})

test('a slash at the end where an id may follow is an empty id, which finds nothing', async () => {
  const customer = await stack.customer()
  const id = '00000000-0000-4000-8000-000000000000'
  for (const path of ['/v1/jobs/', '/v1/jobs/?limit=1', '/v1/webhooks/', `/v1/webhooks/${id}/deliveries/`])
    expect([path, (await customer.get(path)).status]).toEqual([path, 404])
  expect((await customer.post('/v1/baton/', {})).status).toBe(404)
  expect((await customer.get('/v1/jobs')).status).toBe(200)
})

test('a browser of any origin may call, without cookies, and can read the relevant headers', async () => {
  const headers = { origin: 'https://agent.example', 'access-control-request-method': 'POST' }
  const preflight = await stack.anonymous.request('/v1/utils/hash', { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  const allowed = preflight.headers.get('access-control-allow-headers')!.split(/, */)
  for (const name of ['authorization', 'content-type', 'idempotency-key', 'prefer', 'payment-signature']) {
    expect(allowed).toContain(name)
  }
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  const answer = await stack.anonymous.post('/v1/utils/hash', { text: 'a' }, { origin: 'https://agent.example' })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([402, '*'])
  const exposed = answer.headers.get('access-control-expose-headers')!.split(/, */)
  for (const name of ['PAYMENT-REQUIRED', 'X-Service-Charged-Micros', 'X-Service-Job-Id', 'Retry-After', 'RateLimit']) {
    expect(exposed).toContain(name)
  }
})

test('a browser can read every header of our own', async () => {
  const customer = await stack.customer()
  const origin = { origin: 'https://agent.example' }
  const answers = [
    await customer.post('/v1/utils/hash', { text: 'a' }, { ...origin, 'idempotency-key': 'a' }),
    await customer.post('/v1/utils/hash', { text: 'a' }, { ...origin, 'idempotency-key': 'a' }),
    await customer.post('/v1/utils/hash', { text: 'a' }, { ...origin, prefer: 'respond-async' }),
    await customer.request('/v1/utils/hash', { method: 'PUT', headers: origin }),
    await stack.anonymous.post('/v1/utils/hash', { text: 'a' }, origin),
    await stack.anonymous.request('/v1/prices', { headers: origin }),
    await stack.anonymous.request('/v1/account', { headers: origin }),
  ]
  const transport = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'vary', 'access-control-allow-origin']
  for (const { headers } of answers) {
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(/, */)
    const ignored = [...transport, 'access-control-expose-headers']
    const sent = [...headers.keys()].filter(name => !ignored.includes(name))
    expect(exposed).toEqual(expect.arrayContaining(sent))
  }
})

test('every response has its own id, whatever the caller sends', async () => {
  const request = () => stack.anonymous.request('/health', { headers: { 'x-request-id': 'mine' } })
  const ids = [await request(), await request()].map(({ headers }) => headers.get('x-request-id')!)
  expect(ids.every(id => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
  expect(ids[0]).not.toBe(ids[1])
})
