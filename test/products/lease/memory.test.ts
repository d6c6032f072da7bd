import { randomBytes } from 'node:crypto'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

const MIB = 2 ** 20
const MEMORY_BYTES = 16 * MIB

let api: InProcessApi
let authorization: string
beforeAll(async () => {
  api = await openInProcessApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 10_000_000n })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  authorization = `Bearer ${key}`
  await setTo('lease.memory_bytes', MEMORY_BYTES)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  expect(await rows(api.context.db, 'select * from lease.check_invariants()')).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function setTo(name: string, value: unknown): Promise<void> {
  await writeSetting(api.context.db, name, value)
  await api.context.settings.refresh()
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'
const ask = (method: Method, url: string, headers: object = {}, payload?: Buffer | string | object) =>
  api.app.inject({ method, url, headers: { authorization, ...headers }, ...(payload !== undefined && { payload }) })

async function openMailbox(headers: object = {}) {
  const large = { 'x-capacity-bytes': `${64 * MIB}`, 'x-max-message-bytes': `${10 * MIB}`, 'x-drop-rate': '10000' }
  const created = (await ask('POST', '/api/mailbox', { ...large, ...headers })).json()
  return { id: created.lease_id as string, dropPath: new URL(created.drop_url).pathname, version: created.version }
}

interface Sending {
  request: ClientRequest
  answer: Promise<{ status: number; body: { code?: string; status?: string } }>
}

/** Begins to send a message without saying how long it is. */
function beginDrop(path: string): Sending {
  const { port } = api.app.server.address() as AddressInfo
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = httpRequest({ port, path, method: 'POST', headers: { 'content-type': 'text/plain' } }, resolve)
  request.on('error', reject)
  const answer = promise.then(async incoming => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    return { status: incoming.statusCode!, body: JSON.parse(Buffer.concat(parts).toString()) }
  })
  answer.catch(() => undefined)
  return { request, answer }
}

test('messages that arrive together share the memory of the process, and what is over is refused as BUSY', async () => {
  const mailboxes = await Promise.all(Array.from({ length: 6 }, () => openMailbox()))
  const part = Buffer.alloc(4 * MIB, 'x')
  const held = mailboxes.slice(0, 3).map(({ dropPath }) => beginDrop(dropPath))
  for (const { request } of held) request.write(part)
  // It is refused in any case, for the memory only while the others hold theirs.
  const probe = await openMailbox({ 'x-max-message-bytes': `${5 * MIB}` })
  const declared = { 'content-type': 'text/plain' }
  await eventually('the process to be full', async () => {
    const answer = await ask('POST', probe.dropPath, declared, Buffer.alloc(6 * MIB))
    return answer.statusCode === 503
  })
  const flood = mailboxes.slice(3).map(({ dropPath }) => beginDrop(dropPath))
  for (const { request } of flood) request.end(Buffer.alloc(8 * MIB, 'y'))
  const refused = await Promise.all(flood.map(({ answer }) => answer))
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(flood.map(() => [503, 'BUSY']))
  const full = await ask('POST', '/api/checkpoint', { 'x-workflow-id': 'full', 'x-max-body-bytes': `${MIB}` }, '1')
  expect(full.statusCode).toBe(201)
  for (const { request } of held) request.end()
  const answers = await Promise.all(held.map(({ answer }) => answer))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  const after = await ask('POST', mailboxes[3]!.dropPath, declared, Buffer.alloc(8 * MIB, 'z'))
  expect(after.statusCode).toBe(201)
})

test('senders that break off give their memory back', async () => {
  const { id, dropPath } = await openMailbox()
  for (let round = 0; round < 6; round++) {
    const { request, answer } = beginDrop(dropPath)
    request.write(Buffer.alloc(6 * MIB))
    await new Promise(resolve => request.once('drain', resolve))
    request.destroy()
    await answer.catch(() => undefined)
  }
  await eventually('the memory to be free', async () => {
    const answer = await ask('POST', dropPath, { 'content-type': 'a/b' }, Buffer.alloc(9 * MIB))
    return answer.statusCode === 201
  })
  expect((await ask('GET', `/api/mailbox/${id}`)).json().count).toBe(1)
})

test('all messages are exported with their bodies, and none is marked as read', async () => {
  const { id, dropPath, version } = await openMailbox()
  expect(version).toBe(1)
  const bytes = randomBytes(2_000)
  await ask('POST', dropPath, { 'content-type': 'text/plain', 'x-filename': 'a.txt' }, 'first \u2713')
  await ask('POST', dropPath, { 'content-type': 'a/b' }, bytes)
  for (let n = 0; n < 101; n++) await ask('POST', dropPath, { 'content-type': 'text/plain' }, `${n}`)
  const exported = await ask('GET', `/api/mailbox/${id}/messages.ndjson`)
  expect(exported.headers['content-type']).toContain('application/x-ndjson')
  const lines = exported.body
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines).toHaveLength(103)
  expect(lines[0]).toMatchObject({ content: 'first \u2713', encoding: 'utf-8', filename: 'a.txt', read_at: null })
  expect(lines[1]).toMatchObject({ content: bytes.toString('base64'), encoding: 'base64', size_bytes: 2_000 })
  expect(lines[102].content).toBe('100')
  expect((await ask('GET', `/api/mailbox/${id}/messages?unread=true&limit=100`)).json().items).toHaveLength(100)
  expect((await ask('POST', `/api/mailbox/${id}/rotate-drop-token`)).json().version).toBe(2)
})

