import { afterAll, beforeAll, expect, test } from 'vitest'
import { newApiKey } from '#kit'
import { suspendAccount } from '../../../sql/account.ts'
import { revokeKey, showKeys } from '../../../sql/key.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { createClient } from '../../support/stack/client.ts'
import { openIdleStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openIdleStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

test('without credentials an operation returns its price, but an invalid body is reported first', async () => {
  const { anonymous } = stack
  const answer = await anonymous.post('/v1/utils/hash', { text: 'abc' })
  expect(answer.status).toBe(402)
  expect(answer.body).toMatchObject({
    error: 'PAYMENT_REQUIRED',
    code: 'PAYMENT_REQUIRED',
    x402Version: 2,
    serviceKey: 'utils.hash',
    accepts: [],
  })
  expect(answer.headers.get('payment-required')).toMatch(/^[\w+/=]+$/)
  expect((await anonymous.post('/v1/utils/hash', { txt: 'abc' })).body.code).toBe('UNKNOWN_FIELD')
})

test.each(['/v1/account', '/v1/account/ledger', '/v1/jobs', '/v1/jobs/019a0000-0000-7000-8000-000000000001'])(
  'without credentials %s returns 401',
  async path => {
    const answer = await stack.anonymous.get(path)
    expect([answer.status, answer.body.code]).toEqual([401, 'MISSING_AUTH'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  },
)

test.each([
  ['an unknown key', `Bearer ${newApiKey('live')}`],
  ['a token that is not a key', 'Bearer hello'],
  ['another scheme', 'Basic aGVsbG86d29ybGQ='],
  ['an empty header', 'Bearer '],
  ['a key with an extra character', `Bearer ${newApiKey('test')}0`],
])('%s is refused by every route, even one that needs no credentials', async (_name, authorization) => {
  for (const path of ['/v1/account', '/v1/prices']) {
    const answer = await stack.anonymous.request(path, { headers: { authorization } })
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED'])
  }
  const call = await stack.anonymous.post('/v1/utils/hash', { text: 'abc' }, { authorization })
  expect([call.status, call.body.code]).toEqual([401, 'UNAUTHENTICATED'])
})

test('a suspended account is refused at once, even with a cached key, and is accepted after the suspension', async () => {
  const customer = await stack.customer()
  const codes = async () => {
    const answers = [await customer.get('/v1/account'), await customer.post('/v1/utils/hash', { text: 'abc' })]
    return answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim())
  }
  expect(await codes()).toEqual(['200', '200'])
  await suspendAccount(stack.db, customer.accountId, true)
  await eventually('the suspension', async () => (await customer.get('/v1/account')).status === 403, 20_000)
  expect(await codes()).toEqual(['403 ACCOUNT_SUSPENDED', '403 ACCOUNT_SUSPENDED'])
  expect((await customer.money()).balance).toBe(999_000n)
  await suspendAccount(stack.db, customer.accountId, false)
  await eventually('the end of the suspension', async () => (await customer.get('/v1/account')).status === 200, 20_000)
})

test('a revoked key stops working at once, and the other keys of the account still work', async () => {
  const customer = await stack.customer()
  const other = await stack.addKey(customer.accountId)
  expect((await customer.get('/v1/account')).status).toBe(200)
  const prefix = (await showKeys(stack.db, customer.accountId)).find(found => customer.key.startsWith(found.prefix))
  await revokeKey(stack.db, customer.accountId, prefix!.prefix)
  await eventually('the end of the key', async () => (await customer.get('/v1/account')).status === 401, 20_000)
  expect((await createClient(stack.url, other).get('/v1/account')).status).toBe(200)
})

test('a job of another account is not found', async () => {
  const [own, other] = [await stack.customer(), await stack.customer()]
  const { body } = await other.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  const random = '019a0000-0000-7000-8000-000000000001'
  for (const id of [body.ticket, random, 'no-uuid']) {
    expect((await own.get(`/v1/jobs/${id}`)).text).toBe((await own.get(`/v1/jobs/${random}`)).text)
    expect((await own.delete(`/v1/jobs/${id}`)).text).toBe((await own.delete(`/v1/jobs/${random}`)).text)
  }
  // The client resolves this to a path without a route.
  expect((await own.get('/v1/jobs/..')).body.code).toBe('NOT_FOUND')
  expect((await own.get('/v1/jobs')).body.data).toEqual([])
  expect((await other.get(`/v1/jobs/${body.ticket}`)).body.status).toBe('submitted')
})
