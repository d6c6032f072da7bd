import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/machine/eventually.ts'
import { openIdleStack } from '../../support/stack/default.ts'
import { LONG_CALL_PATH, longCallBody } from '../../support/stack/long-job.ts'
import type { Role } from '../../support/stack/role.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let stack: Stack
let worker: Role
beforeAll(async () => {
  stack = await startStack({ worker: false, env: { LOG_LEVEL: 'trace' } })
  worker = await stack.startWorker()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The Prometheus metrics as a map from name and labels to value. */
async function readMetrics(adminUrl: string): Promise<Map<string, number>> {
  const answer = await fetch(`${adminUrl}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  const lines = (await answer.text()).split('\n').filter(line => line && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

test('metrics count calls, waits and runs of jobs, the use of pools, and the amounts in the ledger', async () => {
  const customer = await stack.customer(5_000_000n)
  await customer.post('/v1/utils/hash', { text: 'abc' })
  await customer.post('/v1/text/slugify', { text: 'abc' })
  await customer.post('/v1/text/slugify', { text: '!!!' })
  // A metric is written after its response was sent, so a caller may be quicker than the metric.
  const readMetric = async (url: string, name: string) => (await readMetrics(url)).get(name)
  const failed = 'coinop_http_request_seconds_count{entry="text.slugify",status="422"}'
  await expect.poll(() => readMetric(stack.adminUrl, failed)).toBe(1)
  const api = await readMetrics(stack.adminUrl)
  expect(api.get('coinop_http_request_seconds_count{entry="utils.hash",status="200"}')).toBe(1)
  expect(api.get('coinop_ledger_micros{ledger="available"}')).toBe(4_998_000)
  expect(api.get('coinop_ledger_micros{ledger="held"}')).toBe(0)
  const ended = 'coinop_jobs_ended_total{operation="text.slugify",status="failed"}'
  await expect.poll(() => readMetric(stack.workerAdminUrl, ended)).toBe(1)
  const workerMetrics = await readMetrics(stack.workerAdminUrl)
  expect(workerMetrics.get('coinop_jobs_ended_total{operation="text.slugify",status="succeeded"}')).toBe(1)
  for (const name of ['coinop_job_wait_seconds', 'coinop_job_run_seconds']) {
    expect(
      [...workerMetrics.keys()].some(key => key.startsWith(`${name}_count{operation="text.slugify"`)),
      name,
    ).toBe(true)
  }
  expect(workerMetrics.get('coinop_pool{lane="native",figure="size"}')).toBeGreaterThan(0)
})

test('metrics show the depth of the queues', async () => {
  await using idle = await openIdleStack()
  const customer = await idle.customer()
  const [waiting, held] = ['coinop_queue_jobs{lane="thread",state="waiting"}', 'coinop_ledger_micros{ledger="held"}']
  const before = await readMetrics(idle.adminUrl)
  for (let calls = 0; calls < 3; calls++) {
    await customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  }
  const after = await readMetrics(idle.adminUrl)
  expect(after.get(waiting)! - (before.get(waiting) ?? 0)).toBe(3)
  expect(after.get(held)! - before.get(held)!).toBe(3_000)
})

test('metrics are not available at the public address', async () => {
  expect((await stack.anonymous.get('/metrics')).status).toBe(404)
  expect((await fetch(`${stack.adminUrl}/v1/account`)).status).toBe(404)
})

test('a setting resizes a lane while jobs run', async () => {
  const size = async () => (await readMetrics(stack.workerAdminUrl)).get('coinop_pool{lane="native",figure="size"}')
  const customer = await stack.customer()
  const { body } = await customer.post(LONG_CALL_PATH, longCallBody(1_000), { prefer: 'respond-async' })
  await stack.writeSetting('lane.native.concurrency', 7)
  // With its spare place.
  await eventually('the larger lane', async () => (await size()) === 8)
  const { lanes } = (await stack.anonymous.get('/health')).body.checks.workers
  expect(lanes).toEqual(['native', 'program', 'remote', 'thread'])
  expect((await customer.waitForEnd(body.ticket)).status).toBe('succeeded')
  await stack.writeSetting('lane.native.concurrency', null)
  await eventually('the original lane', async () => (await size()) !== 8)
  expect((await customer.post(LONG_CALL_PATH, longCallBody(100))).status).toBe(200)
})

test('logs have request, job and account, but no key, body or secret', async () => {
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
  await stack.anonymous.request('/v1/account', { headers: { authorization: `Bearer ${customer.key}x` } })
  const { headers: lastHeaders } = await customer.post('/v1/utils/hash', { text: 'abc' })
  const requestId = lastHeaders.get('x-request-id')!
  await eventually('the last line', () => stack.api.log().includes(requestId))
  const logs = stack.api.log() + worker.log()
  for (const secret of [...Object.values(canaries), customer.key, customer.key.slice(9)]) {
    expect(logs.includes(secret), secret).toBe(false)
  }
  const line = logs.split('\n').find(text => text.includes(requestId))!
  expect(JSON.parse(line)).toMatchObject({
    requestId,
    accountId: customer.accountId,
    jobId: lastHeaders.get('x-service-job-id'),
    entry: 'utils.hash',
    status: 200,
  })
})

test('a waiting job holds no readable secret, and the tables hold no key', async () => {
  await using idle = await openIdleStack()
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
