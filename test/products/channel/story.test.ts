import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetChannels } from '../../../sql/channel/steps.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { openWakingApi } from '../../support/stack/waking-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openWakingApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Method = 'GET' | 'POST' | 'DELETE'

/** Calls without an account. */
async function ask(method: Method, path: string, payload?: object) {
  const reply = await api.app.inject({ method, url: `/v1/bridge/channels/${path}`, ...(payload && { payload }) })
  return { status: reply.statusCode, body: reply.json() }
}

async function openOwner() {
  const owner = await openBatonOwner(api)
  const own = async (method: Method, path: string, payload?: object, headers = {}) => {
    const reply = await owner.call(method, `/v1/bridge/channels${path}`, payload, headers)
    return { status: reply.statusCode, body: reply.json() }
  }
  const open = async (body: object = {}) => {
    const { status, body: channel } = await own('POST', '', body)
    expect(status, JSON.stringify(channel)).toBe(201)
    return {
      id: channel.id as string,
      tokens: channel.joinTokens.map(({ token }: { token: string }) => token) as string[],
    }
  }
  return { ...owner, own, open }
}

test('a channel costs its price once, and a repeat of the call is told the same tokens', async () => {
  const owner = await openOwner()
  const key = { 'idempotency-key': 'once' }
  const first = await owner.own('POST', '', { maxMessages: 101 }, key)
  const again = await owner.own('POST', '', { maxMessages: 101 }, key)
  expect(again.body).toEqual(first.body)
  const [{ token, messagesUrl }] = first.body.joinTokens
  expect(token).toMatch(/^brt_/)
  expect(messagesUrl).toBe(`${api.context.config.publicUrl}/v1/bridge/channels/${token}/messages`)
  expect(await owner.money()).toEqual([993_000n, 0n])
  expect((await owner.own('GET', '?limit=1')).body).toMatchObject({ data: [{ id: first.body.id }], hasMore: false })
})

test('messages of many senders have each number once, and readers without an account wait for them', async () => {
  const owner = await openOwner()
  const { id, tokens } = await owner.open({ tokens: [{ role: 'read' }, { role: 'write', label: 'sender' }] })
  const [reader, writer] = tokens as [string, string]
  const waiting = ask('GET', `${reader}/messages?waitSec=30&types=answer`)
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask('POST', `${writer}/messages`, { body: { index }, type: 'note' })),
  )
  expect(sent.map(({ body }) => body.seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  const reply = await owner.own('POST', `/${id}/messages`, {
    body: '\u0000 "é\u2028',
    type: 'answer',
    to: 'reader',
    replyTo: sent[0]!.body.id,
  })
  expect(reply.body).toMatchObject({ seq: 21, isRepeat: false })
  const { body } = await waiting
  expect(body).toMatchObject({
    next: 21,
    data: [{ seq: 21, sender: null, to: 'reader', body: '\u0000 "é\u2028', replyTo: sent[0]!.body.id }],
  })
  const page = (await ask('GET', `${reader}/messages?after=3&limit=2`)).body
  expect([page.next, page.data.map(({ seq }: { seq: number }) => seq)]).toEqual([5, [4, 5]])
  expect(page.data[0]).toMatchObject({ sender: 'sender', type: 'note' })
  expect((await ask('GET', `${reader}/messages?after=21`)).body).toEqual({ data: [], next: 21 })
})

test('a token does what its role allows, until it is removed', async () => {
  const owner = await openOwner()
  const { id, tokens } = await owner.open({ tokens: [{ role: 'read' }, { role: 'write' }] })
  const [reader, writer] = tokens as [string, string]
  expect((await ask('POST', `${reader}/messages`, { body: 1 })).body).toMatchObject({ code: 'FORBIDDEN', role: 'read' })
  expect((await ask('GET', `${writer}/messages`)).body).toMatchObject({ code: 'FORBIDDEN', role: 'write' })
  expect((await ask('GET', reader)).body).toMatchObject({ id, role: 'read', messages: 0 })
  expect((await ask('GET', id)).body.code).toBe('MISSING_AUTH')
  expect((await ask('GET', `brt_${'A'.repeat(43)}`)).body.code).toBe('NOT_FOUND')
  const added = (await owner.own('POST', `/${id}/tokens`, { role: 'read_write', label: 'late' })).body
  expect((await ask('POST', `${added.token}/messages`, { body: 1 })).status).toBe(201)
  expect((await owner.own('DELETE', `/${id}/tokens/${added.id}`)).status).toBe(200)
  expect((await ask('GET', added.token)).body.code).toBe('NOT_FOUND')
  expect((await owner.own('DELETE', `/${id}/tokens/${added.id}`)).status).toBe(404)
  expect((await owner.own('GET', `/${id}`)).body).toMatchObject({ role: 'owner', joinTokens: [{}, {}] })
})

