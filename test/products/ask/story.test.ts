import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { listInbox } from '../../../api/inbox.ts'
import { forgetAsks, runDue } from '../../../sql/ask/steps.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { type AskApi, ageAsk, NO, openAskApi, tokenOf, uuidOf, YES } from '../../support/asks/api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: AskApi
beforeAll(async () => {
  api = await openAskApi({ SMTP_URL: 'smtp://127.0.0.1:9', WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function question(token: string) {
  return (await api.app.inject({ method: 'GET', url: `/v1/bridge/reply/${token}` })).json()
}

test('an approval by a link costs its price once, wakes whoever waits, and is announced once', async () => {
  const owner = await api.openOwner()
  const key = { 'idempotency-key': 'once' }
  const body = { question: 'Deploy 42?', referenceId: 'deploy', metadata: { run: 7 }, proposal: { version: 42 } }
  const first = await owner.own('POST', '', body, key)
  expect((await owner.own('POST', '', body, key)).body).toEqual(first.body)
  expect(await owner.money()).toEqual([990_000n, 0n])
  const { id, replyUrls, costMicros } = first.body
  expect([replyUrls.length, replyUrls[0].recipient, costMicros]).toEqual([1, 'link', '10000'])
  const token = tokenOf(replyUrls[0].url)
  for (const method of ['GET', 'HEAD'] as const) await api.app.inject({ method, url: `/r/${token}` })
  expect(await question(token)).toMatchObject({ status: 'open', question: 'Deploy 42?', hasReplied: false })
  const waiting = owner.own('GET', `/${id}/wait?timeoutSec=30`)
  const replied = await api.reply(token, { decision: 'approved', comment: 'Go', name: 'Ida' })
  expect([replied.status, replied.body.status]).toEqual([200, 'replied'])
  expect((await waiting).body).toMatchObject({ status: 'replied', outcome: 'approved', pollAfterMs: null })
  expect((await api.reply(token, { decision: 'denied' })).body).toMatchObject({ code: 'ASK_CLOSED', status: 'replied' })
  const seen = { recipient: 'Ida', decision: 'approved', comment: 'Go', method: 'api' }
  expect(await owner.events()).toMatchObject([
    { askId: id, status: 'replied', outcome: 'approved', replies: [seen], referenceId: 'deploy', metadata: { run: 7 } },
  ])
  expect((await owner.own('GET', '?status=replied&referenceId=deploy')).body.data).toMatchObject([{ id }])

  const log = (await owner.call('GET', `/v1/audit/ask/${uuidOf(id)}`)).json().data
  expect(log.map(({ action }: { action: string }) => action)).toEqual(['asked', 'reply', 'replied'])
  for (const [index, { text, hash, previous }] of log.entries()) {
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash)
    expect(previous).toBe(index === 0 ? null : log[index - 1].hash)
  }
})

test.each([
  ['any, the first approval', {}, [YES], 'approved'],
  ['any, a denial ends it', {}, [NO], 'denied'],
  ['all', { approve: 'all' }, [YES, YES, YES], 'approved'],
  ['all, not yet', { approve: 'all' }, [YES, YES], null],
  ['two of three, a denial ends it', { approve: 2 }, [YES, NO], 'denied'],
  ['two of three without vetoes', { approve: 2, denyVetoes: false }, [NO, YES, YES], 'approved'],
  ['two of three cannot be reached', { approve: 2, denyVetoes: false }, [NO, NO], 'denied'],
  ['any without vetoes, all deny', { denyVetoes: false }, [NO, NO, NO], 'denied'],
])('quorum: %s', async (_, quorum, votes, outcome) => {
  const owner = await api.openOwner()
  const to = ['a', 'b', 'c'].map(name => ({ email: `${name}@example.com` }))
  const { id, tokens } = await owner.ask({ to, quorum })
  for (const [index, vote] of votes.entries()) expect((await api.reply(tokens[index]!, vote)).status).toBe(200)
  const { body } = await owner.own('GET', `/${id}`)
  expect([body.outcome, body.status]).toEqual([outcome, outcome ? 'replied' : 'partially_replied'])
  expect(await owner.events()).toHaveLength(outcome ? 1 : 0)
  const again = await api.reply(tokens[0]!, YES)
  expect(again.body.code).toBe('ALREADY_REPLIED')
})

test('of many deciding votes at once one counts, and the event is sent once', async () => {
  const owner = await api.openOwner()
  const to = Array.from({ length: 8 }, (_, index) => ({ webhook: `https://agent.example/${index}` }))
  const { id, tokens } = await owner.ask({ to })
  const replied = await Promise.all(tokens.map((token, index) => api.reply(token, index % 2 ? YES : NO)))
  expect(replied.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect((await owner.own('GET', `/${id}`)).body.replies).toHaveLength(1)
  expect(await owner.events()).toHaveLength(1)
})

test('a shared link takes as many replies as wanted, and then no more', async () => {
  const owner = await api.openOwner()
  const { id, tokens } = await owner.ask({ kind: 'text', maxReplies: 3 })
  const [token] = tokens as [string]
  for (const name of ['a', 'b', 'c']) expect((await api.reply(token, { text: name, name })).status).toBe(200)
  expect((await api.reply(token, { text: 'd' })).body.code).toBe('ASK_CLOSED')
  const { body } = await owner.own('GET', `/${id}`)
  expect(body).toMatchObject({ outcome: 'answered', replies: [{ recipient: 'a' }, { value: 'b' }, { value: 'c' }] })
})

test('a link with a name is for one person: two of them are needed where all must approve', async () => {
  const owner = await api.openOwner()
  const { id, tokens } = await owner.ask({ to: [{ name: 'Ida' }, { name: 'عمر' }], quorum: { approve: 'all' } })
  const [ida, omar] = tokens as [string, string]
  expect(await question(ida)).toMatchObject({ isShared: false, hasReplied: false })
  expect((await api.reply(ida, YES)).status).toBe(200)
  expect((await api.reply(ida, YES)).body.code).toBe('ALREADY_REPLIED')
  expect((await owner.own('GET', `/${id}`)).body).toMatchObject({ status: 'partially_replied', outcome: null })
  expect((await api.reply(omar, YES)).status).toBe(200)
  const { body } = await owner.own('GET', `/${id}`)
  expect(body).toMatchObject({ outcome: 'approved', replies: [{ recipient: 'Ida' }, { recipient: 'عمر' }] })
  const more = await owner.own('POST', `/${id}/follow-up`, { question: 'When?' })
  expect(more.body.recipients).toMatchObject([{ name: 'Ida' }, { name: 'عمر' }])
})

test('time is no approval: it expires, or the default counts, and a late reply is refused before a worker comes', async () => {
  const owner = await api.openOwner()
  const plain = await owner.ask({ expiresInSeconds: 60 })
  const open = [
    { key: 'small', label: 'S' },
    { key: 'large', label: 'L' },
  ]
  const choice = { kind: 'choice', options: open, onTimeout: 'default', defaultReply: { choice: 'small' } }
  const chosen = await owner.ask({ ...choice, expiresInSeconds: 60 })
  const denied = await owner.ask({ onTimeout: 'default', defaultReply: NO })
  await runDueSteps(api.context)
  expect(await owner.events()).toEqual([])
  for (const { id } of [plain, chosen, denied]) await ageAsk(api, id, 86_401)
  expect((await api.reply(plain.tokens[0]!, YES)).body.code).toBe('GONE')
  expect((await question(plain.tokens[0]!)).status).toBe('expired')
  for (const act of ['cancel', 'remind']) {
    expect((await owner.own('POST', `/${plain.id}/${act}`)).body).toMatchObject({
      code: 'ASK_CLOSED',
      status: 'expired',
    })
    expect((await owner.own('POST', `/${denied.id}/${act}`)).body.status).toBe('defaulted')
  }
  const waiting = owner.own('GET', `/${plain.id}/wait?timeoutSec=30`)
  await runDueSteps(api.context)
  await runDueSteps(api.context)
  expect((await waiting).body).toMatchObject({ status: 'expired', outcome: 'timeout' })
  const sent = await owner.events()
  const events = Object.fromEntries(sent.map(event => [event.askId, event]))
  expect([sent.length, Object.keys(events).length]).toEqual([3, 3])
  expect(events[plain.id]).toMatchObject({ status: 'expired', outcome: 'timeout', replies: [] })
  expect(events[chosen.id]).toMatchObject({ status: 'defaulted', outcome: 'choice', defaultReply: { value: 'small' } })
  expect(events[denied.id]).toMatchObject({ status: 'defaulted', outcome: 'denied' })
  expect((await api.reply(chosen.tokens[0]!, { choice: 'large' })).body.code).toBe('GONE')
})

test('asks of one account whose time is over end together, and their timers are dropped', async () => {
  const [owner, other] = [await api.openOwner(), await api.openOwner()]
  const asked = [await owner.ask({}), await owner.ask({}), await owner.ask({})]
  const open = await owner.ask({})
  const foreign = await other.ask({})
  for (const { id } of [...asked, foreign]) await ageAsk(api, id, 86_401)
  await runDue(api.context.db, uuidOf(asked[0]!.id))
  const ended = await owner.events()
  expect(new Set(ended.map(({ askId }) => askId))).toEqual(new Set(asked.map(({ id }) => id)))
  const timers = await rows<{ id: string }>(
    api.context.db,
    "select payload ->> 'id' as id from lane_step._private_jobs where key = any ($1)",
    [[...asked, open, foreign].map(({ id }) => `ask.run-due:${uuidOf(id)}`)],
  )
  // The first one's own timer is what runs.
  expect(new Set(timers.map(({ id }) => id))).toEqual(new Set([asked[0]!, open, foreign].map(({ id }) => uuidOf(id))))
})

test('an ask is cancelled once, and its people are told on their page', async () => {
  const owner = await api.openOwner()
  const { id, tokens } = await owner.ask({})
  expect((await owner.own('POST', `/${id}/cancel`)).body.status).toBe('cancelled')
  expect((await owner.own('POST', `/${id}/cancel`)).body.code).toBe('ASK_CLOSED')
  expect((await owner.own('POST', `/${id}/remind`)).body.code).toBe('ASK_CLOSED')
  expect((await api.reply(tokens[0]!, YES)).body).toMatchObject({ code: 'ASK_CLOSED', status: 'cancelled' })
  expect(await owner.events()).toMatchObject([{ status: 'cancelled', outcome: null }])
  expect((await api.app.inject({ url: `/r/${tokens[0]}` })).body).toContain('has withdrawn this question')
})

test('a follow-up asks the same people in the same thread', async () => {
  const owner = await api.openOwner()
  const { id, tokens, created } = await owner.ask({ to: [{ webhook: `https://agent.example/x`, name: 'Agent' }] })
  await api.reply(tokens[0]!, { ...NO, comment: 'No' })
  const { status, body } = await owner.own('POST', `/${id}/follow-up`, { question: 'Why not?' })
  expect([status, body.kind, body.threadId]).toEqual([201, 'text', created.threadId])
  expect(body.recipients).toMatchObject([{ name: 'Agent', kind: 'webhook', address: `https://agent.example/x` }])
  expect(tokenOf(body.replyUrls[0].url)).not.toBe(tokens[0])
  expect((await owner.own('GET', `?threadId=${created.threadId}`)).body.data).toHaveLength(2)
})

test('only the owner of a wallet replies to what is addressed to it, and finds it in the inbox', async () => {
  const [owner, person] = [await api.openOwner(), await api.openOwner()]
  const { db } = api.context
  const wallet = `0x${newId().replaceAll('-', '')}00000000`
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [wallet, person.accountId])
  const { tokens } = await owner.ask({ to: [{ wallet: wallet.toUpperCase().replace('0X', '0x') }] })
  expect((await api.reply(tokens[0]!, YES)).body).toMatchObject({ code: 'WRONG_WALLET', wallet })
  const [item] = await listInbox(api.context, person.accountId)
  expect(item).toMatchObject({ title: 'May I?', url: `/r/${tokens[0]}` })
  expect(await listInbox(api.context, owner.accountId)).toEqual([])
  expect((await owner.call('POST', `/v1/bridge/reply/${tokens[0]}`, YES)).json().code).toBe('WRONG_WALLET')
  expect((await person.call('POST', `/v1/bridge/reply/${tokens[0]}`, YES)).statusCode).toBe(200)
  expect(await listInbox(api.context, person.accountId)).toEqual([])
})

test('asks are exported with their files, erased with the account, and forgotten in time', async () => {
  const [owner, other] = [await api.openOwner(), await api.openOwner()]
  const { db } = api.context
  const { id, tokens } = await owner.ask({ kind: 'file', to: [{ email: 'x@example.com' }] })
  await api.reply(tokens[0]!, { file: { name: 'a.txt', base64: 'YWJj' } })
  const exported = JSON.stringify(await exportAccount(db, owner.accountId))
  for (const part of [id, 'YWJj', 'x@example.com']) expect(exported).toContain(part)
  expect(exported).not.toContain(tokens[0])
  const old = await other.ask({})
  await api.reply(old.tokens[0]!, YES)
  expect(await forgetAsks(db, 90)).toBe(0)
  await rows(db, "update svc.ask set ended_at = now() - interval '91 days' where id = $1", [uuidOf(old.id)])
  expect(await forgetAsks(db, 90)).toBe(1)
  expect((await other.own('GET', `/${old.id}`)).status).toBe(404)
  expect((await other.call('GET', `/v1/audit/ask/${uuidOf(old.id)}`)).statusCode).toBe(404)
  await eraseAccount(db, api.context.store, owner.accountId)
  expect(await rows(db, 'select 1 from svc.ask where account_id = $1', [owner.accountId])).toEqual([])
  expect((await api.reply(tokens[0]!, YES)).status).toBe(404)
})

test('a token that is guessed opens nothing', async () => {
  const token = `rpl_${'A'.repeat(43)}`
  expect((await api.reply(token, YES)).body.code).toBe('NOT_FOUND')
  expect((await api.app.inject({ url: `/r/${token}` })).statusCode).toBe(404)
  expect((await api.app.inject({ url: '/v1/bridge/reply/x' })).statusCode).toBe(404)
})
