import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findOrCreateAccount } from '../../../sql/session.ts'
import { signInByLink } from '../../support/browser/sign-in.ts'
import {
  buildCheckoutEvent,
  type CheckoutEvent,
  type FakeStripe,
  openFakeStripe,
  signEvent,
} from '../../support/servers/stripe.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let stripe: FakeStripe
let api: InProcessApi
beforeAll(async () => {
  stripe = await openFakeStripe()
  api = await openInProcessApi(stripe.env)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
  await stripe[Symbol.asyncDispose]()
})

let buyerCount = 0
async function signInBuyer(from: InProcessApi = api, isTest = false) {
  const email = `buyer${buyerCount++}@example.com`
  const session = await signInByLink(from, email)
  const accountId = await findOrCreateAccount(from.context.db, { provider: 'email', subject: email, isTest })
  const balance = async () => (await readAccount(from.context.db, accountId))!.balanceMicros
  return { ...session, accountId, balance }
}

function sendEvent(event: CheckoutEvent, signature?: (message: string) => string) {
  const payload = buildCheckoutEvent(event)
  const headers = { 'content-type': 'application/json', 'stripe-signature': (signature ?? signEvent)(payload) }
  return api.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
}

test('the packs are public and name the payment provider', async () => {
  expect((await api.app.inject({ url: '/v1/billing/packs' })).json()).toEqual({
    packs: ['5', '20', '50', '100'].map(id => ({ id, amountUsd: id, amountMicros: `${id}000000` })),
    custom: { minUsd: '5', maxUsd: '1000' },
    provider: 'stripe',
  })
})

