import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/machine/eventually.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../support/servers/webhook-receiver.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'

let stack: Stack
let receiver: WebhookReceiver
beforeAll(async () => {
  ;[stack, receiver] = await Promise.all([openDefaultStack(), openWebhookReceiver()])
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test.each([
  ['a secret of ours', '/minted', undefined],
  ['a secret of the owner', '/own', 'correct horse battery staple'],
])('each message is announced to the owner, signed with %s', async (_, path, ownSecret) => {
  receiver.answer(path, response => void response.writeHead(200).end())
  const customer = await stack.customer()
  const { status, body: mailbox } = await customer.request('/api/mailbox', {
    method: 'POST',
    headers: { 'x-webhook-url': receiver.url + path, ...(ownSecret && { 'x-webhook-secret': ownSecret }) },
  })
  expect([status, mailbox.has_webhook]).toEqual([201, true])
  if (ownSecret) expect(mailbox.webhook_secret).toBeNull()
  const sent = await fetch(mailbox.drop_url, {
    method: 'POST',
    body: 'private words',
    headers: { 'content-type': 'text/plain', 'x-filename': 'note.txt' },
  })
  const receipt = (await sent.json()) as { message_id: string; received_at: string }
  await eventually('the notification', () => receiver.at(path).length > 0)

  const { headers, body } = receiver.at(path)[0]!
  expect(JSON.parse(body)).toMatchObject({
    ...{ type: 'mailbox.message', event: 'mailbox.message', lease_id: mailbox.lease_id, sequence: 1 },
    ...{ message_id: receipt.message_id, received_at: receipt.received_at, size_bytes: 13, filename: 'note.txt' },
    ...{ content_type: 'text/plain', used_bytes: 13, capacity_bytes: 1_048_576 },
  })
  expect(body).not.toContain('private words')
  const secret = ownSecret ?? mailbox.webhook_secret
  expect(headers['x-mailbox-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'))
  const verifier = ownSecret ? new Webhook(ownSecret, { format: 'raw' }) : new Webhook(secret)
  expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'mailbox.message' })
  expect((await customer.get('/v1/webhooks')).body.data).toEqual([])
})

test('an expired mailbox is ended by its step', async () => {
  const customer = await stack.customer()
  const { body: mailbox } = await customer.request('/api/mailbox', { method: 'POST' })
  await fetch(mailbox.drop_url, { method: 'POST', body: 'x' })
  const id = mailbox.lease_id.slice(4)
  const text = "update svc.lease set expires_at = now() - interval '1 s' where id = $1"
  await stack.db.query({ text, values: [id] })
  const due = "select step.queue('lease.expire', json_build_object('leaseId', $1::uuid), now(), $1::uuid::text)"
  await stack.db.query({ text: due, values: [id] })
  await eventually('the end of the lease', async () => {
    const query = 'select from svc.lease where id = $1 and ended_at is not null'
    return (await stack.db.query({ text: query, values: [id] })).rowCount === 1
  })
  const left = await stack.db.query({ text: 'select from svc.mailbox_message where lease_id = $1', values: [id] })
  expect([left.rowCount, (await fetch(mailbox.drop_url, { method: 'POST', body: 'y' })).status]).toEqual([0, 410])
})
