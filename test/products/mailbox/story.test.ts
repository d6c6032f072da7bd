import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  expect(await rows(api.context.db, 'select * from lease.check_invariants()')).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

async function openOwner(balanceMicros = 1_000_000n) {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const ask = (method: Method, url: string, headers = {}) =>
    api.app.inject({ method, url, headers: { authorization: `Bearer ${key}`, ...headers } })
  return {
    ask,
    open: async (headers = {}) => {
      const created = await ask('POST', '/api/mailbox', { 'x-drop-rate': '10000', ...headers })
      expect(created.statusCode).toBe(201)
      const { lease_id: id, drop_url } = created.json()
      return { id: id as string, dropPath: new URL(drop_url).pathname, created: created.json() }
    },
    list: async (id: string, query = '') => (await ask('GET', `/api/mailbox/${id}/messages${query}`)).json(),
    balance: async () => BigInt((await readAccount(db, accountId))!.balanceMicros),
  }
}

const drop = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain', ...headers }, payload })

/** Waits for the answer while it sends chunks without a declared length; tells how much it could send. */
async function dropInChunks(path: string, chunks: number, chunk: Buffer) {
  const { port } = api.app.server.address() as AddressInfo
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sending = httpRequest({ port, path, method: 'POST', headers: { 'content-type': 'application/json' } }, resolve)
  sending.on('error', reject)
  let sent = 0
  let isAnswered = false
  promise.then(
    () => (isAnswered = true),
    () => (isAnswered = true),
  )
  for (; sent < chunks && !isAnswered; sent++) {
    if (!sending.write(chunk)) await Promise.race([new Promise(done => sending.once('drain', done)), promise])
    await pause()
  }
  if (!isAnswered) sending.end()
  const answer = await promise
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part as Buffer)
  sending.destroy()
  return {
    status: answer.statusCode,
    body: JSON.parse(Buffer.concat(parts).toString()),
    sentBytes: sent * chunk.length,
  }
}

test('strangers leave messages with the drop URL, and only the owner reads them', async () => {
  const [owner, other] = await Promise.all([openOwner(), openOwner()])
  const label = 'Factures reçues 受信箱'
  const headers = { 'x-label': Buffer.from(label).toString('latin1'), 'x-duration-seconds': '3600' }
  const { id, dropPath, created } = await owner.open(headers)
  expect(created).toMatchObject({
    ...{ status: 'created', label, state: 'open', capacity_bytes: 1_048_576, cost_micros: '1000' },
    ...{ max_message_bytes: 262_144, max_messages: 1_000, webhook_secret: null },
    poll_url: expect.stringContaining(`/api/mailbox/${id}/messages`),
  })
  expect(id).toMatch(/^lse_[0-9a-f]{32}$/)
  expect(dropPath).toMatch(/^\/api\/mailbox\/drp_[\w-]{43}\/drop$/)
  const bytes = randomBytes(3_000)
  const receipt = await drop(dropPath, bytes, {
    ...{ 'content-type': 'text/html', 'x-filename': '../été <b>.html', origin: 'https://a.example' },
  })
  expect([receipt.statusCode, receipt.headers['access-control-allow-origin']]).toEqual([201, '*'])
  expect(receipt.json()).toMatchObject({
    ...{ status: 'accepted', size_bytes: 3_000, remaining_bytes: 1_045_576, remaining_messages: 999 },
    message_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
  })
  await drop(dropPath, '{"n":2}', {
    'content-type': 'application/json',
    'content-disposition': 'attachment; filename="2.json"',
  })
  const { items, ...usage } = await owner.list(id)
  expect(usage).toEqual({ next: null, used_bytes: 3_007, capacity_bytes: 1_048_576, count: 2 })
  expect(items).toMatchObject([
    {
      ...{ size_bytes: 3_000, content_type: 'text/html', filename: 'été <b>.html', read_at: null },
      sha256: createHash('sha256').update(bytes).digest('hex'),
    },
    { content_type: 'application/json', filename: '2.json' },
  ])
  const path = `/api/mailbox/${id}/messages/${items[0].id}`
  expect((await owner.ask('HEAD', path)).statusCode).toBe(200)
  expect((await owner.list(id, '?unread=true')).items).toHaveLength(2)
  const read = await owner.ask('GET', path)
  expect(Buffer.compare(read.rawPayload, bytes)).toBe(0)
  expect(read.headers).toMatchObject({
    ...{ 'content-type': 'text/html', 'x-content-type-options': 'nosniff', 'x-lease-expires-at': created.expires_at },
    'content-disposition': expect.stringMatching(/^attachment; filename="_t_ <b>\.html"/),
  })
  expect((await owner.list(id, '?unread=true')).items).toHaveLength(1)
  for (const address of [`/api/mailbox/${id}`, `/api/mailbox/${id}/messages`, path]) {
    expect((await other.ask('GET', address)).statusCode).toBe(403)
    expect((await api.app.inject({ url: address })).statusCode).toBe(401)
  }
  expect((await other.ask('DELETE', path)).statusCode).toBe(403)
  expect((await other.ask('DELETE', `/api/mailbox/${id}`)).statusCode).toBe(403)
  expect((await other.ask('POST', `/api/mailbox/${id}/rotate-drop-token`)).statusCode).toBe(403)
  expect((await owner.ask('GET', `/api/mailbox/lse_${'0'.repeat(32)}`)).statusCode).toBe(404)
  expect((await owner.ask('GET', `/api/mailbox/${id}/messages/msg_${'0'.repeat(32)}`)).statusCode).toBe(404)
  expect((await drop('/api/mailbox/drp_nothing/drop', 'x')).statusCode).toBe(404)
  expect(await owner.balance()).toBe(999_000n)
})

