import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { createBaton } from '../../../sql/baton/lifecycle.ts'
import { rows } from '../../../sql/db.ts'
import { decodeHeader, openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { sendForm } from '../../support/stack/upload-form.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const SHAPE = { sizeBytes: 1_000, durationSeconds: '3600', maxEgressBytes: 5_000, writesAllowed: 10, readsAllowed: 20 }
const quoteOf = async (payload: object) =>
  BigInt((await api.app.inject({ method: 'POST', url: '/v1/baton/quote', payload })).json().quote.amountMicros)

test('a baton costs what was quoted, and holds its content until its end', async () => {
  const owner = await openBatonOwner(api)
  const choice = { preset: 'drop', customShape: SHAPE }
  const answer = await owner.call('POST', '/v1/baton', { ...choice, content: 'Hello', name: 'Greeting' })
  const quoted = await quoteOf(choice)
  expect(answer.statusCode).toBe(201)
  expect(answer.headers['x-service-charged-micros']).toBe(String(quoted))
  expect(await owner.money()).toEqual([1_000_000n - quoted, 0n])
  const baton = answer.json()
  expect(baton).toMatchObject({ preset: 'drop', tier: 'custom', sizeBytes: '1000', egressBytes: '5000', maxWrites: 10 })
  expect(Date.parse(baton.expiresAt) - Date.parse(baton.createdAt)).toBe(3_600_000)
  const read = await owner.call('GET', `/v1/baton/${baton.id}`)
  expect([read.statusCode, read.body, read.headers['content-type']]).toEqual([
    200,
    'Hello',
    'text/plain; charset=utf-8',
  ])
})

test('the answer says what each token allows, beside the reads of the whole', async () => {
  const owner = await openBatonOwner(api)
  const tokens = [{ type: 'read', reads_allowed: 1 }, { type: 'read' }]
  const baton = (await owner.call('POST', '/v1/storage/pass', { tier: 'femto', content: 'x', tokens })).json()
  expect(baton.tokens[0]).toMatchObject({ type: 'read', readsAllowed: 1 })
  expect(baton.tokens[1]).not.toHaveProperty('readsAllowed')
})

const ALIASES = [
  '/v1/storage/drop',
  '/v1/storage/pass',
  '/v1/storage/scratchpad',
  '/v1/storage/checkpoint',
  '/v1/storage/ledger',
]
test.each(ALIASES)('%s is an alias', async address => {
  const preset = address.split('/').at(-1)!
  const owner = await openBatonOwner(api)
  const answer = await owner.call('POST', address, { preset: 'other', tier: 'femto', content: 'x' })
  expect([answer.statusCode, answer.json().preset]).toEqual([201, preset])
  expect(await owner.money()).toEqual([1_000_000n - (await quoteOf({ preset, tier: 'femto' })), 0n])
})

test.each([
  [{ preset: 'vault', tier: 'femto' }, 404, 'PRECONFIG_NOT_FOUND'],
  [{ preset: 'drop' }, 422, 'INVALID_SHAPE'],
  [{ preset: 'drop', customShape: SHAPE, content: 'x'.repeat(1_001) }, 422, 'INVALID_SHAPE'],
  [{ preset: 'drop', tier: 'big', content: 'x'.repeat(3 * 2 ** 20 + 1) }, 422, 'INPUT_TOO_LARGE'],
  [{ preset: 'drop', tier: 'femto', content: '%', contentEncoding: 'base64' }, 400, 'INVALID_BASE64'],
  [{ preset: 'ledger', tier: 'femto', contentEncoding: 'base64' }, 400, 'INVALID_PARAM'],
  [{ preset: 'ledger', tier: 'femto', flags: { witness: false } }, 422, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'drop', tier: 'femto', content: 'x', requestPresignedUpload: true }, 400, 'CONFLICTING_OPTIONS'],
  [{ preset: 'drop', tier: 'femto', name: 'a\0b' }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop', tier: 'femto', name: '\ud800' }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop', tier: 'femto', acl: { me: 'editor' } }, 400, 'UNKNOWN_FIELD'],
  [{ preset: 'drop', tier: 'femto', tokens: [{ type: 'read', ip_allow_list: ['::/0'] }] }, 422, 'IPV6_NOT_SUPPORTED'],
  [{ preset: 'drop', tier: 'femto', tokens: [{ type: 'read', ip_allow_list: ['1.2.3'] }] }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop', tier: 'femto', tokens: [{ type: 'read', expires_at: 'soon' }] }, 400, 'INVALID_PARAM'],
  [{ preset: 'drop', tier: 'femto', eventTriggers: [{ url: 'https://x', events: ['a'] }] }, 400, 'INVALID_EVENTS'],
])('body %# is refused before anything is held', async (payload, status, code) => {
  const owner = await openBatonOwner(api)
  const answer = await owner.call('POST', '/v1/baton', payload)
  expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})

