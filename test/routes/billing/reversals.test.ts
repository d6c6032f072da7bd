import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { creditAccount, readAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findOrCreateAccount } from '../../../sql/session.ts'
import { signInByLink } from '../../support/browser/sign-in.ts'
import {
  buildCheckoutEvent,
  buildEvent,
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

function sendPayload(payload: string) {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signEvent(payload) }
  return api.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
}

let events = 0
const sendEvent = (type: string, object: object, event = `evt_${events++}`) =>
  sendPayload(buildEvent(event, type, object))

/** An account that has paid 20 dollars, with functions that send the events of its bank. */
async function createBuyer() {
  const number = events++
  const email = `returning${number}@example.com`
  const session = await signInByLink(api, email)
  const { db, config } = api.context
  const accountId = await findOrCreateAccount(db, { provider: 'email', subject: email, isTest: false })
  const { id } = (await session.post('/v1/billing/checkout', { pack: '20' })).json()
  const intent = `pi_${number}`
  const pay = () =>
    sendPayload(buildCheckoutEvent({ event: `evt_paid_${number}`, checkoutId: id, cents: 2_000, intent }))
  const key = await createKey(db, { accountId, mode: 'live', hash: eventName => hashApiKey(config.secret, eventName) })
  const request = (method: 'GET' | 'POST', url: string, payload?: object) =>
    api.app.inject({ method, url, headers: { authorization: `Bearer ${key}` }, ...(payload ? { payload } : {}) })
  return {
    ...session,
    accountId,
    id,
    pay,
    request,
    hash: () => request('POST', '/v1/utils/hash', { text: 'abc' }),
    lines: async () => (await request('GET', '/v1/account/ledger')).json().data as Record<string, string>[],
    balance: async () => (await readAccount(db, accountId))!.balanceMicros,
    /** Spends all but the given amount directly in the database. */
    spendAllBut: async (micros: bigint) => {
      const { balanceMicros } = (await readAccount(db, accountId))!
      const cost = BigInt(balanceMicros) - micros
      const call = { id: crypto.randomUUID(), accountId, serviceKey: 'utils.hash', lane: 'instant', payload: '{}' }
      expect(await api.context.jobs.instant({ ...call, amountMicros: cost })).toBeUndefined()
    },
    refund: (cents: number, event?: string) =>
      sendEvent(
        'charge.refunded',
        {
          id: `ch_${number}`,
          object: 'charge',
          payment_intent: intent,
          amount_refunded: cents,
          currency: 'usd',
          metadata: { checkout: id },
        },
        event,
      ),
    dispute: (eventName: string, status: string, event?: string) =>
      sendEvent(
        `charge.dispute.${eventName}`,
        {
          id: `dp_${number}`,
          object: 'dispute',
          charge: `ch_${number}`,
          payment_intent: intent,
          amount: 2_000,
          currency: 'usd',
          status,
        },
        event,
      ),
  }
}

test('refunds are taken back in total, however often and in whatever order their events arrive', async () => {
  const { pay, refund, balance, lines } = await createBuyer()
  await pay()
  await refund(500)
  expect(await balance()).toBe('15000000')
  await Promise.all(Array.from({ length: 10 }, () => refund(1_200, 'evt_same_refund')))
  expect(await balance()).toBe('8000000')
  await refund(700)
  expect(await balance()).toBe('8000000')
  expect((await lines()).map(line => [line.type, line.direction, line.status, line.amountMicros])).toEqual([
    ['refund', 'debit', 'refunded', '7000000'],
    ['refund', 'debit', 'refunded', '5000000'],
    ['topup', 'credit', 'settled', '20000000'],
  ])
  await refund(9_999)
  expect(await balance()).toBe('0')
})

test('a reversal after spending makes the balance negative, so calls are refused until a top-up pays it off', async () => {
  const { pay, dispute, balance, hash, request, spendAllBut, accountId, cookie } = await createBuyer()
  await pay()
  await spendAllBut(3_000_000n)
  expect((await hash()).statusCode).toBe(200)
  await dispute('created', 'needs_response')
  await dispute('funds_withdrawn', 'needs_response')
  expect(await balance()).toBe('-17001000')
  const refused = await hash()
  expect([refused.statusCode, refused.json()]).toEqual([
    402,
    expect.objectContaining({ code: 'INSUFFICIENT_BALANCE', balanceMicros: '-17001000' }),
  ])
  expect((await request('GET', '/v1/account')).json()).toMatchObject({
    balanceMicros: '-17001000',
    balanceUsd: '-17.001',
  })
  const page = await api.app.inject({ url: '/dashboard', headers: { cookie } })
  expect(page.body).toContain('−$17.001')
  expect(page.body).toContain('Calls are refused until the balance is above zero')
  await creditAccount(api.context.db, { accountId, amountMicros: 17_000_000n })
  expect([(await hash()).statusCode, await balance()]).toEqual([402, '-1000'])
  await creditAccount(api.context.db, { accountId, amountMicros: 2_000n })
  expect([(await hash()).statusCode, await balance()]).toEqual([200, '0'])
})