test('messages are listed page by page in their order, and a cursor outlives its message', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open()
  for (let n = 1; n <= 5; n++) await drop(dropPath, `message ${n}`)
  const first = await owner.list(id, '?limit=2')
  const second = await owner.list(id, `?limit=2&after=${first.next}`)
  expect((await owner.ask('DELETE', `/api/mailbox/${id}/messages/${second.next}`)).statusCode).toBe(204)
  const third = await owner.list(id, `?limit=2&after=${second.next}`)
  const ids = [first, second, third].flatMap(({ items }) => items.map((item: { id: string }) => item.id))
  expect([new Set(ids).size, third.next, third.items[0].size_bytes]).toEqual([5, null, 9])
  expect(ids).toEqual([...ids].sort())
  expect((await owner.ask('GET', '/api/mailbox')).json().items).toMatchObject([{ lease_id: id, count: 4 }])
})

test('a list that waits is answered when a message arrives, or empty when its time is over', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open()
  const waiting = owner.list(id, '?waitSec=55')
  expect((await drop(dropPath, 'here')).statusCode).toBe(201)
  expect((await waiting).items).toHaveLength(1)
  expect((await owner.list(id, `?waitSec=1&after=msg_${'f'.repeat(32)}`)).items).toEqual([])
})

test('of two messages that exceed the capacity together exactly one is refused', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open({ 'x-capacity-bytes': '1024' })
  const both = await Promise.all([drop(dropPath, 'a'.repeat(600)), drop(dropPath, 'b'.repeat(600))])
  expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([201, 413])
  const refused = both.find(({ statusCode }) => statusCode === 413)!.json()
  expect(refused).toMatchObject({ code: 'MAILBOX_FULL', limit: 1_024, remaining_bytes: 424 })
  expect((await drop(dropPath, 'c'.repeat(424))).statusCode).toBe(201)
  expect((await owner.ask('GET', `/api/mailbox/${id}`)).json()).toMatchObject({ state: 'full', used_bytes: 1_024 })
  const [{ id: message }] = (await owner.list(id)).items
  await owner.ask('DELETE', `/api/mailbox/${id}/messages/${message}`)
  expect((await drop(dropPath, 'd'.repeat(600))).statusCode).toBe(201)
})

test('the count of messages holds when many arrive at once', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open({ 'x-max-messages': '7' })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => drop(dropPath, `m${n}`)))
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(7)
  const codes = answers.filter(({ statusCode }) => statusCode !== 201).map(answer => answer.json().code)
  expect(new Set(codes)).toEqual(new Set(['MESSAGE_COUNT_EXCEEDED']))
  expect((await owner.list(id)).count).toBe(7)
})

test('a message above the cap is refused before it is read whole, whatever its length says', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open({ 'x-max-message-bytes': '1000' })
  const declared = await drop(dropPath, 'x'.repeat(1_001))
  expect([declared.statusCode, declared.json()]).toMatchObject([
    413,
    { code: 'INPUT_TOO_LARGE', max_message_bytes: 1_000 },
  ])
  const totalBytes = 256 * 2 ** 20
  const chunked = await dropInChunks(dropPath, totalBytes / 65_536, Buffer.alloc(65_536, 'x'))
  expect([chunked.status, chunked.body.code]).toEqual([413, 'INPUT_TOO_LARGE'])
  expect(chunked.sentBytes).toBeLessThan(totalBytes)
  expect((await dropInChunks(dropPath, 1, Buffer.alloc(0))).status).toBe(400)
  expect((await owner.list(id)).count).toBe(0)
})

test('a repeat under a key leaves no second message', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open()
  const keyed = { 'idempotency-key': 'drop-1' }
  const answers = await Promise.all(Array.from({ length: 6 }, () => drop(dropPath, 'once', keyed)))
  expect(new Set(answers.map(answer => answer.json().message_id)).size).toBe(1)
  expect((await drop(dropPath, 'twice', keyed)).json().code).toBe('IDEMPOTENCY_CONFLICT')
  expect((await owner.list(id)).count).toBe(1)
})

