import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIdleStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openIdleStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

async function queueJob(customer: Customer, text = 'abc'): Promise<string> {
  const answer = await customer.post('/v1/text/slugify', { text }, { prefer: 'respond-async' })
  expect(answer.status).toBe(202)
  return answer.body.ticket
}

test('a call whose job does not end in time returns a ticket', async () => {
  const customer = await stack.customer()
  for (const prefer of ['wait=0', 'wait=1', 'WAIT = "1"']) {
    const answer = await customer.post('/v1/text/slugify', { text: 'abc' }, { prefer })
    expect([answer.status, answer.body.status]).toEqual([202, 'submitted'])
  }
  expect(await customer.money()).toEqual({ balance: 997_000n, held: 3_000n })
})

test('a waiting job is submitted, and a long poll returns that when its time is up', async () => {
  const customer = await stack.customer()
  const id = await queueJob(customer)
  const answer = await customer.get(`/v1/jobs/${id}?wait=1`)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, '1'])
  expect(answer.body).toEqual({
    id,
    ticket: id,
    serviceKey: 'text.slugify',
    status: 'submitted',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    ceilingMicros: '1000',
  })
})

test.each(['wait=61', 'wait=-1', 'wait=soon', 'waiting=1'])('a long poll with %s is refused', async query => {
  const customer = await stack.customer()
  const answer = await customer.get(`/v1/jobs/${await queueJob(customer)}?${query}`)
  expect([answer.status, ['INVALID_PARAM', 'UNKNOWN_FIELD'].includes(answer.body.code)]).toEqual([400, true])
})

test('a cancelled job releases its hold, never runs, and cannot be cancelled twice', async () => {
  const customer = await stack.customer()
  const id = await queueJob(customer)
  expect(await customer.money()).toEqual({ balance: 999_000n, held: 1_000n })
  const answer = await customer.delete(`/v1/jobs/${id}`)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ id, status: 'failed', actualMicros: '0', error: { code: 'JOB_CANCELLED' } })
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  const again = await customer.delete(`/v1/jobs/${id}`)
  expect([again.status, again.body.code]).toEqual([409, 'JOB_FINISHED'])
})

test('a call that waits for a cancelled job returns at once', async () => {
  const customer = await stack.customer()
  const waiting = customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'wait=20' })
  const id = await waitForFirstJob(customer)
  await customer.delete(`/v1/jobs/${id}`)
  const answer = await waiting
  expect([answer.status, answer.body.code, answer.body.jobId]).toEqual([409, 'JOB_CANCELLED', id])
})

test('jobs are listed newest first, by status and in pages', async () => {
  const customer = await stack.customer()
  const ids: string[] = []
  for (const text of ['one', 'two', 'three']) ids.unshift(await queueJob(customer, text))
  await customer.delete(`/v1/jobs/${ids[1]}`)
  const list = async (query: string) => {
    const { data, pagination } = (await customer.get(`/v1/jobs${query}`)).body
    return [data.map(({ id }: { id: string }) => ids.indexOf(id)), pagination]
  }
  expect(await list('')).toEqual([[0, 1, 2], { limit: 20, offset: 0, hasMore: false }])
  expect(await list('?status=submitted')).toEqual([[0, 2], expect.anything()])
  expect(await list('?status=failed')).toEqual([[1], expect.anything()])
  const [failed] = (await customer.get('/v1/jobs?status=failed')).body.data
  expect([failed.error.code, 'problem' in failed]).toEqual(['JOB_CANCELLED', false])
  expect(await list('?limit=2')).toEqual([[0, 1], { limit: 2, offset: 0, hasMore: true }])
  expect(await list('?limit=2&offset=2')).toEqual([[2], { limit: 2, offset: 2, hasMore: false }])
  for (const query of ['?status=done', '?limit=0', '?limit=101', '?offset=-1', '?page=1']) {
    expect((await customer.get(`/v1/jobs${query}`)).status, query).toBe(400)
  }
})

test('waiting jobs run as soon as a worker starts, and long polls return', async () => {
  const customer = await stack.customer()
  const ids = [await queueJob(customer, 'Ein Titel'), await queueJob(customer, 'Noch ein Titel')]
  const polls = ids.map(id => customer.get(`/v1/jobs/${id}?wait=30`))
  const waiting = customer.post('/v1/text/slugify', { text: 'Und einer' }, { prefer: 'wait=30' })
  await using worker = await stack.startWorker({ LANES: 'thread' })
  expect((await Promise.all(polls)).map(({ body }) => [body.status, body.result.slug])).toEqual([
    ['succeeded', 'ein-titel'],
    ['succeeded', 'noch-ein-titel'],
  ])
  expect((await waiting).body).toEqual({ slug: 'und-einer' })
  await worker.stop()
  expect(await customer.money()).toEqual({ balance: 997_000n, held: 0n })
})

async function waitForFirstJob(customer: Customer): Promise<string> {
  for (;;) {
    const [job] = (await customer.get('/v1/jobs')).body.data
    if (job) return job.id
  }
}
