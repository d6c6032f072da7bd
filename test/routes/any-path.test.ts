import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false })
})
afterAll(() => stack[Symbol.asyncDispose]())

test.each(['/v1', '/v1/nothing', '/v1/utils/nothing', '/v2/utils/hash', '/v1/utils/hash/more', '/%2e%2e/etc/passwd'])(
  'nothing is at %s',
  async path => {
    for (const method of ['GET', 'POST']) {
      const answer = await stack.stranger.ask(path, { method, body: method === 'POST' ? {} : undefined })
      expect([answer.status, answer.body]).toEqual([404, { error: expect.any(String), code: 'NOT_FOUND' }])
    }
  },
)

test.each([
  ['GET', '/v1/utils/hash', ['POST']],
  ['DELETE', '/v1/account', ['GET']],
  ['POST', '/v1/jobs/x', ['DELETE', 'GET']],
])('%s %s is told which methods there are', async (method, path, allowed) => {
  const answer = await stack.stranger.ask(path, { method })
  expect([answer.status, answer.body]).toEqual([405, expect.objectContaining({ code: 'METHOD_NOT_ALLOWED', allowed })])
  expect(answer.headers.get('allow')).toBe(allowed.join(', '))
})

test('a slash at the end of a path changes nothing', async () => {
  const customer = await stack.customer()
  expect((await customer.post('/v1/utils/uuid/', {})).status).toBe(200)
})

test('a browser of any origin may ask, without cookies, and sees the headers that matter', async () => {
  const headers = { origin: 'https://agent.example', 'access-control-request-method': 'POST' }
  const preflight = await stack.stranger.ask('/v1/utils/hash', { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  const allowed = preflight.headers.get('access-control-allow-headers')!.split(/, */)
  for (const name of ['authorization', 'content-type', 'idempotency-key', 'prefer', 'payment-signature']) {
    expect(allowed).toContain(name)
  }
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  const answer = await stack.stranger.post('/v1/utils/hash', { text: 'a' }, { origin: 'https://agent.example' })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([402, '*'])
  const exposed = answer.headers.get('access-control-expose-headers')!.split(/, */)
  for (const name of ['PAYMENT-REQUIRED', 'X-Service-Charged-Micros', 'X-Service-Job-Id', 'Retry-After', 'RateLimit']) {
    expect(exposed).toContain(name)
  }
})

test('every answer has an id of its own, whatever the caller sends', async () => {
  const ask = () => stack.stranger.ask('/health', { headers: { 'x-request-id': 'mine' } })
  const ids = [await ask(), await ask()].map(({ headers }) => headers.get('x-request-id')!)
  expect(ids.every(id => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
  expect(ids[0]).not.toBe(ids[1])
})
