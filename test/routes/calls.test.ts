import { afterAll, beforeAll, expect, test } from 'vitest'
import { writePrice } from '../../sql/setting.ts'
import { eventually } from '../support/machine/eventually.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const readHeaders = ({ headers }: { headers: Headers }, ...names: string[]) => names.map(name => headers.get(name))
const readSpent = async (customer: Customer) => 1_000_000n - (await customer.money()).balance

test('a small pure call is answered at once, charged, and has a job like any other', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/utils/hash', { text: 'abc' })
  expect([answer.status, answer.body.hashes.sha256]).toEqual([200, ABC])
  expect(readHeaders(answer, 'x-service-charged-micros', 'content-type')).toEqual([
    '1000',
    'application/json; charset=utf-8',
  ])
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await customer.money()).toEqual({ balance: 999_000n, held: 0n })
  const id = answer.headers.get('x-service-job-id')!
  expect((await customer.get(`/v1/jobs/${id}`)).body).toMatchObject({
    id,
    ticket: id,
    serviceKey: 'utils.hash',
    status: 'succeeded',
    ceilingMicros: '1000',
    actualMicros: '1000',
    result: { hashes: { sha256: ABC } },
  })
})

test('a queued call is waited for, answered with its result and charged', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/text/slugify', { text: 'Crème brûlée' })
  expect([answer.status, answer.body]).toEqual([200, { slug: 'creme-brulee' }])
  expect(answer.headers.get('x-service-charged-micros')).toBe('1000')
  expect(answer.headers.get('x-service-job-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await customer.money()).toEqual({ balance: 999_000n, held: 0n })
})

test.each([
  ['Prefer: respond-async', {}, { prefer: 'respond-async' }],
  ['async: true', { async: true }, {}],
  ['Prefer: respond-async among other preferences', {}, { prefer: 'handling=lenient, respond-async' }],
])('%s returns a ticket at once, for instant and queued operations', async (_name, flags, headers) => {
  const customer = await stack.customer()
  for (const path of ['/v1/text/slugify', '/v1/utils/hash']) {
    const answer = await customer.post(path, { text: 'abc', ...flags }, headers as Record<string, string>)
    expect(answer.status).toBe(202)
    const { ticket } = answer.body
    expect(answer.body).toEqual({ ticket, id: ticket, status: 'submitted', ceiling_micros: '1000' })
    expect(readHeaders(answer, 'location', 'retry-after', 'x-service-charged-micros', 'x-service-job-id')).toEqual([
      `/v1/jobs/${ticket}`,
      '1',
      '0',
      ticket,
    ])
    expect(await customer.waitForEnd(ticket)).toMatchObject({ status: 'succeeded', actualMicros: '1000' })
  }
  expect(await readSpent(customer)).toBe(2_000n)
})

test('async: false overrides the header', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/text/slugify', { text: 'abc', async: false }, { prefer: 'respond-async' })
  expect([answer.status, answer.body]).toEqual([200, { slug: 'abc' }])
})

test('Prefer: wait=0 returns a ticket while the job runs on', async () => {
  const customer = await stack.customer()
  const texts = Array.from({ length: 1_000 }, (_, index) => `Ein langer Titel ${index} über Äpfel`)
  const answer = await customer.post('/v1/text/slugify', { texts }, { prefer: 'wait=0' })
  expect(answer.status).toBe(202)
  const job = await customer.waitForEnd(answer.body.ticket)
  expect(job.status).toBe('succeeded')
  expect((job.result as { slugs: string[] }).slugs).toHaveLength(1_000)
  expect((await customer.money()).held).toBe(0n)
})

test('Prefer: respond-async, wait=5 queues the job and waits for it', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/utils/hash', { text: 'abc' }, { prefer: 'respond-async, wait=5' })
  expect([answer.status, answer.body.hashes.sha256]).toEqual([200, ABC])
})

