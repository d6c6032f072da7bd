import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import type { DeliveryRecord } from '../../../sql/webhook/endpoints.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../support/servers/webhook-receiver.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let receiver: WebhookReceiver
beforeAll(async () => {
  ;[stack, receiver] = await Promise.all([openDefaultStack(), openWebhookReceiver()])
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

interface Registered {
  id: string
  secret: string
  path: string
}

let paths = 0

/** Registers a webhook at a path of its own, which is answered like `behaviour`. */
async function register(customer: Customer, behaviour = '/ok'): Promise<Registered> {
  const path = behaviour === '/ok' ? `/own/${++paths}` : behaviour
  if (behaviour === '/ok') receiver.answer(path, response => void response.writeHead(200).end('thanks'))
  const server = receiver.url.replace('127.0.0.1', 'localhost')
  const { status, body } = await customer.post('/v1/webhooks', { url: server + path, events: ['job.completed'] })
  expect(status).toBe(201)
  return { id: body.id, secret: body.secret, path }
}

async function listDeliveries(customer: Customer, { id }: Registered, query = ''): Promise<DeliveryRecord[]> {
  return (await customer.get(`/v1/webhooks/${id}/deliveries${query}`)).body.data
}

function waitForDelivery(
  customer: Customer,
  webhook: Registered,
  what: string,
  isWanted: (delivery: DeliveryRecord) => boolean,
): Promise<DeliveryRecord> {
  return eventually(what, async () => (await listDeliveries(customer, webhook)).find(isWanted))
}

/** What waits for its next attempt is due now. */
async function skipDelays(webhook: Registered): Promise<void> {
  await rows(stack.db, `update svc.webhook_delivery set due_at = now() where endpoint_id = $1 and due_at is not null`, [
    webhook.id,
  ])
  await rows(stack.db, `update svc.webhook_endpoint set next_at = now(), paused_until = null where id = $1`, [
    webhook.id,
  ])
}

test('an instant and a queued job are both delivered, signed in both ways, with their results', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer)
  const instant = await customer.post('/v1/text/slugify', { text: 'Hello World' })
  const queued = await customer.post('/v1/text/slugify', { text: 'Good Bye', async: true })
  const failed = await customer.post('/v1/pdf/rotate', { file: { inline: btoa('%PDF-x') }, degrees: '90' })
  await eventually('three deliveries', () => receiver.at(webhook.path).length === 3)

  const verifier = new Webhook(webhook.secret)
  for (const { headers, body } of receiver.at(webhook.path)) {
    const event = verifier.verify(body, headers as Record<string, string>)
    expect(event).toMatchObject({ type: 'job.completed' })
    const mac = createHmac('sha256', webhook.secret).update(`${String(headers['x-service-timestamp'])}.${body}`)
    expect(headers['x-service-signature']).toBe(`sha256=${mac.digest('hex')}`)
    expect(headers['x-service-event']).toBe('job.completed')
    expect(headers['x-service-delivery-id']).toBe(headers['webhook-id'])
    expect(() => verifier.verify(`${body} `, headers as Record<string, string>)).toThrow('No matching signature')
  }
  const events = receiver.at(webhook.path).map(({ body }) => JSON.parse(body))
  const find = (id: string) => events.find(({ jobId }) => jobId === id)
  const idOf = ({ headers }: typeof instant) => headers.get('x-service-job-id')!
  expect(find(idOf(instant))).toMatchObject({
    status: 'succeeded',
    actualMicros: '1000',
    result: { slug: 'hello-world' },
  })
  expect(find(queued.body.ticket)).toMatchObject({ serviceKey: 'text.slugify', result: { slug: 'good-bye' } })
  const refused = events.find(({ status }) => status === 'failed')
  expect(refused).toMatchObject({ serviceKey: 'pdf.rotate', errorReason: failed.body.code, actualMicros: '0' })
  expect(refused).not.toHaveProperty('result')
  expect(events.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3])

  const listed = await eventually('all to be recorded', async () => {
    const found = await listDeliveries(customer, webhook, '?status=SUCCESS')
    return found.length === 3 && found
  })
  expect(listed.map(({ sequence }) => sequence)).toEqual([3, 2, 1])
  expect(listed[0]).toMatchObject({ attempts: 1, responseCode: 200, errorMessage: null, webhookId: webhook.id })
  const [page] = await listDeliveries(customer, webhook, '?limit=1&offset=2')
  expect(page).toEqual(listed[2])
  const full = (await customer.get(`/v1/webhooks/${webhook.id}/deliveries/${listed[0]!.id}`)).body
  expect(full).toMatchObject({ ...listed[0], responseBody: 'thanks', payload: { jobId: listed[0]!.subjectId } })
})

