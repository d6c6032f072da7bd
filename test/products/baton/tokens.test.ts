import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { sendForm } from '../../support/stack/upload-form.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  owner = await openBatonOwner(api, 10_000_000n)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const read = (token: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  api.app.inject({ url: `/v1/baton/${token}`, headers, remoteAddress })
const write = (token: string, content: string) =>
  api.app.inject({ method: 'POST', url: `/v1/baton/${token}`, payload: { content } })
const createLog = (more: object = {}) => owner.create({ preset: 'scratchpad', tier: 'femto', content: 'log', ...more })
const mint = async (id: string, payload: object) =>
  (await owner.call('POST', `/v1/baton/${id}/tokens`, payload)).json().id as string

test('of 500 parallel reads by a token capped at 100 exactly 100 get the content', async () => {
  const { id } = await createLog()
  const token = await mint(id, { type: 'read', reads_allowed: 100 })
  // A call that found no free connection is sent again. An address may send only so many a minute.
  const readAs = async (address: string) => {
    for (;;) {
      const answer = await read(token, {}, address)
      if (answer.statusCode !== 503) return answer
      await sleep(250)
    }
  }
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => readAs(`10.0.${n >> 8}.${n & 255}`)))
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  expect([count(200), count(409)]).toEqual([100, 400])
  expect((await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas.readsLeft).toBe(900)
})

test('a token reads or writes as its type says, and is named in the log without being revealed', async () => {
  const { id } = await createLog()
  const [reader, writer] = [await mint(id, { type: 'read' }), await mint(id, { type: 'write', writes_allowed: 1 })]
  expect(reader).toMatch(/^tok_[A-Za-z0-9_-]{43}$/)
  expect([(await read(reader)).body, (await read(writer)).statusCode]).toEqual(['log', 403])
  expect([(await write(reader, 'x')).statusCode, (await write(writer, ' more')).statusCode]).toEqual([403, 201])
  expect((await write(writer, 'x')).json().code).toBe('QUOTA_EXHAUSTED')
  const { data } = (await owner.call('GET', `/v1/baton/${id}/tokens`)).json()
  expect(data).toMatchObject([
    { id: reader, state: 'active', readsUsed: 1 },
    { id: writer, state: 'exhausted', writesUsed: 1 },
  ])
  const [stored] = await rows(api.context.db, 'select * from svc.baton_token where baton_id = $1', [id])
  expect(JSON.stringify(stored)).not.toContain(reader.slice(4))
  const entries = (await owner.call('GET', `/v1/baton/${id}/entries?writer=${data[1].writer}`)).json().data
  expect(entries).toMatchObject([{ content: ' more' }])
})

test('a token is changed, expires and is revoked, and serves its own baton only', async () => {
  const [{ id }, elsewhere] = [await createLog(), await createLog()]
  const token = await mint(id, { type: 'read', reads_allowed: 1 })
  const change = (payload: object, baton = id) => owner.call('POST', `/v1/baton/${baton}/tokens/${token}`, payload)
  expect((await change({ revoke: true }, elsewhere.id)).statusCode).toBe(404)
  expect([(await read(token)).statusCode, (await read(token)).statusCode]).toEqual([200, 409])
  expect((await change({ reads_allowed: 0 })).json().code).toBe('INVALID_FIELD')
  expect((await change({ reads_allowed: 2 })).json()).toMatchObject({ id: token, readsAllowed: 2, state: 'active' })
  expect((await read(token)).statusCode).toBe(200)
  expect((await change({ reads_allowed: null, expires_at: '2020-01-01T00:00:00Z' })).json().state).toBe('expired')
  expect((await read(token)).statusCode).toBe(410)
  expect((await change({ expires_at: null })).json().state).toBe('active')
  expect((await change({ revoke: true })).json().state).toBe('revoked')
  expect([(await read(token)).statusCode, (await change({ reads_allowed: 9 })).json().state]).toEqual([410, 'revoked'])
})

test('a token keeps to its networks and to the fingerprint of its first use', async () => {
  const { id } = await createLog()
  const local = await mint(id, { type: 'read', ip_allow_list: ['10.1.0.0/16', '192.0.2.7'] })
  const from = async (address: string) => (await read(local, {}, address)).statusCode
  expect([await from('10.1.2.3'), await from('::ffff:192.0.2.7'), await from('10.2.0.1'), await from('::1')]).toEqual([
    ...[200, 200, 403, 403],
  ])
  const bound = await mint(id, { type: 'read', require_fingerprint: true })
  const as = async (fingerprint?: string) =>
    (await read(bound, fingerprint ? { 'x-service-fingerprint': fingerprint } : {})).statusCode
  expect([await as(), await as('me'), await as('you'), await as('me')]).toEqual([403, 200, 403, 200])
})

