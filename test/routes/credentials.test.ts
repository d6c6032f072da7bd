import { afterAll, beforeAll, expect, test } from 'vitest'
import { newApiKey } from '#kit'
import { suspendAccount } from '../../sql/account.ts'
import { listKeys, revokeKey } from '../../sql/key.ts'
import { clientOf } from '../support/client.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { eventually } from '../support/until.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ worker: false })
})
afterAll(() => stack[Symbol.asyncDispose]())

test('without credentials an operation names its price, and a broken body is told before that', async () => {
  const { stranger } = stack
  const answer = await stranger.post('/v1/utils/hash', { text: 'abc' })
  expect(answer.status).toBe(402)
  expect(answer.body).toMatchObject({
    error: 'PAYMENT_REQUIRED',
    code: 'PAYMENT_REQUIRED',
    x402Version: 2,
    serviceKey: 'utils.hash',
    accepts: [],
  })
  expect(answer.headers.get('payment-required')).toMatch(/^[\w+/=]+$/)
  expect((await stranger.post('/v1/utils/hash', { txt: 'abc' })).body.code).toBe('UNKNOWN_FIELD')
})

test.each(['/v1/account', '/v1/account/ledger', '/v1/jobs', '/v1/jobs/019a0000-0000-7000-8000-000000000001'])(
  'without credentials %s asks for them',
  async path => {
    const answer = await stack.stranger.get(path)
    expect([answer.status, answer.body.code]).toEqual([401, 'MISSING_AUTH'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  },
)

test.each([
  ['a key nobody has', `Bearer ${newApiKey('live')}`],
  ['a word that is no key', 'Bearer hello'],
  ['another scheme', 'Basic aGVsbG86d29ybGQ='],
  ['an empty header', 'Bearer '],
  ['a key with a letter more', `Bearer ${newApiKey('test')}0`],
])('%s is refused everywhere, also where no credentials are needed', async (_name, authorization) => {
  for (const path of ['/v1/account', '/v1/prices']) {
    const answer = await stack.stranger.ask(path, { headers: { authorization } })
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED'])
  }
  const call = await stack.stranger.post('/v1/utils/hash', { text: 'abc' }, { authorization })
  expect([call.status, call.body.code]).toEqual([401, 'UNAUTHENTICATED'])
})

test('a suspended account is refused at once, although its key was just used, and is let in again', async () => {
  const customer = await stack.customer()
  const codes = async () => {
    const answers = [await customer.get('/v1/account'), await customer.post('/v1/utils/hash', { text: 'abc' })]
    return answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim())
  }
  expect(await codes()).toEqual(['200', '200'])
  await suspendAccount(stack.db, customer.accountId, true)
  await eventually('the suspension', async () => (await customer.get('/v1/account')).status === 403, 2_000)
  expect(await codes()).toEqual(['403 ACCOUNT_SUSPENDED', '403 ACCOUNT_SUSPENDED'])
  expect((await customer.money()).balance).toBe(999_000n)
  await suspendAccount(stack.db, customer.accountId, false)
  await eventually('the end of the suspension', async () => (await customer.get('/v1/account')).status === 200, 2_000)
})

test('a revoked key ends at once, and the other keys of the account go on', async () => {
  const customer = await stack.customer()
  const other = await stack.keyOf(customer.accountId)
  expect((await customer.get('/v1/account')).status).toBe(200)
  const prefix = (await listKeys(stack.db, customer.accountId)).find(found => customer.key.startsWith(found.prefix))
  await revokeKey(stack.db, customer.accountId, prefix!.prefix)
  await eventually('the end of the key', async () => (await customer.get('/v1/account')).status === 401, 2_000)
  expect((await clientOf(stack.url, other).get('/v1/account')).status).toBe(200)
})

test('what belongs to another account is not there', async () => {
  const [mine, theirs] = [await stack.customer(), await stack.customer()]
  const { body } = await theirs.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  const random = '019a0000-0000-7000-8000-000000000001'
  for (const id of [body.ticket, random, 'no-uuid', '..']) {
    expect((await mine.get(`/v1/jobs/${id}`)).text).toBe((await mine.get(`/v1/jobs/${random}`)).text)
    expect((await mine.delete(`/v1/jobs/${id}`)).text).toBe((await mine.delete(`/v1/jobs/${random}`)).text)
  }
  expect((await mine.get('/v1/jobs')).body.data).toEqual([])
  expect((await theirs.get(`/v1/jobs/${body.ticket}`)).body.status).toBe('submitted')
})