test('a repeated message is taken once, and what is too large, too many or answers nothing is refused', async () => {
  const owner = await openOwner()
  const { id } = await owner.open({ maxMessages: 2, maxMessageBytes: 16, tokens: [] })
  const post = async (body: object) => (await owner.own('POST', `/${id}/messages`, body)).body
  const first = await post({ body: 'one', dedupeKey: 'k' })
  expect(await post({ body: 'one', dedupeKey: 'k' })).toEqual({ ...first, isRepeat: true })
  expect(await post({ body: 'two', dedupeKey: 'k' })).toMatchObject({
    ...{ code: 'IDEMPOTENCY_CONFLICT', error: expect.stringContaining('dedupeKey'), field: 'dedupeKey' },
  })
  expect(await post({ body: 'x'.repeat(20) })).toMatchObject({ code: 'INPUT_TOO_LARGE', maxBytes: 16 })
  expect(await post({ body: 1, replyTo: `msg_${'0'.repeat(32)}` })).toMatchObject({
    code: 'INVALID_PARAM',
    field: 'replyTo',
  })
  expect(await post({ body: 2 })).toMatchObject({ seq: 2 })
  expect(await post({ body: 3 })).toMatchObject({ code: 'CHANNEL_FULL', max: 2 })
  const [before] = await owner.money()
  expect((await owner.own('POST', `/${id}/extend`, { messages: 1 })).body).toMatchObject({
    maxMessages: 3,
    messages: 2,
  })
  expect(await owner.money()).toEqual([before - 1_000n, 0n])
  expect(await post({ body: 3 })).toMatchObject({ seq: 3 })
})

test('a message that was acknowledged is not taken again when its sender repeats it', async () => {
  const owner = await openOwner()
  const { id } = await owner.open({ mode: 'queue', tokens: [] })
  const post = async (body: object) => (await owner.own('POST', `/${id}/messages`, body)).body
  const first = await post({ body: 'one', dedupeKey: 'k' })
  const { receipt } = (await owner.own('POST', `/${id}/claim`)).body.data[0]
  await owner.own('POST', `/${id}/ack`, { receipts: [receipt] })
  expect(await post({ body: 'one', dedupeKey: 'k' })).toEqual({ ...first, isRepeat: true })
  expect(await post({ body: 'two', dedupeKey: 'k' })).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  expect((await owner.own('POST', `/${id}/claim`)).body.data).toEqual([])
  expect(await post({ body: 'three', dedupeKey: 'l' })).toMatchObject({ seq: 2, isRepeat: false })
})

test('without history a new token reads only what comes after it', async () => {
  const owner = await openOwner()
  const { id } = await owner.open({ history: false, tokens: [] })
  await owner.own('POST', `/${id}/messages`, { body: 'before' })
  const { token } = (await owner.own('POST', `/${id}/tokens`, { role: 'read' })).body
  await owner.own('POST', `/${id}/messages`, { body: 'after', ttlSeconds: 1 })
  expect((await ask('GET', `${token}/messages`)).body.data).toMatchObject([{ body: 'after' }])
  await rows(api.context.db, 'update svc.channel_message set expires_at = now() where body::text = \'"after"\'')
  expect((await ask('GET', `${token}/messages`)).body.data).toEqual([])
  expect((await owner.own('GET', `/${id}/messages`)).body.data).toMatchObject([{ body: 'before' }])
})