test('the files of a result are links that work', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer)
  const file = { text: 'hello' }
  await customer.post('/v1/archive/zip', { files: [{ ...file, name: 'a.txt' }], async: true })
  const [message] = await eventually(
    'the delivery',
    () => receiver.at(webhook.path).length > 0 && receiver.at(webhook.path),
  )
  const { output } = JSON.parse(message!.body).result
  expect(output).toMatchObject({ contentType: 'application/zip', outputKey: expect.any(String) })
  expect(output).not.toHaveProperty('inline')
  const { pathname, search } = new URL(output.outputUrl)
  const bytes = new Uint8Array(await (await fetch(stack.url + pathname + search)).arrayBuffer())
  expect([...bytes.subarray(0, 2)]).toEqual([0x50, 0x4b])
})

test('during a rotation both secrets verify, and afterwards only the new one', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer)
  const { body: rotated } = await customer.post(`/v1/webhooks/${webhook.id}/rotate-secret`, {})
  expect(rotated.secret).not.toBe(webhook.secret)
  expect(Date.parse(rotated.formerSecretUntil) - Date.now()).toBeGreaterThan(86_000_000)
  await customer.post(`/v1/webhooks/${webhook.id}/test`, undefined)
  const [first] = await eventually(
    'the test event',
    () => receiver.at(webhook.path).length > 0 && receiver.at(webhook.path),
  )
  const headers = first!.headers as Record<string, string>
  for (const secret of [webhook.secret, rotated.secret]) {
    expect(new Webhook(secret).verify(first!.body, headers)).toMatchObject({
      type: 'webhook.test',
      webhookId: webhook.id,
    })
  }
  const byNew = createHmac('sha256', rotated.secret).update(`${headers['x-service-timestamp']}.${first!.body}`)
  expect(headers['x-service-signature']).toBe(`sha256=${byNew.digest('hex')}`)

  const { body: last } = await customer.post(`/v1/webhooks/${webhook.id}/rotate-secret`, { overlapSeconds: 0 })
  await customer.post(`/v1/webhooks/${webhook.id}/test`, undefined)
  await eventually('the second test event', () => receiver.at(webhook.path).length === 2)
  const second = receiver.at(webhook.path)[1]!
  expect(new Webhook(last.secret).verify(second.body, second.headers as Record<string, string>)).toBeDefined()
  expect(() => new Webhook(rotated.secret).verify(second.body, second.headers as Record<string, string>)).toThrow()
})

test('a failing receiver is tried again under the same id with fresh timestamps, until it succeeds', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer)
  receiver.answer(webhook.path, response => void response.writeHead(500).end('out of order'))
  await customer.post('/v1/text/slugify', { text: 'Again' })
  const isTried = (attempts: number) => (delivery: DeliveryRecord) =>
    delivery.attempts >= attempts && (delivery.nextAttemptAt !== null || delivery.status !== 'PENDING')
  const first = await waitForDelivery(customer, webhook, 'the first attempt', isTried(1))
  expect(first).toMatchObject({ status: 'PENDING', responseCode: 500, errorMessage: 'The receiver answered 500.' })
  const delayMs = Date.parse(first.nextAttemptAt!) - Date.parse(first.createdAt)
  expect(delayMs).toBeGreaterThan(3_900)
  receiver.answer(webhook.path, response => void response.writeHead(204).end())
  await skipDelays(webhook)
  await waitForDelivery(customer, webhook, 'a success', ({ status }) => status === 'SUCCESS')
  const [one, two] = receiver.at(webhook.path)
  expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id'])
  expect(two!.body).toBe(one!.body)
  const { body } = await customer.get(`/v1/webhooks/${webhook.id}`)
  expect(body).toMatchObject({ active: true, consecutiveFailures: 0 })
})

test.each([
  ['/gone', 410, 'The receiver answered 410 Gone.'],
  ['/leave-me', 400, 'The receiver asked for it.'],
])(
  'a receiver that answers as %s is disabled, keeps what happens meanwhile, and gets it later',
  async (path, code, reason) => {
    const customer = await stack.customer()
    const webhook = await register(customer, path)
    await customer.post('/v1/text/slugify', { text: 'One' })
    const failed = await waitForDelivery(customer, webhook, 'the failure', ({ status }) => status === 'FAILED')
    expect(failed).toMatchObject({ responseCode: code, attempts: 1 })
    const { body } = await customer.get(`/v1/webhooks/${webhook.id}`)
    expect(body).toMatchObject({ active: false, disabledReason: reason })
    await customer.post('/v1/text/slugify', { text: 'Two' })
    await waitForDelivery(customer, webhook, 'the second', ({ sequence }) => sequence === 2)
    for (const place of ['test', `deliveries/${failed.id}/redeliver`]) {
      const refused = await customer.post(`/v1/webhooks/${webhook.id}/${place}`, undefined)
      expect([refused.status, refused.body.code]).toEqual([409, 'WEBHOOK_DISABLED'])
    }
    const since = { since: failed.createdAt }
    expect((await customer.post(`/v1/webhooks/${webhook.id}/redeliver`, since)).body.code).toBe('WEBHOOK_DISABLED')

    const url = `${receiver.url}/ok`
    const enabled = await customer.request(`/v1/webhooks/${webhook.id}`, { method: 'PUT', body: { active: true, url } })
    expect(enabled.body).toMatchObject({ active: true, disabledReason: null, consecutiveFailures: 0, url })
    const never = { since: '2026-02-30T00:00:00Z' }
    expect((await customer.post(`/v1/webhooks/${webhook.id}/redeliver`, never)).body.code).toBe('INVALID_PARAM')
    const again = await customer.post(`/v1/webhooks/${webhook.id}/redeliver`, since)
    expect([again.status, again.body]).toEqual([202, { redelivered: 2, hasMore: false }])
    await eventually(
      'both to succeed',
      async () => (await listDeliveries(customer, webhook, '?status=SUCCESS')).length === 2,
    )
  },
)

