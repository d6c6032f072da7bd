import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
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

const EVENTS = ['baton.written', 'token.used', 'token.exhausted', 'pass.all_tokens_consumed']
const READ_ONCE = { type: 'read', reads_allowed: 1 }

async function create(customer: Customer, paths: Record<string, string[]>, more: object = {}) {
  for (const path of Object.keys(paths)) receiver.answer(path, response => void response.writeHead(204).end())
  const eventTriggers = Object.entries(paths).map(([path, events]) => ({ url: receiver.url + path, events }))
  const body = { preset: 'scratchpad', tier: 'femto', content: 'log', eventTriggers, ...more }
  const answer = await customer.post('/v1/baton', body)
  expect(answer.status).toBe(201)
  return answer.body
}

test('the four events of a baton arrive at its triggers, signed in both ways', async () => {
  const customer = await stack.customer()
  const tokens = [READ_ONCE, { type: 'read', reads_allowed: 2 }]
  const baton = await create(customer, { '/all': EVENTS, '/writes': ['baton.written'] }, { tokens })
  await create(customer, { '/other-baton': EVENTS })
  await customer.post(`/v1/baton/${baton.id}`, { content: ' more' })
  for (const { id } of [baton.tokens[0], baton.tokens[1], baton.tokens[1]]) {
    expect((await stack.anonymous.get(`/v1/baton/${id}`)).text).toBe('log more')
  }
  await eventually('all events', () => receiver.at('/all').length === 7 && receiver.at('/writes').length === 1, 120_000)

  for (const [place, path] of ['/all', '/writes'].entries()) {
    const { secret } = baton.eventTriggers[place]
    for (const { headers, body } of receiver.at(path)) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string }
      expect(event).toMatchObject({ type: headers['x-service-event'], baton_id: baton.id })
      const mac = createHmac('sha256', secret).update(`${String(headers['x-service-timestamp'])}.${body}`)
      expect(headers['x-service-signature']).toBe(`sha256=${mac.digest('hex')}`)
      expect(headers['x-service-delivery-id']).toBe(headers['webhook-id'])
    }
  }
  const received = receiver.at('/all').map(({ body }) => JSON.parse(body))
  const inOrder = received.sort((one, other) => one.sequence - other.sequence)
  const [first, second] = baton.tokens.map(({ writer }: { writer: string }) => writer.slice('token:'.length))
  expect(inOrder.map(({ type, token_id: token, use }) => [type, token, use])).toEqual([
    ['baton.written', undefined, undefined],
    ['token.used', first, 'read'],
    ['token.exhausted', first, 'read'],
    ['token.used', second, 'read'],
    ['token.used', second, 'read'],
    ['token.exhausted', second, 'read'],
    ['pass.all_tokens_consumed', undefined, undefined],
  ])
  expect(inOrder[0]).toMatchObject({ seq: 2, writer: 'owner', sizeBytes: 5 })
  expect(receiver.messages.map(({ body }) => body).join()).not.toContain('log more')
  expect(receiver.at('/other-baton')).toEqual([])
})

test('a baton that a call creates has triggers, and its owner alone reads their secrets', async () => {
  const [customer, other] = await Promise.all([stack.customer(), stack.customer()])
  receiver.answer('/delivered', response => void response.writeHead(204).end())
  const trigger = { url: `${receiver.url}/delivered`, events: ['baton.written'], description: 'copies' }
  const fields = { preset: 'scratchpad', tier: 'femto', eventTriggers: [trigger] }
  const hashed = await customer.post('/v1/utils/hash', { text: 'abc', deliver: { new: fields } })
  expect([hashed.status, JSON.stringify(hashed.body)]).toEqual([200, expect.not.stringContaining('whsec_')])
  const { batonId } = hashed.body.delivered
  expect((await customer.post(`/v1/baton/${batonId}`, { content: 'more' })).status).toBe(201)
  await eventually('the event', () => receiver.at('/delivered').length === 1, 120_000)
  const { data } = (await customer.get(`/v1/baton/${batonId}/triggers`)).body
  expect(data).toEqual([expect.objectContaining({ ...trigger, active: true, consecutiveFailures: 0 })])
  const { headers, body } = receiver.at('/delivered')[0]!
  expect(new Webhook(data[0].secret).verify(body, headers as Record<string, string>)).toMatchObject({
    baton_id: batonId,
  })
  expect((await other.get(`/v1/baton/${batonId}/triggers`)).status).toBe(404)
  const refused = { ...fields, eventTriggers: [{ ...trigger, events: ['a'] }] }
  const before = await customer.money()
  expect(await customer.post('/v1/utils/hash', { text: 'abc', deliver: { new: refused } })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_EVENTS' },
  })
  expect(await customer.money()).toEqual(before)
})

test('the events of a burned pass are still delivered, and its triggers end when it is purged', async () => {
  const customer = await stack.customer()
  const tokens = [READ_ONCE]
  const pass = await create(customer, { '/pass': EVENTS }, { preset: 'pass', tokens })
  receiver.answer('/pass', response => void response.writeHead(503).end())
  expect((await stack.anonymous.get(`/v1/baton/${pass.tokens[0].id}`)).text).toBe('log')
  await eventually('a first attempt', () => receiver.at('/pass').length > 0, 120_000)
  const endpoint = pass.eventTriggers[0].id
  await rows(stack.db, 'update svc.baton set purge_at = now() where id = $1', [pass.id])
  await rows(stack.db, 'select baton.purge(100)')
  const ended = await rows(stack.db, 'select from svc.webhook_endpoint where id = $1 and deleted_at is not null', [
    endpoint,
  ])
  expect(ended).toHaveLength(1)
  receiver.answer('/pass', response => void response.writeHead(204).end())
  const deliverNow = async () => {
    await rows(stack.db, 'update svc.webhook_delivery set due_at = now() where endpoint_id = $1 and due_at > now()', [
      endpoint,
    ])
    await rows(stack.db, 'update svc.webhook_endpoint set next_at = now(), paused_until = null where id = $1', [
      endpoint,
    ])
    const left = await rows(
      stack.db,
      "select from svc.webhook_delivery where endpoint_id = $1 and status <> 'SUCCESS'",
      [endpoint],
    )
    return left.length === 0
  }
  await eventually('every event to be delivered', deliverNow, 120_000)
  const types = new Set(receiver.at('/pass').map(({ headers }) => headers['x-service-event']))
  expect(types).toEqual(new Set(EVENTS.slice(1)))
}, 300_000)
