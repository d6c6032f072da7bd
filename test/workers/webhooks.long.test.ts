import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/servers/webhook-receiver.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
let receiver: WebhookReceiver
beforeAll(async () => {
  ;[stack, receiver] = await Promise.all([
    startStack({ worker: false, env: { WEBHOOK_NETWORKS: '127.0.0.1' } }),
    openWebhookReceiver(),
  ])
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function register(customer: Customer, path: string): Promise<string> {
  const { body } = await customer.post('/v1/webhooks', { url: receiver.url + path, events: ['job.completed'] })
  return body.id
}

async function countSuccesses(customer: Customer, id: string): Promise<number> {
  const { data } = (await customer.get(`/v1/webhooks/${id}/deliveries?status=SUCCESS&limit=100`)).body
  return data.length
}

test('deliveries that a killed worker was sending arrive through another one, under the same ids', async () => {
  const customer = await stack.customer()
  const id = await register(customer, '/held')
  const held: (() => void)[] = []
  let isHolding = true
  receiver.answer('/held', response => {
    const answer = () => void response.writeHead(200).end()
    if (isHolding) held.push(answer)
    else answer()
  })
  const worker = await stack.startWorker({})
  for (let calls = 0; calls < 10; calls++) await customer.post('/v1/text/slugify', { text: `Call ${calls}` })
  await eventually('a delivery to be under way', () => held.length > 0)
  await worker.kill()
  isHolding = false
  await using _next = await stack.startWorker({})
  await eventually('every delivery to succeed', async () => (await countSuccesses(customer, id)) === 10)
  const ids = receiver.at('/held').map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(10)
  expect(ids.length).toBe(10 + held.length)
  const [repeated] = await rows<{ attempts: number }>(
    stack.db,
    'select max(attempts) as attempts from svc.webhook_delivery where endpoint_id = $1',
    [id],
  )
  expect(repeated!.attempts).toBe(2)
})

test('a worker that is stopped finishes or hands over what it was sending', async () => {
  const customer = await stack.customer()
  const id = await register(customer, '/slow')
  let isSlow = true
  receiver.answer('/slow', response => void (isSlow || response.writeHead(200).end()))
  const worker = await stack.startWorker({})
  await customer.post('/v1/text/slugify', { text: 'Slow' })
  await eventually('the delivery to be under way', () => receiver.at('/slow').length === 1)
  expect(await worker.stop()).toBe(0)
  isSlow = false
  await using _next = await stack.startWorker({})
  await eventually('the delivery to succeed', async () => (await countSuccesses(customer, id)) === 1)
})

test('receivers that hang do not delay the others', async () => {
  await stack.writeSetting('webhook.concurrency', 20)
  await stack.writeSetting('webhook.timeout_seconds', 60)
  await using _worker = await stack.startWorker({})
  const [healthy, ...hanging] = await Promise.all(Array.from({ length: 31 }, () => stack.customer()))
  receiver.answer('/healthy', response => void response.writeHead(200).end())
  const id = await register(healthy!, '/healthy')
  await healthy!.post('/v1/text/slugify', { text: 'First' })
  await eventually('the first', async () => (await countSuccesses(healthy!, id)) === 1)
  await Promise.all(
    hanging.map(async customer => {
      await register(customer, '/hang')
      await customer.post('/v1/text/slugify', { text: 'Hanging' })
    }),
  )
  await eventually('as many to hang as may', () => receiver.at('/hang').length >= 15)
  for (let calls = 0; calls < 20; calls++) await healthy!.post('/v1/text/slugify', { text: `Call ${calls}` })
  const areAllSent = async () => (await countSuccesses(healthy!, id)) === 21
  await eventually('those of the healthy one, before any that hangs has timed out', areAllSent, 45_000)
  await stack.writeSetting('webhook.concurrency', null)
})