test('a receiver that wants no second try of a message is not sent it again', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer, '/never-again')
  await customer.post('/v1/text/slugify', { text: 'Once' })
  const failed = await waitForDelivery(customer, webhook, 'the failure', ({ status }) => status === 'FAILED')
  expect(failed).toMatchObject({ attempts: 1, nextAttemptAt: null })
  expect((await customer.get(`/v1/webhooks/${webhook.id}`)).body.active).toBe(true)
})

test('one delivery can be sent again, whatever became of it', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer)
  await customer.post('/v1/text/slugify', { text: 'Twice' })
  const { id } = await waitForDelivery(customer, webhook, 'a success', ({ status }) => status === 'SUCCESS')
  const again = await customer.post(`/v1/webhooks/${webhook.id}/deliveries/${id}/redeliver`, undefined)
  expect([again.status, again.body]).toMatchObject([202, { id, status: 'PENDING' }])
  await eventually('the second message', () => receiver.at(webhook.path).length === 2)
  const ids = receiver.at(webhook.path).map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids)).toEqual(new Set([id]))
  const done = await waitForDelivery(
    customer,
    webhook,
    'its end',
    ({ attempts, status }) => attempts === 2 && status === 'SUCCESS',
  )
  expect(done.id).toBe(id)
})

test.each([
  ['/moved', 302, 'redirects are not followed'],
  ['/busy', 429, 'The receiver answered 429.'],
  ['/reset', null, 'The receiver closed the connection.'],
  ['/nothing-here', 404, 'The receiver answered 404.'],
])('an attempt at %s fails and says why', async (path, code, message) => {
  const customer = await stack.customer()
  const webhook = await register(customer, path)
  await customer.post(`/v1/webhooks/${webhook.id}/test`, undefined)
  const tried = await waitForDelivery(
    customer,
    webhook,
    'the attempt',
    ({ nextAttemptAt, attempts }) => attempts >= 1 && nextAttemptAt !== null,
  )
  expect(tried).toMatchObject({ status: 'PENDING', responseCode: code, errorMessage: expect.stringContaining(message) })
  const delayMs = Date.parse(tried.nextAttemptAt!) - Date.parse(tried.createdAt)
  if (path === '/busy') expect(delayMs).toBeGreaterThan(8_900)
  await customer.delete(`/v1/webhooks/${webhook.id}`)
})

test.each(['/large', '/endless', '/compressed'])(
  'of an answer such as %s only the start is read and kept',
  async path => {
    const customer = await stack.customer()
    const webhook = await register(customer, path)
    await customer.post(`/v1/webhooks/${webhook.id}/test`, undefined)
    const { id } = await waitForDelivery(customer, webhook, 'a success', ({ status }) => status === 'SUCCESS')
    const { body } = await customer.get(`/v1/webhooks/${webhook.id}/deliveries/${id}`)
    expect(Buffer.byteLength(body.responseBody)).toBeLessThanOrEqual(1_100)
    if (path === '/large') expect(body.responseBody.startsWith('\u{fffd}start x')).toBe(true)
  },
)

test('deliveries of a deleted webhook can still be listed, and what waited has failed', async () => {
  const customer = await stack.customer()
  const webhook = await register(customer, '/broken')
  await customer.post(`/v1/webhooks/${webhook.id}/test`, undefined)
  await waitForDelivery(
    customer,
    webhook,
    'the attempt',
    ({ nextAttemptAt, attempts }) => attempts >= 1 && nextAttemptAt !== null,
  )
  expect((await customer.delete(`/v1/webhooks/${webhook.id}`)).status).toBe(204)
  expect(await listDeliveries(customer, webhook)).toMatchObject([
    { status: 'FAILED', errorMessage: 'The webhook was deleted.' },
  ])
  expect((await customer.get(`/v1/webhooks/${webhook.id}`)).status).toBe(404)
  expect((await customer.delete(`/v1/webhooks/${webhook.id}`)).status).toBe(404)
})

test('what happens on the account of another is not delivered', async () => {
  const [owner, other] = [await stack.customer(), await stack.customer()]
  const webhook = await register(owner)
  await other.post('/v1/text/slugify', { text: 'Private' })
  await owner.post('/v1/text/slugify', { text: 'Mine' })
  await eventually('one delivery', () => receiver.at(webhook.path).length > 0)
  expect(receiver.at(webhook.path).map(({ body }) => JSON.parse(body).result.slug)).toEqual(['mine'])
})