test('a mailbox takes only the types that its owner allows, and a new token replaces the former', async () => {
  const owner = await openOwner()
  const { id, dropPath } = await owner.open({ 'x-allowed-content-types': 'application/json, image/*' })
  expect((await drop(dropPath, 'x')).statusCode).toBe(415)
  expect((await drop(dropPath, 'x', { 'content-type': 'image/png' })).statusCode).toBe(201)
  expect((await drop(dropPath, '{}', { 'content-type': 'application/json; charset=utf-8' })).statusCode).toBe(201)
  expect((await drop(dropPath, '', { 'content-type': 'image/png' })).json().code).toBe('EMPTY_BODY')
  const rotated = (await owner.ask('POST', `/api/mailbox/${id}/rotate-drop-token`)).json()
  const json = { 'content-type': 'application/json' }
  expect((await drop(dropPath, '{}', json)).statusCode).toBe(404)
  expect((await drop(new URL(rotated.drop_url).pathname, '{}', json)).statusCode).toBe(201)
  const stored = await rows(api.context.db, 'select l::text as lease from svc.lease l')
  expect(JSON.stringify(stored)).not.toContain('drp_')
})

test.each([
  ['x-capacity-bytes', '1023', 'INVALID_PARAM'],
  ['x-capacity-bytes', '104857601', 'INVALID_PARAM'],
  ['x-max-message-bytes', '10485761', 'INVALID_PARAM'],
  ['x-max-messages', '0', 'INVALID_PARAM'],
  ['x-duration-seconds', '59', 'INVALID_PARAM'],
  ['x-allowed-content-types', 'text', 'INVALID_PARAM'],
  ['x-webhook-secret', 'a secret without a URL', 'CONFLICTING_OPTIONS'],
  ['x-webhook-url', 'https://127.0.0.1/hook', 'WEBHOOK_URL_REFUSED'],
])('%s: %s is refused with %s and costs nothing', async (header, text, code) => {
  const owner = await openOwner()
  const answer = await owner.ask('POST', '/api/mailbox', { [header]: text })
  expect([answer.statusCode < 500, answer.json().code]).toEqual([true, code])
  expect(await owner.balance()).toBe(1_000_000n)
})

test('a repeat of the purchase gets the same drop URL and secret, which are stored nowhere', async () => {
  const owner = await openOwner()
  const headers = { 'idempotency-key': 'mailbox-1', 'x-webhook-url': 'https://93.184.216.34/hook' }
  const { created } = await owner.open(headers)
  expect(created.webhook_secret).toMatch(/^whsec_/)
  expect((await owner.open(headers)).created).toEqual(created)
  expect(await owner.balance()).toBe(999_000n)
  const stored = await rows(api.context.db, 'select j.result::text, e::text from svc.job j, svc.webhook_endpoint e')
  expect(JSON.stringify(stored)).not.toContain(created.webhook_secret)
  expect(JSON.stringify(stored)).not.toContain('drp_')
})

test('after its end a mailbox is gone for owner and strangers, with all it held', async () => {
  const owner = await openOwner()
  const [deleted, expired] = [await owner.open(), await owner.open()]
  for (const { dropPath } of [deleted, expired]) await drop(dropPath, 'x')
  expect((await owner.ask('DELETE', `/api/mailbox/${deleted.id}`)).json()).toEqual({ status: 'deleted' })
  await rows(api.context.db, "update svc.lease set expires_at = now() - interval '1 s' where id = $1", [
    expired.id.slice(4),
  ])
  for (const { id, dropPath } of [deleted, expired]) {
    expect((await drop(dropPath, 'late')).statusCode).toBe(410)
    expect((await owner.ask('GET', `/api/mailbox/${id}/messages`)).statusCode).toBe(410)
    expect((await owner.ask('GET', `/api/mailbox/${id}`)).statusCode).toBe(410)
  }
  await runDueSteps(api.context)
  const left = await rows(api.context.db, 'select from svc.mailbox_message where lease_id = any ($1)', [
    [deleted.id.slice(4), expired.id.slice(4)],
  ])
  expect(left).toEqual([])
  expect((await drop(expired.dropPath, 'late')).statusCode).toBe(410)
})

test('messages are limited per address and per mailbox', async () => {
  const owner = await openOwner()
  const slow = await owner.open({ 'x-drop-rate': '2' })
  const dropFrom = (remoteAddress: string) =>
    api.app.inject({
      method: 'POST',
      url: slow.dropPath,
      remoteAddress,
      payload: 'x',
      headers: { 'content-type': 'a/b' },
    })
  const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await dropFrom('10.0.0.1')).statusCode))
  expect(statuses.filter(status => status === 201).length).toBeLessThanOrEqual(4)
  expect(statuses).toContain(429)
  expect((await dropFrom('10.0.0.2')).statusCode).toBe(201)
  await writeSetting(api.context.db, 'rate.drops_per_minute', 1)
  await api.context.settings.refresh()
  const everybody = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => (await dropFrom(`10.0.1.${n}`)).statusCode),
  )
  await writeSetting(api.context.db, 'rate.drops_per_minute', null)
  await api.context.settings.refresh()
  expect(everybody).toContain(429)
})
