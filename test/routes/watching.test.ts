import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG_PATH, longWork } from '../support/long-work.ts'
import type { Role } from '../support/role.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { eventually } from '../support/until.ts'

let stack: Stack
let worker: Role
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LOG_LEVEL: 'trace' } })
  worker = await stack.startWorker()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The lines of Prometheus as a table: name and labels to figure. */
async function figures(adminUrl: string): Promise<Map<string, number>> {
  const answer = await fetch(`${adminUrl}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  const lines = (await answer.text()).split('\n').filter(line => line && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

test('metrics say what was asked, how long jobs waited and ran, how the pools are used, and what the ledger holds', async () => {
  const customer = await stack.customer(5_000_000n)
  await customer.post('/v1/utils/hash', { text: 'abc' })
  await customer.post('/v1/text/slugify', { text: 'abc' })
  await customer.post('/v1/text/slugify', { text: '!!!' })
  // A figure is written once its answer has gone out, so a caller may be quicker than the figure.
  const counted = async (url: string, name: string) => (await figures(url)).get(name)
  const failed = 'coinop_http_request_seconds_count{entry="text.slugify",status="422"}'
  await expect.poll(() => counted(stack.adminUrl, failed), { timeout: 10_000 }).toBe(1)
  const api = await figures(stack.adminUrl)
  expect(api.get('coinop_http_request_seconds_count{entry="utils.hash",status="200"}')).toBe(1)
  expect(api.get('coinop_ledger_micros{ledger="available"}')).toBe(4_998_000)
  expect(api.get('coinop_ledger_micros{ledger="held"}')).toBe(0)
  const ended = 'coinop_jobs_ended_total{operation="text.slugify",status="failed"}'
  await expect.poll(() => counted(stack.workerAdminUrl, ended), { timeout: 10_000 }).toBe(1)
  const work = await figures(stack.workerAdminUrl)
  expect(work.get('coinop_jobs_ended_total{operation="text.slugify",status="succeeded"}')).toBe(1)
  for (const name of ['coinop_job_wait_seconds', 'coinop_job_run_seconds']) {
    expect(
      [...work.keys()].some(key => key.startsWith(`${name}_count{operation="text.slugify"`)),
      name,
    ).toBe(true)
  }
  expect(work.get('coinop_pool{lane="native",figure="size"}')).toBeGreaterThan(0)
})

test('metrics say how deep the queues are', async () => {
  await using idle = await startStack({ worker: false })
  const customer = await idle.customer()
  for (let calls = 0; calls < 3; calls++) {
    await customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  }
  const found = await figures(idle.adminUrl)
  expect(found.get('coinop_queue_jobs{lane="thread",state="waiting"}')).toBe(3)
  expect(found.get('coinop_ledger_micros{ledger="held"}')).toBe(3_000)
})

test('metrics are not to be had at the public door', async () => {
  expect((await stack.stranger.get('/metrics')).status).toBe(404)
  expect((await fetch(`${stack.adminUrl}/v1/account`)).status).toBe(404)
})

test('a lane is resized by a setting, while everything runs', async () => {
  const size = async () => (await figures(stack.workerAdminUrl)).get('coinop_pool{lane="native",figure="size"}')
  const customer = await stack.customer()
  const { body } = await customer.post(LONG_PATH, longWork(1_000), { prefer: 'respond-async' })
  await stack.set('lane.native.concurrency', 7)
  await eventually('the larger lane', async () => (await size()) === 7)
  const { lanes } = (await stack.stranger.get('/health')).body.checks.workers
  expect(lanes).toEqual(['native', 'program', 'remote', 'thread'])
  expect((await customer.ended(body.ticket)).status).toBe('succeeded')
  await stack.set('lane.native.concurrency', null)
  await eventually('the lane of before', async () => (await size()) !== 7)
  expect((await customer.post(LONG_PATH, longWork(100))).status).toBe(200)
})

test('logs name request, job and account, and hold no key, no body and no secret', async () => {
  const customer = await stack.customer()
  const canaries = {
    text: 'canary-of-the-body',
    secret: 'canary-of-the-hmac-secret',
    query: 'canary-of-the-query',
    idempotency: 'canary-of-the-idempotency-key',
    payment: 'canary-of-the-payment',
  }
  const headers = { 'idempotency-key': canaries.idempotency, 'payment-signature': canaries.payment, cookie: 'canary=1' }
  await customer.post('/v1/text/slugify', { text: canaries.text }, headers)
  await customer.post('/v1/text/slugify', { texts: [canaries.text, '!!!'] })
  const hmac = { text: canaries.text, key: canaries.secret }
  expect((await customer.post('/v1/utils/hmac', hmac, { prefer: 'respond-async, wait=20' })).status).toBe(200)
  await customer.post(`/v1/utils/hash?x=${canaries.query}&key=${customer.key}`, { text: canaries.text })
  await customer.post('/v1/utils/hash', `{"text": "${canaries.text}`)
  await stack.stranger.ask('/v1/account', { headers: { authorization: `Bearer ${customer.key}x` } })
  const { headers: last } = await customer.post('/v1/utils/hash', { text: 'abc' })
  const requestId = last.get('x-request-id')!
  await eventually('the last line', () => stack.api.log().includes(requestId))
  const logs = stack.api.log() + worker.log()
  for (const secret of [...Object.values(canaries), customer.key, customer.key.slice(9)]) {
    expect(logs.includes(secret), secret).toBe(false)
  }
  const line = logs.split('\n').find(text => text.includes(requestId))!
  expect(JSON.parse(line)).toMatchObject({
    requestId,
    accountId: customer.accountId,
    jobId: last.get('x-service-job-id'),
    entry: 'utils.hash',
    status: 200,
  })
})

test('no secret stands open in a job that waits, and no key in the tables', async () => {
  await using idle = await startStack({ worker: false })
  const customer = await idle.customer()
  const secret = 'canary-of-a-secret'
  const call = await customer.post('/v1/utils/hmac', { text: 'abc', key: secret }, { prefer: 'respond-async' })
  expect(call.status, call.text).toBe(202)
  const { rows } = await idle.db.query<{ text: string }>({
    text: `select (select string_agg(j::text, '') from lane_thread._private_jobs j) || (select string_agg(j::text, '') from svc.job j)
      || (select string_agg(k::text, '') from svc.api_key k) as text`,
  })
  expect(rows[0]!.text).toContain(call.body.ticket)
  expect(rows[0]!.text).not.toContain(secret)
  expect(rows[0]!.text).not.toContain(customer.key)
})

test('health tells when the last worker is gone, and when one is back', async () => {
  await using home = await startStack({ worker: false })
  const first = await home.startWorker()
  const health = async () => (await home.stranger.get('/health')).body
  await eventually('health', async () => (await health()).status === 'ok')
  expect((await health()).checks).toMatchObject({
    database: { ok: true },
    queue: { ok: true, waiting: 0 },
    store: { ok: true },
    workers: { ok: true, alive: 1 },
  })
  await first.stop()
  await eventually('the loss to show', async () => (await health()).status === 'degraded')
  expect((await health()).checks.workers).toMatchObject({ ok: false, alive: 0 })
  const second = await home.startWorker()
  await eventually('the new worker to show', async () => (await health()).status === 'ok')
  await second.kill()
  await eventually('the death to show', async () => (await health()).status === 'degraded', 40_000)
}, 90_000)