test('of many workers at a queue each message goes to one, and done is done', async () => {
  const owner = await openOwner()
  const { id, tokens } = await owner.open({ mode: 'queue', tokens: [{ role: 'read', label: 'worker' }] })
  const worker = tokens[0]!
  const early = ask('POST', `${worker}/claim`, { waitSec: 30 })
  for (let n = 0; n < 12; n++) await owner.own('POST', `/${id}/messages`, { body: n })
  const claims = await Promise.all(Array.from({ length: 6 }, () => ask('POST', `${worker}/claim`, { max: 3 })))
  const all = [await early, ...claims].flatMap(({ body }) => body.data)
  expect(all.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  const receipts = all.map(({ receipt }) => receipt as string)
  expect((await ask('POST', `${worker}/ack`, { receipts })).body).toEqual({ done: 12, stale: [] })
  expect((await ask('POST', `${worker}/ack`, { receipts: receipts.slice(0, 1) })).body).toEqual({
    done: 0,
    stale: receipts.slice(0, 1),
  })
  expect((await owner.own('GET', `/${id}/messages`)).body.data).toEqual([])
})

test('what is given back or forgotten is handed out again, and after five times it is dead', async () => {
  const owner = await openOwner()
  const { id } = await owner.open({ mode: 'queue', tokens: [] })
  const claim = async () => (await owner.own('POST', `/${id}/claim`, { visibilitySeconds: 1, waitSec: 5 })).body.data[0]
  await owner.own('POST', `/${id}/messages`, { body: 'hard \u0000' })
  const lost = await claim()
  const second = await claim()
  expect([lost.attempts, second.attempts]).toEqual([1, 2])
  const stale = await owner.own('POST', `/${id}/ack`, { receipts: [lost.receipt] })
  expect(stale.body).toEqual({ done: 0, stale: [lost.receipt] })
  let { receipt } = second
  for (let attempt = 3; attempt <= 5; attempt++) {
    await owner.own('POST', `/${id}/nack`, { receipts: [receipt] })
    const next = await claim()
    expect(next.attempts).toBe(attempt)
    receipt = next.receipt
  }
  await owner.own('POST', `/${id}/nack`, { receipts: [receipt] })
  expect((await owner.own('POST', `/${id}/claim`)).body.data).toEqual([])
  expect((await owner.own('GET', `/${id}/messages?isDead=true`)).body.data).toMatchObject([
    { body: 'hard \u0000', isDead: true },
  ])
  for (const answer of ['ack', 'nack'])
    expect((await owner.own('POST', `/${id}/${answer}`, { receipts: ['1'] })).body).toMatchObject({
      ...{ code: 'INVALID_PARAM', field: 'receipts.0' },
    })
  const broadcast = await owner.open({ tokens: [] })
  expect((await owner.own('POST', `/${broadcast.id}/claim`)).body.code).toBe('NOT_A_QUEUE')
})

test('members are seen until their time is over', async () => {
  const owner = await openOwner()
  const { tokens, id } = await owner.open()
  await ask('POST', `${tokens[0]}/heartbeat`, { member: 'a', state: 'reading' })
  expect((await ask('POST', `${tokens[0]}/heartbeat`, { member: 'b' })).body.data).toMatchObject([
    { member: 'a', state: 'reading' },
    { member: 'b' },
  ])
  await rows(api.context.db, "update svc.channel_member set expires_at = now() where member = 'a'")
  expect((await owner.own('GET', `/${id}/members`)).body.data).toMatchObject([{ member: 'b' }])
})

test('a closed or expired channel is gone, wakes who waits there, and is exported, forgotten and erased', async () => {
  const owner = await openOwner()
  const { db, store } = api.context
  const { id, tokens } = await owner.open()
  await owner.own('POST', `/${id}/messages`, { body: 'kept' })
  expect((await exportAccount(db, owner.accountId)).channel).toMatchObject([{ content: [{ body: 'kept' }] }])
  const waiting = ask('GET', `${tokens[0]}/messages?waitSec=30&after=1`)
  expect((await owner.own('DELETE', `/${id}`)).body.state).toBe('closed')
  expect((await waiting).body.code).toBe('GONE')
  expect((await owner.own('GET', `/${id}`)).status).toBe(410)
  expect((await owner.own('DELETE', `/${id}`)).status).toBe(404)
  const short = await owner.open({ ttlSeconds: 60 })
  await rows(db, 'update svc.channel set expires_at = now() where id = $1', [
    short.id.replace(/^chn_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  ])
  expect((await ask('POST', `${short.tokens[0]}/messages`, { body: 1 })).body.code).toBe('GONE')
  expect(await forgetChannels(db)).toBe(0)
  await rows(db, "update svc.channel set expires_at = now() - interval '25 hours' where account_id = $1", [
    owner.accountId,
  ])
  expect(await forgetChannels(db)).toBe(2)
  await owner.open()
  await eraseAccount(db, store, owner.accountId)
  expect(await rows(db, 'select from svc.channel where account_id = $1', [owner.accountId])).toEqual([])
})