test('a checkout is sent to Stripe with its amount, and the payment event credits it once', async () => {
  const { post, balance } = await signInBuyer()
  const answer = await post('/v1/billing/checkout', { pack: '20' })
  expect(answer.statusCode).toBe(201)
  const { id, url, provider, amountMicros } = answer.json()
  expect([provider, amountMicros, url]).toEqual(['stripe', '20000000', expect.stringContaining('checkout.stripe.com')])
  const session = [...stripe.sessions.values()].at(-1)!
  expect(session.get('client_reference_id')).toBe(id)
  expect(session.get('line_items[0][price_data][unit_amount]')).toBe('2000')
  expect(session.get('mode')).toBe('payment')
  expect(await balance()).toBe('0')
  const event = { event: `evt_${id}`, checkoutId: id, cents: 2_000 }
  const answers = await Promise.all(Array.from({ length: 30 }, () => sendEvent(event)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
  await sendEvent({ ...event, event: `evt_other_${id}`, type: 'checkout.session.async_payment_succeeded' })
  expect(await balance()).toBe('20000000')
})

test('an event without a valid signature of Stripe credits nothing', async () => {
  const { post, balance } = await signInBuyer()
  const { id } = (await post('/v1/billing/checkout', { amountUsd: '7.25' })).json()
  const event = { event: `evt_${id}`, checkoutId: id, cents: 725 }
  const forged = [
    () => '',
    () => 't=1,v1=00',
    (message: string) => signEvent(message, 'whsec_another'),
    (message: string) => signEvent(`${message} `),
    (message: string) => signEvent(message, undefined, Math.floor(Date.now() / 1_000) - 3_600),
  ]
  for (const signature of forged) {
    const answer = await sendEvent(event, signature)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_WEBHOOK_SIGNATURE'])
  }
  expect(await balance()).toBe('0')
  await sendEvent(event)
  expect(await balance()).toBe('7250000')
})

test.each<[string, Partial<CheckoutEvent>]>([
  ['another amount', { cents: 99_999 }],
  ['not yet paid', { status: 'unpaid' }],
  ['another currency', { currency: 'jpy' }],
  ['another event', { type: 'checkout.session.expired' }],
])('a signed event with %s is accepted and credits nothing', async (_name, change) => {
  const { post, balance } = await signInBuyer()
  const { id } = (await post('/v1/billing/checkout', { pack: '5' })).json()
  expect((await sendEvent({ event: `evt_${id}`, checkoutId: id, cents: 500, ...change })).statusCode).toBe(200)
  expect(await balance()).toBe('0')
})

test('an event about a foreign checkout changes nothing', async () => {
  for (const checkoutId of ['019a0000-0000-7000-8000-000000000001', 'order 7', '']) {
    expect((await sendEvent({ event: `evt_${checkoutId}`, checkoutId, cents: 500 })).statusCode).toBe(200)
  }
  expect(await rows(api.context.db, "select 1 from svc.billing_event where id like 'evt_019a0000%'")).toEqual([])
})

test.each<[object, string]>([
  [{}, 'MISSING_FIELD'],
  [{ pack: '7' }, 'INVALID_PARAM'],
  [{ pack: '5', amountUsd: '5' }, 'CONFLICTING_OPTIONS'],
  [{ amountUsd: '4.99' }, 'INVALID_PARAM'],
  [{ amountUsd: '1000.01' }, 'INVALID_PARAM'],
  [{ amountUsd: '5.001' }, 'INVALID_PARAM'],
  [{ amountUsd: '-5' }, 'INVALID_PARAM'],
  [{ amountUsd: 5 }, 'INVALID_PARAM'],
])('a checkout of %j is refused', async (body, code) => {
  const { post } = await signInBuyer()
  const answer = await post('/v1/billing/checkout', body)
  expect([answer.statusCode, answer.json().code]).toEqual([400, code])
})

test('a live account never gets test money, even if its test checkout is opened directly', async () => {
  await using testApi = await openInProcessApi({ TEST_CHECKOUT: 'true' })
  const tester = await signInBuyer(testApi, true)
  const opened = (await tester.post('/v1/billing/checkout', { pack: '5' })).json()
  expect(opened).toMatchObject({ provider: 'test', url: `${tester.origin}/dashboard/checkout/${opened.id}` })
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: tester.origin }
  const pay = (cookie: string, csrf: string) =>
    testApi.app.inject({
      method: 'POST',
      url: `/dashboard/checkout/${opened.id}`,
      headers: { ...form, cookie },
      payload: `csrf=${csrf}`,
    })
  const otherBuyer = await signInBuyer(testApi, true)
  expect((await pay(otherBuyer.cookie, otherBuyer.csrf)).statusCode).toBe(404)
  await rows(testApi.context.db, 'update svc.account set is_test = false where id = $1', [tester.accountId])
  expect((await pay(tester.cookie, tester.csrf)).statusCode).toBe(404)
  expect((await tester.post('/v1/billing/checkout', { pack: '5' })).json().code).toBe('MODE_DISABLED')
  await rows(testApi.context.db, 'update svc.account set is_test = true where id = $1', [tester.accountId])
  await Promise.all(Array.from({ length: 10 }, () => pay(tester.cookie, tester.csrf)))
  expect(await tester.balance()).toBe('5000000')
  expect(await checkInvariants(testApi.context.db)).toEqual([])
})

test('without a payment provider, a checkout returns an error', async () => {
  await using bareApi = await openInProcessApi()
  const { post } = await signInBuyer(bareApi)
  const answer = await post('/v1/billing/checkout', { pack: '5' })
  expect([answer.statusCode, answer.json()]).toEqual([503, expect.objectContaining({ capability: 'checkout' })])
  expect((await bareApi.app.inject({ url: '/v1/billing/packs' })).json().provider).toBeNull()
  const event = await bareApi.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', payload: {} })
  expect(event.statusCode).toBe(503)
})

test('an unreachable Stripe returns an error, and nothing is credited', async () => {
  await using unreachableApi = await openInProcessApi({ ...stripe.env, STRIPE_API_URL: 'http://127.0.0.1:9' })
  const { post, balance } = await signInBuyer(unreachableApi)
  const answer = await post('/v1/billing/checkout', { pack: '5' })
  expect([answer.statusCode, answer.json().code, await balance()]).toEqual([503, 'PROVIDER_UNAVAILABLE', '0'])
})