test('a patch changes fields of a checkpoint, and patches that meet are all applied', async () => {
  const create = { 'x-workflow-id': 'patched', 'x-max-body-bytes': '200', 'content-type': 'application/json' }
  await ask('POST', '/api/checkpoint', create, '{"step":1,"old":true,"deep":{"a":1,"b":2}}')
  const url = '/api/checkpoint/patched'
  const patch = (change: unknown, headers: object = {}) =>
    ask('PATCH', url, { 'content-type': 'application/merge-patch+json', ...headers }, JSON.stringify(change))
  expect((await patch({ step: 2, old: null, deep: { b: null, c: [3] } })).json()).toMatchObject({ version: 2 })
  expect((await ask('GET', url)).json()).toEqual({ step: 2, deep: { a: 1, c: [3] } })
  const together = await Promise.all([1, 2, 3, 4].map(n => patch({ [`n${n}`]: n })))
  expect(together.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  expect((await ask('GET', url)).json()).toMatchObject({ n1: 1, n2: 2, n3: 3, n4: 4 })
  const stale = await patch({ x: 1 }, { 'x-if-version': '2' })
  expect([stale.statusCode, stale.json().code]).toEqual([409, 'VERSION_CONFLICT'])
  const large = await patch({ x: 'x'.repeat(200) })
  expect([large.statusCode, large.json().max_body_bytes]).toEqual([413, 200])
  expect((await patch('{')).statusCode).toBe(200)
  expect((await ask('GET', url)).json()).toBe('{')
  expect((await ask('PATCH', url, {}, '{')).json().code).toBe('INVALID_JSON')
  expect((await ask('PATCH', '/api/checkpoint/none', {}, '{}')).statusCode).toBe(404)
})

test('a patch keeps the digits of numbers, in what it names and in what it does not', async () => {
  const create = { 'x-workflow-id': 'digits', 'content-type': 'application/json' }
  await ask('POST', '/api/checkpoint', create, '{"order":9007199254740993,"x":1e400,"zero":-0.0,"step":1}')
  const patched = await ask('PATCH', '/api/checkpoint/digits', {}, '{"step":12345678901234567890,"deep":{"a":1.10}}')
  expect(patched.statusCode).toBe(200)
  expect((await ask('GET', '/api/checkpoint/digits')).body).toBe(
    '{"order":9007199254740993,"x":1e400,"zero":-0.0,"step":12345678901234567890,"deep":{"a":1.10}}',
  )
})

test('a checkpoint holds other content than JSON only where the operator allows it', async () => {
  const headers = { 'x-workflow-id': 'text', 'content-type': 'text/plain' }
  expect((await ask('POST', '/api/checkpoint', headers, 'no json')).json().code).toBe('INVALID_JSON')
  await setTo('lease.checkpoint_any_type', true)
  expect((await ask('POST', '/api/checkpoint', headers, 'no json')).statusCode).toBe(201)
  const found = await ask('GET', '/api/checkpoint/text')
  expect([found.headers['content-type'], found.body]).toEqual(['text/plain', 'no json'])
  expect((await ask('PATCH', '/api/checkpoint/text', {}, '{}')).statusCode).toBe(415)
  await ask('PUT', '/api/checkpoint/text', { 'content-type': 'application/json' }, '{"now":1}')
  expect((await ask('GET', '/api/checkpoint/text')).headers['content-type']).toContain('application/json')
  await setTo('lease.checkpoint_any_type', null)
})

test('the prices of leases are published with those of calls', async () => {
  const { rates, updatedAt } = (await api.app.inject('/api/pricing')).json()
  expect(rates.storage).toMatchObject({
    perMibDayMicros: '50',
    maxBodyBytes: { default: 10_485_760, ceiling: 52_428_800 },
  })
  expect([rates.handoff, Number.isNaN(Date.parse(updatedAt))]).toEqual([{ issueMicros: '0', claimMicros: '0' }, false])
  const { operations } = (await api.app.inject('/v1/prices')).json()
  for (const kind of ['checkpoint', 'mailbox', 'storage'] as const) {
    const listed = operations[`leases.create-${kind}`]
    expect([listed.path, listed.rateMicros]).toEqual([`/api/${kind}`, rates[kind].perMibDayMicros])
  }
})