test.each([
  [
    'won',
    [
      ['closed', 'won'],
      ['funds_reinstated', 'won'],
    ],
    '20000000',
  ],
  [
    'won, with events in reverse order',
    [
      ['funds_reinstated', 'won'],
      ['closed', 'won'],
      ['created', 'needs_response'],
      ['funds_withdrawn', 'under_review'],
    ],
    '20000000',
  ],
  ['lost', [['closed', 'lost']], '0'],
  [
    'lost, and reinstated later',
    [
      ['closed', 'lost'],
      ['funds_reinstated', 'lost'],
    ],
    '20000000',
  ],
] as const)('a dispute that is %s leaves the right balance', async (_name, disputeEvents, expectedBalance) => {
  const { pay, dispute, balance } = await createBuyer()
  await pay()
  await dispute('created', 'needs_response')
  expect(await balance()).toBe('0')
  for (const [eventName, status] of disputeEvents) await dispute(eventName, status)
  for (const [eventName, status] of disputeEvents) await dispute(eventName, status)
  expect(await balance()).toBe(expectedBalance)
})

test('an inquiry takes nothing, and refund and dispute together take back at most the payment', async () => {
  const { pay, dispute, refund, balance } = await createBuyer()
  await pay()
  await dispute('created', 'warning_needs_response')
  expect(await balance()).toBe('20000000')
  await refund(500)
  await dispute('funds_withdrawn', 'needs_response')
  expect(await balance()).toBe('0')
})

test('a refund before its payment is requested again; a refund of a foreign payment is ignored', async () => {
  const { pay, refund, balance } = await createBuyer()
  const early = await refund(500)
  expect([early.statusCode, early.headers['retry-after']]).toEqual([503, expect.any(String)])
  await pay()
  expect((await refund(500)).statusCode).toBe(200)
  expect(await balance()).toBe('15000000')
  const charge = {
    id: 'ch_of_others',
    object: 'charge',
    payment_intent: 'pi_of_others',
    amount_refunded: 1,
    currency: 'usd',
    metadata: {},
  }
  expect((await sendEvent('charge.refunded', charge)).statusCode).toBe(200)
  const dispute = { id: 'dp_of_others', payment_intent: null, amount: 1, currency: 'usd', status: 'lost' }
  expect((await sendEvent('charge.dispute.closed', dispute)).statusCode).toBe(200)
})

test.each([
  ['open', [['created', 'needs_response']], '0'],
  [
    'won',
    [
      ['created', 'needs_response'],
      ['closed', 'won'],
      ['created', 'needs_response'],
    ],
    '20000000',
  ],
  ['an inquiry', [['created', 'warning_needs_response']], '20000000'],
] as const)(
  'a dispute that is told before its payment and is %s counts once it is paid',
  async (_name, messages, expected) => {
    const { pay, dispute, balance } = await createBuyer()
    for (const [eventName, status] of messages) expect((await dispute(eventName, status)).statusCode).toBe(200)
    expect(await balance()).toBe('0')
    await Promise.all([pay(), pay()])
    expect(await balance()).toBe(expected)
  },
)

test('an expired or failed checkout is recorded; one that is paid late is credited', async () => {
  const { id, pay, balance } = await createBuyer()
  const session = { id: 'cs', client_reference_id: id, amount_total: 2_000, currency: 'usd', payment_status: 'unpaid' }
  expect((await sendEvent('checkout.session.async_payment_failed', session)).statusCode).toBe(200)
  expect((await sendEvent('checkout.session.expired', session)).statusCode).toBe(200)
  expect(await balance()).toBe('0')
  await pay()
  expect(await balance()).toBe('20000000')
})

test('a forged refund changes nothing', async () => {
  const { pay, balance } = await createBuyer()
  await pay()
  const payload = buildEvent('evt_forged', 'charge.refunded', {
    id: 'ch',
    payment_intent: 'pi',
    amount_refunded: 2_000,
  })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signEvent(`${payload} `) }
  const answer = await api.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_WEBHOOK_SIGNATURE'])
  expect(await balance()).toBe('20000000')
})
