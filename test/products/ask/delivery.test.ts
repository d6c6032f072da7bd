import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type AskApi, ageAsk, openAskApi, tokenOf, uuidOf, YES } from '../../support/asks/api.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { type LocalServer, openLocalServer } from '../../support/servers/local.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

interface Received {
  path: string
  headers: Record<string, unknown>
  body: string
}

let api: AskApi
let mail: Awaited<ReturnType<typeof openMailServer>>
let providers: LocalServer
const received: Received[] = []
let answers: (path: string) => object = () => ({ ok: true })
beforeAll(async () => {
  mail = await openMailServer()
  providers = await openLocalServer(({ path, headers, body }) => {
    received.push({ path, headers, body })
    return answers(path)
  })
  const { url } = providers
  api = await openAskApi({
    ...{ SMTP_URL: mail.url, WEBHOOK_NETWORKS: '127.0.0.0/8' },
    ...{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_URL: `${url}/slack`, TELEGRAM_BOT_TOKEN: 'tg-1', TELEGRAM_URL: url },
    ...{ TWILIO_ACCOUNT: 'AC1', TWILIO_TOKEN: 'tw-1', TWILIO_FROM: '+15005550006', TWILIO_URL: url },
  })
})
beforeEach(() => {
  received.length = 0
  mail.mails.length = 0
  mail.answers = {}
  answers = () => ({ ok: true })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
  await Promise.all([mail[Symbol.asyncDispose](), providers[Symbol.asyncDispose]()])
})

test('each kind of recipient is written to, with a link that works', async () => {
  const owner = await api.openOwner()
  const channel = (await owner.call('POST', '/v1/bridge/channels', {})).json().id
  const to = [
    ...[{ email: 'Ida@Example.com', name: 'Ida' }, { slack: '#ops' }, { slack: `${providers.url}/hook` }],
    ...[{ telegram: '-100123' }, { sms: '+491701234567' }, { webhook: `${providers.url}/agent` }],
    { channelId: channel },
  ]
  const { id, tokens } = await owner.ask({ question: 'May I <b>really</b>?\r\nBcc: x@example.com', urgency: 'low', to })
  await runDueSteps(api.context)
  await runDueSteps(api.context)
  const { recipients } = (await owner.own('GET', `/${id}`)).body
  expect(recipients.map(({ delivery }: { delivery: string }) => delivery)).toEqual(Array(7).fill('sent'))
  const of = (path: string) => received.filter(request => request.path === path)
  expect(of('/slack/chat.postMessage')).toMatchObject([{ headers: { authorization: 'Bearer xoxb-1' } }])
  expect(JSON.parse(of('/slack/chat.postMessage')[0]!.body).channel).toBe('#ops')
  expect(of('/hook')[0]!.body).toContain(tokens[2]!)
  expect(JSON.parse(of('/bottg-1/sendMessage')[0]!.body)).toMatchObject({
    ...{ chat_id: '-100123', disable_notification: true },
  })
  const sms = new URLSearchParams(of('/2010-04-01/Accounts/AC1/Messages.json')[0]!.body)
  expect([sms.get('To'), sms.get('Body')]).toEqual(['+491701234567', expect.stringContaining(tokens[4]!)])
  const posted = JSON.parse(of('/agent')[0]!.body)
  expect(posted).toMatchObject({ type: 'bridge.ask', occasion: 'asked', askId: id, kind: 'approval' })
  expect(tokenOf(posted.replyUrl)).toBe(tokens[5])
  expect(mail.mails).toHaveLength(1)
  const text = mail.mails[0]!.replaceAll('=\n', '')
  expect(text).toMatch(/^To: ida@example.com$/m)
  expect(text).toMatch(/^Subject: May I <b>really<\/b>\?$/m)
  expect(text).toContain(tokens[0]!)
  const messages = (await owner.call('GET', `/v1/bridge/channels/${channel}/messages`)).json().data
  expect(messages).toMatchObject([{ type: 'ask', body: { askId: id } }])
  expect((await api.reply(tokenOf(messages[0].body.replyUrl), YES)).status).toBe(200)
})

test('a question that is too long for a chat is cut between characters', async () => {
  const owner = await api.openOwner()
  const to = [{ slack: '#long' }, { telegram: '7' }, { sms: '+491701234568' }]
  for (const start of ['', 'a']) await owner.ask({ question: start + '😀'.repeat(1_999), to })
  await runDueSteps(api.context)
  const texts = received.map(({ path, body }) => {
    if (path.startsWith('/2010')) return new URLSearchParams(body).get('Body')!
    const { text, blocks } = JSON.parse(body)
    return String(blocks?.[0].text.text ?? text)
  })
  expect(texts).toHaveLength(6)
  for (const text of texts)
    expect([text.isWellFormed(), text.includes('\ufffd'), text.includes('😀…')]).toEqual([true, false, true])
})

