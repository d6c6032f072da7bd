import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type AskApi, NO, openAskApi, YES } from '../../support/asks/api.ts'

let api: AskApi
beforeAll(async () => {
  api = await openAskApi({ SMTP_URL: 'smtp://127.0.0.1:9', WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const WALLET = `0x${'a'.repeat(40)}`
const LARGE = { text: 'x'.repeat(1_900_000) }
const FORM = {
  type: 'object',
  properties: {
    amount: { type: 'integer', minimum: 1, maximum: 10 },
    reason: { type: 'string', enum: ['new', 'lost'] },
    mail: { type: 'string', format: 'email' },
    agreed: { type: 'boolean' },
  },
  required: ['amount'],
}
test.each([
  ['an empty form', {}, '/form/amount'],
  ['a wrong type', { amount: 'two' }, '/form/amount'],
  ['a fraction', { amount: 1.5 }, '/form/amount'],
  ['a number out of range', { amount: 11 }, '/form/amount'],
  ['a choice that there is not', { amount: 1, reason: 'old' }, '/form/reason'],
  ['no mail address', { amount: 1, mail: 'x' }, '/form/mail'],
  ['an unknown entry', { amount: 1, __proto__x: 1 }, '/form/__proto__x'],
])('a form refuses %s', async (_, form, path) => {
  const owner = await api.openOwner()
  const { tokens } = await owner.ask({ kind: 'form', schema: FORM })
  expect((await api.reply(tokens[0]!, { form })).body).toMatchObject({ code: 'REPLY_INVALID', path })
  expect((await api.reply(tokens[0]!, { form: { amount: 2, agreed: true } })).status).toBe(200)
})

test.each([
  ['a choice without options', { kind: 'choice' }, 'OPTIONS_REQUIRED'],
  [
    'two options of one key',
    { kind: 'choice', options: [1, 2].map(n => ({ key: 'a', label: `${n}` })) },
    'OPTIONS_REQUIRED',
  ],
  [
    'options of an approval',
    {
      options: [
        { key: 'a', label: 'A' },
        { key: 'b', label: 'B' },
      ],
    },
    'INVALID_PARAM',
  ],
  ['a form without a schema', { kind: 'form' }, 'SCHEMA_INVALID'],
  [
    'a nested form',
    { kind: 'form', schema: { type: 'object', properties: { a: { type: 'object' } } } },
    'SCHEMA_INVALID',
  ],
  [
    'a pattern',
    { kind: 'form', schema: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } },
    'SCHEMA_INVALID',
  ],
  [
    'a number that cannot be',
    { kind: 'form', schema: { type: 'object', properties: { a: { type: 'number', minimum: 5, maximum: 4 } } } },
    'SCHEMA_INVALID',
  ],
  [
    'a text that cannot be',
    { kind: 'form', schema: { type: 'object', properties: { a: { type: 'string', minLength: 5, maxLength: 4 } } } },
    'SCHEMA_INVALID',
  ],
  ['an edit of nothing', { allowEdit: true }, 'INVALID_PARAM'],
  [
    'a default that is no option',
    { kind: 'number', onTimeout: 'default', defaultReply: { choice: 'a' } },
    'REPLY_INVALID',
  ],
  ['a default without onTimeout', { defaultReply: NO }, 'INVALID_PARAM'],
  [
    'more approvals than people',
    { to: [{ webhook: 'https://agent.example/' }], quorum: { approve: 2 } },
    'INVALID_PARAM',
  ],
  [
    'more replies than people',
    { kind: 'text', to: [{ webhook: 'https://agent.example/' }], maxReplies: 2 },
    'INVALID_PARAM',
  ],
  ['a reminder after the end', { expiresInSeconds: 60, reminders: [60] }, 'INVALID_PARAM'],
  ['two addresses of one recipient', { to: [{ email: 'a@example.com', sms: '+491701234567' }] }, 'RECIPIENT_INVALID'],
  [
    'one person with two votes',
    { to: [{ wallet: WALLET }, { wallet: WALLET.toUpperCase().replace('0X', '0x') }], quorum: { approve: 2 } },
    'RECIPIENT_INVALID',
  ],
  [
    'one person with a vote in two steps',
    { to: [{ wallet: WALLET }], escalation: [{ afterSeconds: 60, to: [{ wallet: WALLET }] }], quorum: { approve: 2 } },
    'RECIPIENT_INVALID',
  ],
  ['no address and no name', { to: [{}] }, 'RECIPIENT_INVALID'],
  ['a mail address with a line break', { to: [{ email: 'a@example.com\nBcc: b@example.com' }] }, 'RECIPIENT_INVALID'],
  ['a private webhook', { to: [{ webhook: 'http://10.0.0.1/' }] }, 'RECIPIENT_INVALID'],
  ['a private address of Slack', { to: [{ slack: 'https://169.254.169.254/' }] }, 'RECIPIENT_INVALID'],
  ['a zero byte', { context: { a: ['\0'] } }, 'INVALID_PARAM'],
  ['half a character', { proposal: { '\ud800': 1 } }, 'INVALID_PARAM'],
  ['a large context', { context: 'x'.repeat(70_000) }, 'INVALID_PARAM'],
  ['an attachment that is no base64', { attachments: [{ name: 'a', inline: '*' }] }, 'INVALID_BASE64'],
  ['an attachment of two sources', { attachments: [{ inline: 'YQ==', text: 'a' }] }, 'INVALID_SOURCE'],
  ['an upload that is not there', { attachments: [{ inputKey: 'scratch/a/b' }] }, 'INPUT_NOT_FOUND'],
  ['a baton that is not there', { attachments: [{ batonId: `bat_${'0'.repeat(32)}` }] }, 'INPUT_NOT_FOUND'],
  ['a file of the web', { attachments: [{ url: 'https://example.com/' }] }, 'MODE_DISABLED'],
  ['a large attachment', { attachments: [{ name: 'a', inline: 'AAAA'.repeat(1_800_000) }] }, 'INPUT_TOO_LARGE'],
  ['two that are too large', { attachments: [LARGE, LARGE, LARGE] }, 'INPUT_TOO_LARGE'],
])('%s is refused for free', async (_, body, code) => {
  const owner = await api.openOwner()
  const { body: refused } = await owner.own('POST', '', { question: 'May I?', ...body })
  expect(refused.code, JSON.stringify(refused)).toBe(code)
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})

test('who has a name alone gets a link of their own, and can reply', async () => {
  const owner = await api.openOwner()
  const { id, tokens, created } = await owner.ask({ to: [{ name: 'Ida' }, { name: 'Bo' }] })
  expect(created.replyUrls.map(({ recipient }: { recipient: string }) => recipient)).toEqual(['Ida', 'Bo'])
  expect((await api.reply(tokens[1]!, YES)).status).toBe(200)
  const { status, replies } = (await owner.own('GET', `/${id}`)).body
  expect([status, replies.length]).toEqual(['replied', 1])
})

test('a reply is what was asked for, and a file comes back as it was sent', async () => {
  const owner = await api.openOwner()
  const attachments = [{ name: '../../plan <1>.txt', inline: Buffer.from('<b>').toString('base64') }]
  const { id, tokens, created } = await owner.ask({ kind: 'file', attachments, allowComment: false })
  const [token] = tokens as [string]
  for (const [wrong, path] of [
    [{ text: 'a' }, '/text'],
    [{}, '/file'],
    [{ file: { name: 'a', base64: 'YQ==' }, comment: 'x' }, '/comment'],
    [{ file: { name: 'a', base64: 'YQ==' }, editedProposal: 1 }, '/editedProposal'],
  ] as const)
    expect((await api.reply(token, wrong)).body).toMatchObject({ code: 'REPLY_INVALID', path })
  const attached = await api.app.inject({ url: `/v1/bridge/reply/${token}/files/${created.attachments[0].id}` })
  expect([attached.body, attached.headers['x-content-type-options']]).toEqual(['<b>', 'nosniff'])
  expect(attached.headers['content-disposition']).toMatch(/^attachment/)
  const bytes = Buffer.from([0, 255, 10, 13])
  const file = { name: 'ünï.bin', contentType: 'image/png', base64: bytes.toString('base64') }
  expect((await api.reply(token, { file })).status).toBe(200)
  const { replies } = (await owner.own('GET', `/${id}`)).body
  expect(replies[0].value).toMatchObject({ name: 'ünï.bin', sizeBytes: 4 })
  const stored = await owner.call('GET', `/v1/bridge/asks/${id}/files/${replies[0].value.id}`)
  expect(stored.rawPayload.equals(bytes)).toBe(true)
  const foreign = await api.app.inject({ url: `/v1/bridge/reply/${token}/files/${replies[0].value.id}` })
  expect(foreign.statusCode).toBe(404)
})

test('uploads and batons are attached as they are, and stay when those are gone', async () => {
  const owner = await api.openOwner()
  const made = (await owner.call('POST', '/v1/baton', { preset: 'pass', tier: 'femto', content: 'kept 東' })).json()
  const attachments = [{ batonId: made.id, name: 'from a baton.txt' }, { text: 'plain ☃' }]
  const { id, created, tokens } = await owner.ask({ attachments })
  expect(created.attachments).toMatchObject([
    { name: 'from a baton.txt', sizeBytes: Buffer.byteLength('kept 東') },
    { name: 'file', contentType: 'text/plain' },
  ])
  await owner.call('DELETE', `/v1/baton/${made.id}`)
  const [file] = created.attachments
  expect((await api.app.inject({ url: `/v1/bridge/reply/${tokens[0]}/files/${file.id}` })).body).toBe('kept 東')
  expect((await owner.call('GET', `/v1/bridge/asks/${id}/files/${file.id}`)).body).toBe('kept 東')
  const outsider = await api.openOwner()
  const stolen = await outsider.own('POST', '', { question: 'x', attachments: [{ batonId: made.id }] })
  expect(stolen.body.code).toBe('INPUT_NOT_FOUND')
})

test('an approval can edit the proposal where that is allowed', async () => {
  const owner = await api.openOwner()
  const { id, tokens } = await owner.ask({ proposal: { amount: 5 }, allowEdit: true })
  expect((await api.reply(tokens[0]!, { ...NO, editedProposal: { amount: 3 } })).body.code).toBe('REPLY_INVALID')
  expect((await api.reply(tokens[0]!, { ...YES, editedProposal: { amount: 3 } })).status).toBe(200)
  expect((await owner.own('GET', `/${id}`)).body.replies).toMatchObject([{ editedProposal: { amount: 3 } }])
})

test('what is cut within a character, or is no text, breaks nothing on the page', async () => {
  const owner = await api.openOwner()
  const { id, tokens } = await owner.ask({ kind: 'text', maxReplies: 3 })
  const post = (fields: Record<string, string>) =>
    api.app.inject({
      ...({ method: 'POST', url: `/r/${tokens[0]}` } as const),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: api.context.config.publicUrl },
      payload: new URLSearchParams({ text: 'Yes', ...fields }).toString(),
    })
  expect((await post({ name: 'a\0b' })).statusCode).toBe(400)
  expect((await post({ name: `${'n'.repeat(99)}😀`, comment: `${'c'.repeat(3_999)}😀` })).statusCode).toBe(303)
  const { body } = await owner.own('GET', `/${id}`)
  expect(JSON.stringify(body.replies)).toContain(`${'n'.repeat(99)}\ufffd`)
})
