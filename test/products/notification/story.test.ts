import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId, notification } from '#kit'
import { openMailer } from '../../../ops/providers/mail/open.ts'
import { seal } from '../../../ops/secrets.ts'
import { rows, value } from '../../../sql/db.ts'
import { forgetNotifications } from '../../../sql/notification/steps.ts'
import { listSteps, retrySteps } from '../../../sql/step/queue.ts'
import { openDeliveryEnds, takeDeliveries } from '../../../sql/webhook/queue.ts'
import { products } from '../../../tasks/products/index.ts'
import { renderForOwner } from '../../../tasks/products/notification/index.ts'
import { readRepository } from '../../support/house/files.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { openVisitor } from '../../support/oauth/connection.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

const ADDRESS = 'ida@example.com'
let server: Awaited<ReturnType<typeof openMailServer>>
let api: InProcessApi
beforeAll(async () => {
  server = await openMailServer()
  api = await openInProcessApi({ SMTP_URL: server.url, WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
beforeEach(async () => {
  server.answers = {}
  await runDueSteps(api.context)
  server.mails.length = 0
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function openOwner(email: string | null = ADDRESS) {
  const owner = await openBatonOwner(api)
  await rows(
    api.context.db,
    "insert into svc.identity (provider, subject, account_id, email) values ('google', $1::text, $1::uuid, $2)",
    [owner.accountId, email],
  )
  const list = async (query = '') => (await owner.call('GET', `/v1/notifications${query}`)).json()
  return { ...owner, list }
}

type Owner = Awaited<ReturnType<typeof openOwner>>

/** Registers a webhook that answers 410 to its first delivery. */
async function loseWebhook({ call }: Owner, error = 'Gone.'): Promise<string> {
  const { db } = api.context
  const hook = { url: 'http://127.0.0.1:9/secret-path', events: ['job.completed'] }
  const { id } = (await call('POST', '/v1/webhooks', hook)).json()
  await call('POST', `/v1/webhooks/${id}/test`)
  const workerId = newId()
  const { deliveries } = await takeDeliveries(db, {
    ...{ workerId, slots: 100, trialSlots: 100, leaseSeconds: 30, maxPerEndpoint: 16 },
  })
  const ends = openDeliveryEnds(db.url)
  for (const { id: delivery, attempt } of deliveries)
    await ends.record(workerId, { id: delivery, attempt, ok: false, code: 410, error, ms: 5 })
  await ends.close()
  return id
}

const tell = (accountId: string, name: string, data: object, key = newId()) =>
  value(api.context.db, 'select notification.tell_owner($1, $2, $3, $4)', [accountId, name, key, data])
const DISABLED = { id: newId(), host: 'a.example', reason: 'It is gone.' }

test('the owner of a webhook that is disabled is told by mail, once, also if the mail server was away', async () => {
  const [owner, other] = [await openOwner(), await openOwner('other@example.com')]
  const id = await loseWebhook(owner)
  expect((await owner.call('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({ active: false })
  const { data, pagination } = await owner.list()
  expect(pagination).toEqual({ limit: 20, offset: 0, hasMore: false })
  expect(data).toEqual([
    expect.objectContaining({
      ...{ name: 'webhook.disabled', recipient: ADDRESS, state: 'waiting', attempts: 0, lastError: null },
      subject: 'Your webhook at 127.0.0.1:9 was disabled',
      text: expect.stringContaining(`/dashboard/webhooks/${id}`),
    }),
  ])
  expect(JSON.stringify(data)).not.toContain('secret')
  expect((await other.list()).data).toEqual([])

  server.answers.DATA = '451 come back later'
  await runDueSteps(api.context)
  expect((await owner.list()).data).toMatchObject([
    { state: 'waiting', attempts: 1, lastError: expect.stringContaining('451') },
  ])
  const [failing] = (await listSteps(api.context.db, 10)).filter(({ name }) => name === 'notification.send')
  expect(failing).toMatchObject({ state: 'failing', key: data[0].id, last_error: expect.stringContaining('451') })
  expect(server.mails).toEqual([])

  server.answers = {}
  await retrySteps(api.context.db, failing!.id)
  await runDueSteps(api.context)
  expect(server.mails).toHaveLength(1)
  expect(server.mails[0]).toContain(`To: ${ADDRESS}`)
  expect(server.mails[0]).toContain('Subject: Your webhook at 127.0.0.1:9 was disabled')
  expect(server.mails[0]).toContain(`Message-ID: <${data[0].id}@`)
  expect((await owner.list()).data).toMatchObject([{ state: 'sent', attempts: 2, lastError: null }])

  await tell(owner.accountId, 'webhook.disabled', DISABLED, 'the same')
  await tell(owner.accountId, 'webhook.disabled', DISABLED, 'the same')
  expect((await owner.list()).data).toHaveLength(2)
  expect((await owner.list('?state=sent&name=webhook.disabled&limit=1')).data).toHaveLength(1)
  expect((await owner.list('?limit=1')).pagination).toMatchObject({ hasMore: true })
  expect((await owner.list('?name=other.name')).data).toEqual([])
})

test('a message goes with the transaction that causes it', async () => {
  const owner = await openOwner()
  const undone = `do $$ begin perform notification.tell_owner('${owner.accountId}', 'webhook.disabled', 'x',
    '${JSON.stringify(DISABLED)}'); raise 'undone'; end $$`
  await expect(rows(api.context.db, undone)).rejects.toThrow('undone')
  expect((await owner.list()).data).toEqual([])
  expect((await listSteps(api.context.db, 10)).filter(({ state }) => state === 'waiting')).toEqual([])
})

test('without a mail server or an address a message is kept, and one that is refused is not tried again', async () => {
  const [known, unknown] = [await openOwner(), await openOwner(null)]
  await tell(unknown.accountId, 'webhook.disabled', DISABLED)
  await runDueSteps(api.context)
  expect((await unknown.list()).data).toMatchObject([{ state: 'kept', recipient: null }])
  const { config, log } = api.context
  const mail = openMailer({ mail: { ...config.mail, smtpUrl: undefined }, dataDir: config.dataDir } as never, log)
  await tell(known.accountId, 'webhook.disabled', DISABLED)
  await runDueSteps({ ...api.context, mail })
  expect((await known.list()).data).toMatchObject([{ state: 'kept', recipient: ADDRESS }])
  server.answers.RCPT = '550 no such user'
  await tell(known.accountId, 'webhook.disabled', DISABLED)
  await runDueSteps(api.context)
  expect((await known.list('?state=refused')).data).toMatchObject([{ lastError: expect.stringContaining('550') }])
  expect((await listSteps(api.context.db, 10)).filter(({ name }) => name === 'notification.send')).toEqual([])
  expect(server.mails).toEqual([])
})

test('what only the recipient may read is in the mail, and nowhere in the outbox', async () => {
  const home = products.find(({ name }) => name === 'notification')!
  home.notifications = {
    'test.invited': notification({
      summary: 'A test.',
      data: { who: Type.String(), link: Type.String() },
      secrets: ['link'],
      example: { who: 'Ida', link: 'https://a.example/' },
      subject: ({ who }) => `For ${who}`,
      text: ({ link }) => `Open ${link}`,
    }),
  }
  const { db, config } = api.context
  const owner = await openOwner()
  const [id, link] = [newId(), 'https://a.example/tkt_secret']
  const sealed = seal(config.secret, JSON.stringify({ link }), id)
  const queued = [id, owner.accountId, 'signer@example.com', { who: 'Ida' }, sealed]
  await value(db, "select notification.queue($1, $2, 'test.invited', 'k', $3, $4, $5)", queued)
  const stored = () => value<string>(db, 'select n::text from svc.notification n where id = $1', [id])
  expect(await stored()).toContain(sealed)
  expect((await owner.list()).data).toMatchObject([
    { subject: 'For Ida', text: 'Open (only its recipient is shown this)', recipient: 'signer@example.com' },
  ])
  await runDueSteps(api.context)
  expect(server.mails[0]).toContain(`Open ${link}`)
  expect(await stored()).not.toContain(sealed)
  expect(await stored()).not.toContain('tkt_secret')
  expect(JSON.stringify(await value(db, 'select notification.export_account($1)', [owner.accountId]))).not.toContain(
    'tkt_secret',
  )
  home.notifications = undefined
  // Its template is gone, which makes no list unreadable.
  expect((await owner.list()).data).toMatchObject([{ subject: 'test.invited', text: null }])
})

test('the dashboard shows what was sent to the owner of the session only', async () => {
  const [visitor, other] = [await openVisitor(api), await openVisitor(api)]
  await tell(visitor.accountId, 'webhook.disabled', { ...DISABLED, reason: 'Gone <b>for good</b>.' })
  const page = await visitor.get('/dashboard/notifications')
  expect(page.body).toContain('Your webhook at a.example was disabled')
  expect(page.body).toContain('Gone &lt;b&gt;for good&lt;/b&gt;.')
  expect(page.body).toContain('href="/dashboard/notifications"')
  expect((await other.get('/dashboard/notifications')).body).not.toContain('a.example')
})

test('messages are forgotten after their time', async () => {
  const owner = await openOwner()
  await tell(owner.accountId, 'webhook.disabled', DISABLED)
  await rows(
    api.context.db,
    "update svc.notification set created_at = now() - interval '91 days' where account_id = $1",
    [owner.accountId],
  )
  expect(await forgetNotifications(api.context.db, 90, 1_000)).toBe(1)
  expect((await owner.list()).data).toEqual([])
})

test('every message is written whole by its template, and what SQL queues is declared', () => {
  const declared = new Map(products.flatMap(({ notifications = {} }) => Object.entries(notifications)))
  for (const [name, { example }] of declared) {
    const { subject, text } = renderForOwner({ name, data: example }, 'https://a.example')!
    expect([name, subject, text]).toEqual([
      name,
      expect.not.stringMatching(/undefined|\n/),
      expect.not.stringContaining('undefined'),
    ])
  }
  const files = [...readRepository()].filter(([path]) => /^sql\/(?!notification\/).*functions\/.*\.sql$/.test(path))
  // A name that comes from our own code as a field of JSON is checked by its types.
  const call = /notification\.(?:tell_owner|queue)\((?:[^';]|(?<=->>? )'[^']*')*?(?<!->>? )'([^']+)'/g
  const queued = files.flatMap(([, text]) => [...text.matchAll(call)])
  expect(queued.map(([, name]) => name)).toContain('webhook.disabled')
  for (const [, name] of queued) expect([...declared.keys()]).toContain(name)
})
