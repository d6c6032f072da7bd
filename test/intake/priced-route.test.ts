import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem, perCall } from '#kit'
import type { NamedRoute } from '../../api/catalog.ts'
import type { FundedCall } from '../../api/intake/call.ts'
import type { PaymentFunding } from '../../api/intake/x402/funding.ts'
import { type Route, route } from '../../api/route.ts'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { decodeHeader, openPaidApi, type PaidApi } from '../support/chain/in-process-paid-api.ts'

/** A route with a price, as products declare them: it goes through the same intake as any operation. */
const greet = route({
  at: 'POST /v1/greetings/{language}',
  summary: 'Greet someone by name.',
  auth: ['key', 'wallet', 'x402'],
  params: Type.Object({ language: Type.String({ maxLength: 2 }) }),
  body: Type.Object({ name: Type.String() }, { additionalProperties: false }),
  reply: { status: 200, schema: Type.Object({ greeting: Type.String() }) },
  price: perCall('0.02'),
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'PAYMENT_REQUIRED'],
  handle: ({ body, params, request }) => {
    if (body.name === 'a write') Object.assign(request, { caller: undefined })
    if (body.name === 'a stranger') throw new Problem('NOT_FOUND')
    if (body.name === 'a bug') throw new TypeError('a bug')
    return { greeting: `${params.language}: ${body.name}` }
  },
})
const NAMED: NamedRoute = { ...(greet as Route), name: 'greetings.greet', family: 'greetings' }

/** The type checker refuses what would change the funding or an earlier step of a call. */
const _writeIntoSteps = (funding: PaymentFunding, call: FundedCall): void => {
  // @ts-expect-error -- a funding is a value
  funding.receipt = undefined
  // @ts-expect-error -- so is what it shows to the ledger
  funding.entry.txHash = '0x00'
  // @ts-expect-error -- and each step of a call
  call.hold = { ...call.hold, amountMicros: 0n }
  // @ts-expect-error -- with the price that it holds
  call.hold.amountMicros = 0n
  // @ts-expect-error -- and who makes it
  call.request.caller = undefined
}

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi({}, [NAMED])
})
afterAll(() => api[Symbol.asyncDispose]())

const greetBy = (headers: Record<string, string>, payload: object = { name: 'Ada' }, language = 'en') =>
  api.app.inject({ method: 'POST', url: `/v1/greetings/${language}`, headers, payload })

async function openAccount(balanceMicros = 100_000n) {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  if (balanceMicros > 0n) await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createKey(db, { accountId, mode: 'test', hash: apiKey => hashApiKey(config.secret, apiKey) })
  const money = async () => {
    const account = await readAccount(db, accountId)
    return [account!.balanceMicros, account!.heldMicros].map(String)
  }
  return { accountId, money, headers: { authorization: `Bearer ${key}` } }
}

test('a call by key is held, done in the api, charged and listed as a job', async () => {
  const { headers, money } = await openAccount()
  const answer = await greetBy(headers)
  expect([answer.statusCode, answer.json()]).toEqual([200, { greeting: 'en: Ada' }])
  expect(answer.headers['x-service-charged-micros']).toBe('20000')
  expect(await money()).toEqual(['80000', '0'])
  const job = await api.app.inject({ url: `/v1/jobs/${answer.headers['x-service-job-id']}`, headers })
  expect(job.json()).toMatchObject({ status: 'succeeded', serviceKey: 'greetings.greet', actualMicros: '20000' })
})

test.each([
  ['a problem', 'a stranger', 404, 'NOT_FOUND'],
  ['a bug', 'a bug', 500, 'INTERNAL'],
  ['a write into its call, which is frozen,', 'a write', 500, 'INTERNAL'],
])('%s in the route releases the hold', async (_, name, status, code) => {
  const { headers, money } = await openAccount()
  const answer = await greetBy(headers, { name })
  expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  expect(await money()).toEqual(['100000', '0'])
})

test('nothing runs for a caller who cannot pay, and bad input costs nothing', async () => {
  const poor = await openAccount(19_999n)
  expect((await greetBy(poor.headers)).json().code).toBe('INSUFFICIENT_BALANCE')
  const { headers, money } = await openAccount()
  expect((await greetBy(headers, { nam: 'Ada' })).json().code).toBe('MISSING_FIELD')
  expect((await greetBy(headers, { name: 'Ada' }, 'english')).json().code).toBe('INVALID_PARAM')
  expect(await money()).toEqual(['100000', '0'])
})

test('a dry run quotes the price', async () => {
  const { headers, money } = await openAccount()
  const answer = await greetBy(headers, { name: 'Ada', dryRun: true })
  expect(answer.json()).toEqual({
    quote: {
      ...{ amountMicros: '20000', unit: 'call', units: 1, rateMicros: '20000', baseMicros: '0', capped: false },
      ...{ expected: '20000', atMost: '20000', ceiling: '20000' },
    },
  })
  expect(await money()).toEqual(['100000', '0'])
})

test('a repeat under the same key is answered again and charged once', async () => {
  const { headers, money } = await openAccount()
  const keyed = { ...headers, 'idempotency-key': 'greeting-one' }
  const [first, second] = [await greetBy(keyed), await greetBy(keyed)]
  expect(second.json()).toEqual(first.json())
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect((await greetBy(keyed, { name: 'Bob' })).json().code).toBe('IDEMPOTENCY_CONFLICT')
  expect(await money()).toEqual(['80000', '0'])
})

test('without an account it is offered, paid by x402 and receipted', async () => {
  const offer = await greetBy({})
  expect(offer.statusCode).toBe(402)
  expect(decodeHeader(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '20000' })
  const wallet = api.chain.wallet()
  const short = await greetBy({ 'payment-signature': wallet.pay(19_999n) })
  expect([short.statusCode, short.json().code]).toEqual([402, 'UNDERPAID'])
  const paid = await greetBy({ 'payment-signature': wallet.pay(20_000n) })
  expect([paid.statusCode, paid.json()]).toEqual([200, { greeting: 'en: Ada' }])
  expect(decodeHeader(paid.headers['payment-response'])).toMatchObject({ success: true, amount: '20000' })
})

test('what a wallet paid for a call that failed is its credit, and the receipt says so', async () => {
  const wallet = api.chain.wallet()
  const failed = await greetBy({ 'payment-signature': wallet.pay(20_000n) }, { name: 'a stranger' })
  expect(failed.statusCode).toBe(404)
  expect(decodeHeader(failed.headers['payment-response'])).toMatchObject({
    success: true,
    amount: '0',
    extra: { chargedMicros: '0', chunkRemainingMicros: '20000' },
  })
})

test('the queue never sees such a job', async () => {
  const jobs = await rows<{ lane: string }>(api.context.db, "select lane from svc.job where service_key like 'greet%'")
  expect(new Set(jobs.map(({ lane }) => lane))).toEqual(new Set(['api']))
  const queued = await rows(api.context.db, 'select from lane_thread._private_jobs')
  expect(queued).toEqual([])
})
