import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { accountOf } from '../../sql/session.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { signedIn } from '../support/signed-in.ts'
import { messageOf, openStripeDouble, type StripeDouble, signatureOf, type Told } from '../support/stripe-double.ts'

let stripe: StripeDouble
let door: FrontDoor
beforeAll(async () => {
  stripe = await openStripeDouble()
  door = await openFrontDoor(stripe.env)
})
afterAll(async () => {
  expect(await checkInvariants(door.floor.db)).toEqual([])
  await door[Symbol.asyncDispose]()
  await stripe[Symbol.asyncDispose]()
})

let people = 0
async function buyer(from: FrontDoor = door, isTest = false) {
  const email = `buyer${people++}@example.com`
  const session = await signedIn(from, email)
  const accountId = await accountOf(from.floor.db, { provider: 'email', subject: email, isTest })
  const balance = async () => (await readAccount(from.floor.db, accountId))!.balanceMicros
  return { ...session, accountId, balance }
}

function tell(told: Told, signature?: (message: string) => string) {
  const payload = messageOf(told)
  const headers = { 'content-type': 'application/json', 'stripe-signature': (signature ?? signatureOf)(payload) }
  return door.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
}

test('the packs are public and say who takes the money', async () => {
  expect((await door.app.inject({ url: '/v1/billing/packs' })).json()).toEqual({
    packs: ['5', '20', '50', '100'].map(id => ({ id, amountUsd: id, amountMicros: `${id}000000` })),
    custom: { minUsd: '5', maxUsd: '1000' },
    provider: 'stripe',
  })
})

test('a checkout goes to Stripe with its amount, and the message that it was paid credits it once', async () => {
  const { post, balance } = await buyer()
  const answer = await post('/v1/billing/checkout', { pack: '20' })
  expect(answer.statusCode).toBe(201)
  const { id, url, provider, amountMicros } = answer.json()
  expect([provider, amountMicros, url]).toEqual(['stripe', '20000000', expect.stringContaining('checkout.stripe.com')])
  const asked = [...stripe.sessions.values()].at(-1)!
  expect(asked.get('client_reference_id')).toBe(id)
  expect(asked.get('line_items[0][price_data][unit_amount]')).toBe('2000')
  expect(asked.get('mode')).toBe('payment')
  expect(await balance()).toBe('0')
  const told = { event: `evt_${id}`, checkoutId: id, cents: 2_000 }
  const answers = await Promise.all(Array.from({ length: 30 }, () => tell(told)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
  await tell({ ...told, event: `evt_other_${id}`, type: 'checkout.session.async_payment_succeeded' })
  expect(await balance()).toBe('20000000')
})

test('a message that Stripe has not signed credits nothing', async () => {
  const { post, balance } = await buyer()
  const { id } = (await post('/v1/billing/checkout', { amountUsd: '7.25' })).json()
  const told = { event: `evt_${id}`, checkoutId: id, cents: 725 }
  const forged = [
    () => '',
    () => 't=1,v1=00',
    (message: string) => signatureOf(message, 'whsec_another'),
    (message: string) => signatureOf(`${message} `),
    (message: string) => signatureOf(message, undefined, Math.floor(Date.now() / 1_000) - 3_600),
  ]
  for (const signature of forged) {
    const answer = await tell(told, signature)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_WEBHOOK_SIGNATURE'])
  }
  expect(await balance()).toBe('0')
  await tell(told)
  expect(await balance()).toBe('7250000')
})

test.each<[string, Partial<Told>]>([
  ['another amount', { cents: 99_999 }],
  ['not yet paid', { status: 'unpaid' }],
  ['another currency', { currency: 'jpy' }],
  ['another event', { type: 'checkout.session.expired' }],
])('a signed message with %s is heard and credits nothing', async (_name, bent) => {
  const { post, balance } = await buyer()
  const { id } = (await post('/v1/billing/checkout', { pack: '5' })).json()
  expect((await tell({ event: `evt_${id}`, checkoutId: id, cents: 500, ...bent })).statusCode).toBe(200)
  expect(await balance()).toBe('0')
})

test('a message about a checkout that is not ours changes nothing', async () => {
  for (const checkoutId of ['019a0000-0000-7000-8000-000000000001', 'order 7', '']) {
    expect((await tell({ event: `evt_${checkoutId}`, checkoutId, cents: 500 })).statusCode).toBe(200)
  }
  expect(await rows(door.floor.db, "select 1 from svc.billing_event where id like 'evt_019a0000%'")).toEqual([])
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
  const { post } = await buyer()
  const answer = await post('/v1/billing/checkout', body)
  expect([answer.statusCode, answer.json().code]).toEqual([400, code])
})

test('a live account never gets test money, not even where its checkout is opened by hand', async () => {
  await using play = await openFrontDoor({ TEST_CHECKOUT: 'true' })
  const tester = await buyer(play, true)
  const opened = (await tester.post('/v1/billing/checkout', { pack: '5' })).json()
  expect(opened).toMatchObject({ provider: 'test', url: `${tester.origin}/dashboard/checkout/${opened.id}` })
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: tester.origin }
  const pay = (cookie: string, csrf: string) =>
    play.app.inject({
      method: 'POST',
      url: `/dashboard/checkout/${opened.id}`,
      headers: { ...form, cookie },
      payload: `csrf=${csrf}`,
    })
  const stranger = await buyer(play, true)
  expect((await pay(stranger.cookie, stranger.csrf)).statusCode).toBe(404)
  await rows(play.floor.db, 'update svc.account set is_test = false where id = $1', [tester.accountId])
  expect((await pay(tester.cookie, tester.csrf)).statusCode).toBe(404)
  expect((await tester.post('/v1/billing/checkout', { pack: '5' })).json().code).toBe('MODE_DISABLED')
  await rows(play.floor.db, 'update svc.account set is_test = true where id = $1', [tester.accountId])
  await Promise.all(Array.from({ length: 10 }, () => pay(tester.cookie, tester.csrf)))
  expect(await tester.balance()).toBe('5000000')
  expect(await checkInvariants(play.floor.db)).toEqual([])
})

test('where nobody takes money, a checkout says so', async () => {
  await using bare = await openFrontDoor()
  const { post } = await buyer(bare)
  const answer = await post('/v1/billing/checkout', { pack: '5' })
  expect([answer.statusCode, answer.json()]).toEqual([503, expect.objectContaining({ capability: 'checkout' })])
  expect((await bare.app.inject({ url: '/v1/billing/packs' })).json().provider).toBeNull()
  const told = await bare.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', payload: {} })
  expect(told.statusCode).toBe(503)
})

test('Stripe out of reach is told, and nothing is credited', async () => {
  await using far = await openFrontDoor({ ...stripe.env, STRIPE_API_URL: 'http://127.0.0.1:9' })
  const { post, balance } = await buyer(far)
  const answer = await post('/v1/billing/checkout', { pack: '5' })
  expect([answer.statusCode, answer.json().code, await balance()]).toEqual([503, 'PROVIDER_UNAVAILABLE', '0'])
})