test('a price that depends only on the body is quoted without running or charging anything', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/utils/hash', { text: 'abc', dryRun: true })
  expect(answer.status).toBe(200)
  expect(answer.body.quote).toMatchObject({ amountMicros: '1000', units: 0, ceiling: '1000' })
  expect(readHeaders(answer, 'x-service-charged-micros', 'x-service-job-id')).toEqual(['0', null])
  expect((await customer.get('/v1/jobs')).body.data).toEqual([])
  expect((await customer.get('/v1/account/ledger?type=charge')).body.data).toEqual([])
})

test('a dry run validates its input, and needs no balance', async () => {
  const customer = await stack.customer(0n)
  const wrong = { text: 'abc', algorithms: ['sha0'], dryRun: true }
  expect((await customer.post('/v1/utils/hash', wrong)).body).toMatchObject({ code: 'INVALID_PARAM' })
  expect((await customer.post('/v1/utils/hash', { text: 'abc', dryRun: true })).status).toBe(200)
})

test('a changed price applies to charges, quotes and the price list without a restart', async () => {
  const customer = await stack.customer()
  await writePrice(stack.db, 'utils.uuid', { rateMicros: 7_777n })
  try {
    await eventually('the new price', async () => {
      const { body } = await stack.anonymous.get('/v1/prices')
      return body.operations['utils.uuid'].rateMicros === '7777'
    })
    expect((await customer.post('/v1/utils/uuid', { dryRun: true })).body.quote.amountMicros).toBe('7777')
    const answer = await customer.post('/v1/utils/uuid', {})
    expect(answer.headers.get('x-service-charged-micros')).toBe('7777')
    const queued = await customer.post('/v1/utils/uuid', {}, { prefer: 'respond-async, wait=10' })
    expect(queued.headers.get('x-service-charged-micros')).toBe('7777')
    expect(await readSpent(customer)).toBe(15_554n)
  } finally {
    await writePrice(stack.db, 'utils.uuid', null)
  }
})

test('a balance that is too small returns 402 in body and header, and nothing is held', async () => {
  const customer = await stack.customer(999n)
  for (const path of ['/v1/utils/hash', '/v1/text/slugify']) {
    const answer = await customer.post(path, { text: 'abc' })
    expect(answer.status).toBe(402)
    expect(answer.body).toMatchObject({
      x402Version: 2,
      error: 'PAYMENT_REQUIRED',
      code: 'INSUFFICIENT_BALANCE',
      amountMicros: '1000',
      balanceMicros: '999',
      accepted: [],
      howToPay: expect.stringMatching(/^Add funds at http.*\/dashboard\/billing, then/),
    })
    const header = JSON.parse(Buffer.from(answer.headers.get('payment-required')!, 'base64').toString())
    expect(header).toMatchObject({ x402Version: 2, error: 'PAYMENT_REQUIRED', accepts: [] })
    expect(new URL(header.resource.url).pathname).toBe(path)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
  expect(await customer.money()).toEqual({ balance: 999n, held: 0n })
  expect((await customer.get('/v1/jobs')).body.data).toEqual([])
})

test('a problem during the run is free, and returned with its code, job and hints', async () => {
  const customer = await stack.customer()
  const instant = await customer.post('/v1/utils/base64', { action: 'decode', text: '!!!' })
  expect([instant.status, instant.body.code]).toEqual([422, 'BASE64_INVALID'])
  const queued = await customer.post('/v1/text/slugify', { texts: ['abc', '!!!'] })
  expect(queued.status).toBe(422)
  expect(queued.body).toMatchObject({ code: 'SLUG_EMPTY', index: 1, jobId: expect.any(String) })
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  const job = (await customer.get(`/v1/jobs/${queued.body.jobId}`)).body
  expect(job).toMatchObject({ status: 'failed', actualMicros: '0', error: { code: 'SLUG_EMPTY', index: 1 } })
})