test('a repeat under the same key gets the same baton and pays once', async () => {
  const owner = await openBatonOwner(api)
  const key = { 'idempotency-key': 'one-baton' }
  const first = await owner.call('POST', '/v1/baton', { preset: 'pass', tier: 'femto' }, key)
  const second = await owner.call('POST', '/v1/baton', { preset: 'pass', tier: 'femto' }, key)
  expect([second.statusCode, second.json()]).toEqual([201, first.json()])
  expect(await owner.money()).toEqual([1_000_000n - (await quoteOf({ preset: 'pass', tier: 'femto' })), 0n])
})

test('a wallet pays by x402, and an anonymous caller gets the exact price', async () => {
  const payload = { preset: 'drop', tier: 'micro', content: 'paid' }
  const offer = await api.app.inject({ method: 'POST', url: '/v1/baton', payload })
  const quoted = await quoteOf({ preset: 'drop', tier: 'micro' })
  expect([offer.statusCode, decodeHeader(offer.headers['payment-required']).accepts![0]]).toMatchObject([
    402,
    { amount: String(quoted) },
  ])
  const amount = quoted
  const headers = { 'payment-signature': api.chain.wallet().pay(amount) }
  const paid = await api.app.inject({ method: 'POST', url: '/v1/baton', headers, payload })
  expect([paid.statusCode, paid.json().preset]).toEqual([201, 'drop'])
})

test('a file of more than 3 MB is uploaded by the form, once, and within the size', async () => {
  const owner = await openBatonOwner(api)
  const { id, upload } = await owner.create({ preset: 'drop', tier: 'nano', requestPresignedUpload: true })
  expect((await owner.call('GET', `/v1/baton/${id}`)).json().code).toBe('BATON_EMPTY')
  const bytes = Buffer.alloc(4_000_000, 7)
  const send = (content: Buffer) => sendForm(api, upload, content)
  expect((await send(Buffer.alloc(upload.maxBytes + 1))).statusCode).toBe(413)
  expect((await send(bytes)).statusCode).toBe(204)
  const [one, other] = await Promise.all([1, 2].map(() => owner.call('GET', `/v1/baton/${id}`)))
  expect([one!.rawPayload.equals(bytes), other!.rawPayload.equals(bytes)]).toEqual([true, true])
  expect((await owner.call('GET', `/v1/baton/${id}/meta`)).json()).toMatchObject({ storedBytes: '4000000', entries: 1 })
  // It was written once, under its own key.
  expect(await api.context.store.stat(upload.fields.key)).toBeUndefined()
})

test('what has no paying job creates nothing, and a hold that is over pays for nothing', async () => {
  const owner = await openBatonOwner(api)
  const job = { id: newId(), accountId: owner.accountId, startedAt: new Date(), chargeMicros: 1n }
  await expect(createBaton(api.context.db, job, { id: newId() }, undefined, {})).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  })
  expect(await rows(api.context.db, 'select from svc.baton where account_id = $1', [owner.accountId])).toEqual([])
})
