import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCsrfToken } from '../../api/intake/identity/csrf.ts'
import { hashToken } from '../../ops/secrets.ts'
import { createAccount } from '../../sql/account.ts'
import { startSession } from '../../sql/session.ts'
import { listDeliveries, listWebhooks } from '../../sql/webhook/endpoints.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** A signed-in visitor. */
async function openVisitor() {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  const word = randomBytes(32).toString('base64url')
  await startSession(db, hashToken(config.secret, 'session', word), { accountId, openedBy: null })
  const cookie = `svc_session=${word}`
  return {
    accountId,
    get: async (url: string) => api.app.inject({ method: 'GET', url, headers: { cookie } }),
    post: async (url: string, fields: Record<string, string> = {}) =>
      api.app.inject({
        method: 'POST',
        url,
        headers: { cookie, origin: config.publicUrl, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ ...fields, csrf: makeCsrfToken(config, word) }).toString(),
      }),
  }
}

const FORM = { url: 'https://93.184.216.34/hooks', events: 'job.completed', description: 'a <b>bold</b> one' }

test('a visitor adds a webhook, sees its secret once, tests, disables, rotates and deletes it', async () => {
  const { db } = api.context
  const visitor = await openVisitor()
  expect((await visitor.get('/dashboard/webhooks')).body).toContain('No webhooks yet.')
  const added = await visitor.post('/dashboard/webhooks/new', FORM)
  const [secret] = /whsec_[\w+/=]+/.exec(added.body) ?? []
  expect([added.statusCode, secret?.length]).toEqual([200, 50])
  const list = await visitor.get('/dashboard/webhooks')
  expect(list.body).toContain('a &lt;b&gt;bold&lt;/b&gt; one')
  expect(list.body).not.toContain(secret)

  const { id } = (await listWebhooks(db, visitor.accountId))[0]!
  const page = `/dashboard/webhooks/${id}`
  const tested = await visitor.post(`${page}/test`)
  expect([tested.statusCode, tested.headers.location]).toEqual([303, `${page}?done=test`])
  const details = (await visitor.get(`${page}?done=test`)).body
  expect(details).toContain('A test event is on its way.')
  expect(details).toContain('webhook.test')
  const [delivery] = (await listDeliveries(db, { accountId: visitor.accountId, id, limit: 1, offset: 0 }))!
  expect((await visitor.post(`${page}/redeliver`, { delivery: delivery!.id })).statusCode).toBe(303)
  expect((await visitor.post(`${page}/disable`)).statusCode).toBe(303)
  expect((await visitor.get(`${page}?status=FAILED`)).body).toContain('The webhook was disabled.')
  expect((await visitor.post(`${page}/test`)).statusCode).toBe(409)
  expect((await visitor.post(`${page}/enable`)).statusCode).toBe(303)
  expect((await visitor.post(`${page}/recover`)).statusCode).toBe(303)
  const rotated = await visitor.post(`${page}/rotate`)
  expect(rotated.body).toMatch(/whsec_/)
  expect(rotated.body).not.toContain(secret)
  expect((await visitor.post(`${page}/delete`)).headers.location).toBe('/dashboard/webhooks?done=deleted')
  expect(await listWebhooks(db, visitor.accountId)).toEqual([])
})

test.each([
  [
    { url: 'https://10.0.0.1/hook' },
    422,
    'This is not a public address. The operator allows it by a setting, such as WEBHOOK_NETWORKS=127.0.0.1',
  ],
  [{ events: '' }, 400, 'Choose at least one event.'],
])('a form with %j is refused in words', async (change, status, text) => {
  const visitor = await openVisitor()
  const refused = await visitor.post('/dashboard/webhooks/new', { ...FORM, ...change })
  expect(refused.statusCode).toBe(status)
  expect(refused.body).toContain(text)
})

test('a webhook of another account cannot be seen or changed', async () => {
  const [owner, other] = [await openVisitor(), await openVisitor()]
  await owner.post('/dashboard/webhooks/new', FORM)
  const { id } = (await listWebhooks(api.context.db, owner.accountId))[0]!
  expect((await other.get(`/dashboard/webhooks/${id}`)).statusCode).toBe(404)
  for (const action of ['test', 'disable', 'rotate', 'delete', 'nothing'])
    expect((await other.post(`/dashboard/webhooks/${id}/${action}`)).statusCode, action).toBe(404)
  expect((await owner.get(`/dashboard/webhooks/${id}`)).statusCode).toBe(200)
})
