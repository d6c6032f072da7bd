import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/stack/client.ts'
import { openDefaultStack, openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const HASH = '/v1/utils/hash'
const SLUG = '/v1/text/slugify'
const countCharges = async (customer: Customer) =>
  (await customer.get('/v1/account/ledger?type=charge')).body.data.length
const summarize = ({ status, headers, text }: Answer) => [
  status,
  text,
  ...['content-type', 'location', 'x-service-job-id'].map(name => headers.get(name)),
]
const readCharges = ({ headers }: Answer) =>
  ['x-service-charged-micros', 'x-service-original-charged-micros'].map(name => headers.get(name))

test.each([
  ['an instant call', HASH, {}, '1000'],
  ['a queued call', SLUG, {}, '1000'],
  ['a call answered with a ticket', SLUG, { prefer: 'respond-async' }, null],
])('%s is replayed byte for byte, charged once and told as charged once', async (_name, path, headers, charged) => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': randomUUID(), ...headers } as Record<string, string>
  const first = await customer.post(path, { text: 'Grüße' }, key)
  if (first.status === 202) await customer.waitForEnd(first.body.ticket)
  const again = await customer.post(path, { text: 'Grüße' }, key)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(summarize(again)).toEqual(summarize(first))
  expect([readCharges(first), readCharges(again)]).toEqual([
    [charged ?? '0', null],
    ['0', charged],
  ])
  expect(await countCharges(customer)).toBe(1)
  expect(await customer.money()).toEqual({ balance: 999_000n, held: 0n })
})

test('the quoted form of a key is the same key', async () => {
  const customer = await stack.customer()
  const first = await customer.post('/v1/utils/uuid', {}, { 'idempotency-key': 'order-66' })
  const again = await customer.post('/v1/utils/uuid', {}, { 'idempotency-key': '"order-66"' })
  expect(summarize(again)).toEqual(summarize(first))
})

test.each([
  ['another body', HASH, { text: 'b' }],
  ['another path', SLUG, { text: 'a' }],
  ['another query', `${HASH}?x=1`, { text: 'a' }],
  ['another spelling of the same body', HASH, '{ "text": "a" }'],
])('the same key with %s is a conflict', async (_name, path, body) => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': 'the-same' }
  expect((await customer.post(HASH, { text: 'a' }, key)).status).toBe(200)
  const answer = await customer.post(path, body, key)
  expect([answer.status, answer.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
  expect(await countCharges(customer)).toBe(1)
})

test('a key belongs to its account', async () => {
  const [one, two] = [await stack.customer(), await stack.customer()]
  const key = { 'idempotency-key': 'mine' }
  const answers = [await one.post('/v1/utils/uuid', {}, key), await two.post('/v1/utils/uuid', {}, key)]
  expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null])
  expect(answers[0]!.text).not.toBe(answers[1]!.text)
})

test.each(['', '""', 'with a space', '\u00fcmlaut', 'x'.repeat(256)])('the key %j is refused', async key => {
  const customer = await stack.customer()
  const answer = await customer.post(HASH, { text: 'a' }, { 'idempotency-key': key })
  expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY'])
})

test('a failure is not stored: the same key works after the cause is removed', async () => {
  const customer = await stack.customer(0n)
  const key = { 'idempotency-key': 'again' }
  expect((await customer.post(HASH, { txt: 'a' }, key)).status).toBe(400)
  expect((await customer.post(HASH, { text: 'a' }, key)).status).toBe(402)
  expect((await customer.post(SLUG, { text: '!!!' }, key)).status).toBe(402)
  await stack.credit(customer.accountId, 2_000n)
  expect((await customer.post(SLUG, { text: '!!!' }, key)).body.code).toBe('SLUG_EMPTY')
  expect((await customer.post(HASH, { text: '!!!', algorithms: ['sha0'] }, key)).status).toBe(400)
  const good = await customer.post(SLUG, { text: 'at last' }, key)
  expect([good.status, good.body]).toEqual([200, { slug: 'at-last' }])
  expect(await customer.money()).toEqual({ balance: 1_000n, held: 0n })
})

test('a call without credentials does not reserve the key', async () => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': 'paid-later' }
  expect((await stack.anonymous.post(HASH, { text: 'a' }, key)).status).toBe(402)
  expect((await customer.post(HASH, { text: 'a' }, key)).headers.get('idempotency-replayed')).toBeNull()
})

test('a dry run does not use up the key', async () => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': 'dry' }
  expect((await customer.post(HASH, { text: 'a', dryRun: true }, key)).status).toBe(200)
  expect((await customer.post(HASH, { text: 'a' }, key)).body.hashes).toBeDefined()
})

test.each([HASH, SLUG])('200 parallel calls of %s under one key are one run, one charge and one answer', async path => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': randomUUID() }
  const request = () => customer.post(path, { text: 'only once' }, key)
  const answers = await Promise.all(Array.from({ length: 200 }, request))
  const done = answers.filter(({ status }) => status === 200)
  const inFlight = answers.filter(({ status }) => status === 409)
  expect(done.length + inFlight.length).toBe(200)
  for (const { body, headers } of inFlight) {
    expect([body.code, headers.get('retry-after')]).toEqual(['IDEMPOTENCY_IN_FLIGHT', '1'])
  }
  expect(new Set(done.map(answer => JSON.stringify(summarize(answer)))).size).toBe(1)
  expect(done.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  expect(summarize(await request())).toEqual(summarize(done[0]!))
  expect(await countCharges(customer)).toBe(1)
  expect(await customer.money()).toEqual({ balance: 999_000n, held: 0n })
})

test('a second call under the key of a running call is told to retry', async () => {
  await using idleStack = await openIdleStack()
  const customer = await idleStack.customer()
  const key = { 'idempotency-key': 'slow' }
  const first = await customer.post(SLUG, { text: 'abc' }, { ...key, prefer: 'wait=0' })
  const second = await customer.post(SLUG, { text: 'abc' }, { ...key, prefer: 'wait=0' })
  expect(second.status).toBe(409)
  expect(second.body).toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT', jobId: first.body.ticket })
  expect(second.headers.get('retry-after')).toBe('1')
  await using worker = await idleStack.startWorker({ LANES: 'thread' })
  await customer.waitForEnd(first.body.ticket)
  await worker.stop()
  const third = await customer.post(SLUG, { text: 'abc' }, key)
  expect([third.body, third.headers.get('idempotency-replayed')]).toEqual([{ slug: 'abc' }, 'true'])
})

test('a key can be used again after a day', async () => {
  const customer = await stack.customer()
  const key = { 'idempotency-key': 'yesterday' }
  const first = await customer.post('/v1/utils/uuid', {}, key)
  for (const table of ['svc.idempotency', 'svc.job']) {
    const text = `update ${table} set created_at = created_at - interval '24 hours 1 second' where account_id = $1`
    await stack.db.query({ text, values: [customer.accountId] })
  }
  const second = await customer.post('/v1/utils/uuid', {}, key)
  expect(second.text).not.toBe(first.text)
  expect(await countCharges(customer)).toBe(2)
})