test('a baton has at most 100 tokens, also when they are minted at once', async () => {
  const { id } = await createLog({ tokens: Array.from({ length: 90 }, () => ({ type: 'read' })) })
  const minted = await Promise.all(
    Array.from({ length: 20 }, () => owner.call('POST', `/v1/baton/${id}/tokens`, { type: 'read' })),
  )
  expect(minted.filter(({ statusCode }) => statusCode === 201)).toHaveLength(10)
  expect(minted.find(({ statusCode }) => statusCode !== 201)!.json().code).toBe('TOO_MANY_TOKENS')
})

test('a pass is read once and then gone, for its owner too', async () => {
  const { id, tokens } = await owner.create({ preset: 'pass', tier: 'femto', content: 'secret' })
  expect(tokens).toHaveLength(1)
  const answers = await Promise.all(Array.from({ length: 10 }, () => read(tokens[0].id)))
  expect(answers.filter(({ body }) => body === 'secret')).toHaveLength(1)
  expect([(await read(tokens[0].id)).statusCode, (await owner.call('GET', `/v1/baton/${id}`)).statusCode]).toEqual([
    ...[410, 410],
  ])
})

const createPass = async (bytes: number, tier = 'femto') => {
  const { id, tokens, upload } = await owner.create({ preset: 'pass', tier, requestPresignedUpload: true })
  const token = tokens[0].id as string
  const arrive = () => api.context.store.put(upload.fields.key, Buffer.alloc(bytes, 'a'), { contentType: 'text/plain' })
  return { id, token, upload, arrive }
}

test('a pass whose file has not arrived is not read, and its token is as good as new then', async () => {
  const { id, token, upload, arrive } = await createPass(3)
  const early = await read(token)
  expect([early.statusCode, early.json()]).toMatchObject([409, { code: 'BATON_EMPTY', reason: expect.any(String) }])
  const asFile = await owner.call('POST', '/v1/utils/hash', { file: { batonId: token } })
  expect([asFile.statusCode, asFile.json().code]).toEqual([422, 'INPUT_EMPTY'])
  await arrive()
  expect([(await read(token)).body, (await read(token)).statusCode]).toEqual(['aaa', 410])
  expect((await sendForm(api, upload, Buffer.from('late'))).statusCode).toBe(410)
  expect((await owner.call('GET', `/v1/baton/${id}`)).statusCode).toBe(410)
})

test('ranges are one read of a token once they have all bytes', async () => {
  for (const bytes of [10, 20_000]) {
    const { token, arrive } = await createPass(bytes)
    await arrive()
    const part = async (range: string) => (await read(token, { range: `bytes=${range}` })).statusCode
    expect([await part('0-0'), await part('-1'), await part('0-4'), await part('5-7')]).toEqual([206, 206, 206, 206])
    expect((await read(token, { 'if-none-match': '"1"' })).statusCode).toBe(304)
    expect([await part('8-'), await part('0-0')]).toEqual([206, 410])
  }
  const { token, arrive } = await createPass(10)
  await arrive()
  expect((await read(token, { range: 'bytes=0-8' })).statusCode).toBe(206)
  expect([(await read(token)).body.length, (await read(token)).statusCode]).toEqual([10, 410])
})