test('a channel that is not there, or of another account, is refused before anything is charged', async () => {
  const [owner, other] = [await api.openOwner(), await api.openOwner()]
  const foreign = (await other.call('POST', '/v1/bridge/channels', {})).json().id as string
  const own = (await owner.call('POST', '/v1/bridge/channels', {})).json().id as string
  const before = await owner.money()
  const escalation = (channelId: string) => [{ afterSeconds: 60, to: [{ channelId }] }]
  const unknown = `chn_${'0'.repeat(32)}`
  for (const body of [
    { to: [{ channelId: own }, { channelId: foreign }] },
    { to: [{ channelId: unknown }] },
    { escalation: escalation(foreign) },
  ]) {
    const answer = await owner.own('POST', '', { question: 'x', ...body })
    expect([answer.status, answer.body.code, answer.body.field], JSON.stringify(answer.body)).toEqual([
      ...[404, 'NOT_FOUND', 'channelId'],
    ])
    expect([foreign, unknown]).toContain(answer.body.recipient)
  }
  expect(await owner.money()).toEqual(before)
  expect((await owner.own('POST', '', { question: 'x', to: [{ channelId: own }] })).status).toBe(201)
})

test('who never can be reached is listed with the reason, and an ask that reaches nobody ends', async () => {
  const owner = await api.openOwner()
  answers = path => {
    if (path.startsWith('/slack')) return { ok: false, error: 'channel_not_found' }
    return { status: path.startsWith('/bot') ? 400 : 404, description: 'chat not found' }
  }
  mail.answers = { RCPT: '550 no such user' }
  const to = [{ slack: '#gone' }, { telegram: '1' }, { webhook: `${providers.url}/gone` }, { email: 'no@example.com' }]
  const some = await owner.ask({ to: [...to, { wallet: `0x${'a'.repeat(40)}` }] })
  const none = await owner.ask({ to })
  for (let run = 0; run < 3; run++) await runDueSteps(api.context)
  const { body } = await owner.own('GET', `/${some.id}`)
  expect(body.status).toBe('open')
  expect(body.undelivered).toEqual([
    { recipient: '#gone', reason: 'Slack answers channel_not_found.' },
    { recipient: '1', reason: 'Telegram answers: chat not found.' },
    { recipient: `${providers.url}/gone`, reason: 'The receiver answered 404.' },
    { recipient: 'no@example.com', reason: expect.stringContaining('550') },
  ])
  expect((await owner.own('GET', `/${none.id}`)).body).toMatchObject({ status: 'undeliverable', outcome: null })
  expect(await owner.events()).toMatchObject([{ askId: none.id, status: 'undeliverable' }])
})

test('a mail that is not sent, because SMTP was removed meanwhile, does not count as sent', async () => {
  const owner = await api.openOwner()
  const { id } = await owner.ask({ to: [{ email: 'removed@example.com' }] })
  const removed = { ...api.context, mail: { ...api.context.mail, isSending: false } }
  for (let run = 0; run < 3; run++) await runDueSteps(removed)
  expect((await owner.own('GET', `/${id}`)).body).toMatchObject({
    status: 'undeliverable',
    undelivered: [{ recipient: 'removed@example.com', reason: 'No email is configured here any more.' }],
  })
})

test('a receiver that fails for a moment is tried again with the same key', async () => {
  const owner = await api.openOwner()
  answers = () => ({ status: 503 })
  const { id } = await owner.ask({ to: [{ webhook: `${providers.url}/busy` }] })
  await runDueSteps(api.context)
  expect((await owner.own('GET', `/${id}`)).body.recipients).toMatchObject([
    { delivery: 'waiting', deliveryError: 'The receiver answered 503.' },
  ])
  answers = () => ({ ok: true })
  await rows(api.context.db, 'update lane_step._private_jobs set run_at = now() where attempts > 0')
  await runDueSteps(api.context)
  expect((await owner.own('GET', `/${id}`)).body.recipients).toMatchObject([{ delivery: 'sent', deliveryError: null }])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('reminders and steps come at their times, to those who have not replied', async () => {
  const owner = await api.openOwner()
  const [first, second, later] = ['first', 'second', 'later'].map(name => ({ webhook: `${providers.url}/${name}` }))
  const { id, tokens } = await owner.ask({
    ...{ kind: 'text', maxReplies: 2, to: [first, second], reminders: [600] },
    escalation: [{ afterSeconds: 1_200, to: [later] }],
  })
  const paths = () => received.splice(0).map(({ path, body }) => `${path} ${JSON.parse(body).occasion}`)
  await runDueSteps(api.context)
  expect(paths().sort()).toEqual(['/first asked', '/second asked'])
  await api.reply(tokens[0]!, { text: 'Here' })
  await ageAsk(api, id, 700)
  await runDueSteps(api.context)
  await runDueSteps(api.context)
  expect(paths()).toEqual(['/second reminder'])
  expect((await owner.own('POST', `/${id}/remind`)).body).toMatchObject({
    ...{ code: 'REMINDED_RECENTLY', retryAfterMs: expect.any(Number) },
  })
  await ageAsk(api, id, 600)
  await runDueSteps(api.context)
  expect(paths()).toEqual(['/later asked'])
  await rows(api.context.db, "update svc.ask set reminded_at = now() - interval '2 minutes' where id = $1", [
    uuidOf(id),
  ])
  expect((await owner.own('POST', `/${id}/remind`)).status).toBe(200)
  await runDueSteps(api.context)
  expect(paths().sort()).toEqual(['/later reminder', '/second reminder'])
  const { data } = (await owner.call('GET', `/v1/audit/ask/${uuidOf(id)}`)).json()
  expect(data.map(({ action }: { action: string }) => action)).toEqual([
    'asked',
    'reply',
    'partially_replied',
    'reminded',
    'escalated',
    'reminded',
  ])
})