test('a read that is broken off burns nothing, and of two readers one gets all', async () => {
  const { id, token, arrive } = await createPass(10 * 2 ** 20, 'nano')
  await arrive()
  const url = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/v1/baton/${token}`
  for (let turn = 0; turn < 2; turn++) {
    const reader = get(url)
    const [first] = (await once(reader, 'response')) as [IncomingMessage]
    expect([first.statusCode, (await fetch(url)).status]).toEqual([200, 410])
    first.destroy()
    await eventually('the read to be returned', async () => (await fetch(url, { method: 'HEAD' })).status === 200)
  }
  const { quotas } = (await owner.call('GET', `/v1/baton/${id}/meta`)).json()
  expect([quotas.readsLeft, Number(quotas.egressBytesLeft) > 79 * 2 ** 20]).toEqual([5_000, true])
  const answers = await Promise.all([1, 2, 3].map(async () => (await (await fetch(url)).arrayBuffer()).byteLength))
  expect(answers.filter(length => length === 10 * 2 ** 20)).toHaveLength(1)
  expect((await fetch(url)).status).toBe(410)
})

test('a revoked token is not waited for', async () => {
  const tokens = [
    { type: 'read', reads_allowed: 1 },
    { type: 'read', reads_allowed: 1 },
  ]
  const baton = await createLog({ tokens, deleteOnAllTokensConsumed: true })
  const [one, two] = baton.tokens.map(({ id }: { id: string }) => id)
  expect((await read(one)).statusCode).toBe(200)
  await owner.call('POST', `/v1/baton/${baton.id}/tokens/${two}`, { revoke: true })
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).statusCode).toBe(410)
  const unread = await createLog({ tokens, deleteOnAllTokensConsumed: true })
  for (const { id } of unread.tokens) await owner.call('POST', `/v1/baton/${unread.id}/tokens/${id}`, { revoke: true })
  expect((await owner.call('GET', `/v1/baton/${unread.id}`)).statusCode).toBe(200)
})

test('a token whose cap is lowered to what it used is used up, and is not waited for', async () => {
  const eventTriggers = [{ url: 'http://127.0.0.1:9/hook', events: ['token.exhausted', 'pass.all_tokens_consumed'] }]
  const tokens = [
    { type: 'read', reads_allowed: 3 },
    { type: 'read_write', reads_allowed: 3, writes_allowed: 1 },
  ]
  const baton = await createLog({ tokens, eventTriggers, deleteOnAllTokensConsumed: true })
  const [one, two] = baton.tokens.map(({ id }: { id: string }) => id)
  const change = (token: string, payload: object) =>
    owner.call('POST', `/v1/baton/${baton.id}/tokens/${token}`, payload)
  expect((await read(one)).statusCode).toBe(200)
  expect((await change(one, { reads_allowed: 1 })).json().state).toBe('exhausted')
  await change(one, { reads_allowed: 1 })
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).statusCode).toBe(200)
  await change(two, { reads_allowed: 0, writes_allowed: 0 })
  expect((await owner.call('GET', `/v1/baton/${baton.id}`)).statusCode).toBe(410)
  const queued = await rows<{ event: string; payload: { token_id?: string; use?: string } }>(
    api.context.db,
    'select event, payload from svc.webhook_delivery where endpoint_id = $1 order by sequence',
    [baton.eventTriggers[0].id],
  )
  expect(queued.map(({ event, payload: { use } }) => [event, use])).toEqual([
    ['token.exhausted', 'read'],
    ['token.exhausted', 'read'],
    ['token.exhausted', 'write'],
    ['pass.all_tokens_consumed', undefined],
  ])
})

test('it burns only when the last of its tokens is used up', async () => {
  const tokens = [{ type: 'read', reads_allowed: 1 }, { type: 'read', reads_allowed: 1 }, { type: 'write' }]
  const baton = await createLog({ tokens, deleteOnAllTokensConsumed: true })
  const [one, two] = baton.tokens.map(({ id }: { id: string }) => id)
  expect([(await read(one)).statusCode, (await read(one)).statusCode, (await read(two)).statusCode]).toEqual([
    200, 409, 200,
  ])
  expect((await read(two)).statusCode).toBe(410)
})

test('triggers are queued for what happens to the baton, and to it alone', async () => {
  const events = ['baton.written', 'token.used', 'token.exhausted', 'pass.all_tokens_consumed']
  const eventTriggers = [{ url: 'http://127.0.0.1:9/hook', events }]
  const baton = await createLog({ eventTriggers, tokens: [{ type: 'read', reads_allowed: 1 }] })
  expect(baton.eventTriggers).toMatchObject([{ url: 'http://127.0.0.1:9/hook', events, secret: expect.any(String) }])
  await createLog()
  await owner.call('POST', `/v1/baton/${baton.id}`, { content: 'x' })
  await read(baton.tokens[0].id)
  const queued = await rows<{ event: string; payload: { baton_id: string } }>(
    api.context.db,
    'select event, payload from svc.webhook_delivery where endpoint_id = $1 order by sequence',
    [baton.eventTriggers[0].id],
  )
  expect(queued.map(({ event }) => event)).toEqual(events)
  expect(new Set(queued.map(({ payload }) => payload.baton_id))).toEqual(new Set([baton.id]))
})
