import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAccount } from '../../../sql/account.ts'
import { openCheckout } from '../../../sql/checkout.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findOrCreateAccount } from '../../../sql/session.ts'
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

let buyers = 0

/** An account that has asked for 20 dollars; `send` sends one event of Stripe, such as `refund(A,8) succeeded`. */
async function createBuyer() {
  const number = buyers++
  const email = `failing${number}@example.com`
  const { db } = api.context
  const accountId = await findOrCreateAccount(db, { provider: 'email', subject: email, isTest: false })
  const id = await openCheckout(db, { accountId, provider: 'stripe', amountMicros: 20_000_000n })
  const [intent, charge] = [`pi_failing_${number}`, `ch_failing_${number}`]
  const post = async (payload: string) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signEvent(payload) }
    return (await api.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })).statusCode
  }
  const common = { payment_intent: intent, currency: 'usd' }
  let events = 0
  const nextId = () => `evt_failing_${number}_${events++}`
  return {
    accountId,
    pay: () => post(buildCheckoutEvent({ event: nextId(), checkoutId: id, cents: 2_000, intent })),
    refund: (type: string, name: string, cents: number, status: string) =>
      post(
        buildEvent(nextId(), type, {
          ...common,
          id: `re_${number}_${name}`,
          object: 'refund',
          charge,
          amount: cents,
          status,
        }),
      ),
    total: (cents: number) =>
      post(
        buildEvent(nextId(), 'charge.refunded', {
          ...common,
          id: charge,
          object: 'charge',
          amount_refunded: cents,
          metadata: { checkout: id },
        }),
      ),
    dispute: (name: string, status: string) =>
      post(
        buildEvent(nextId(), `charge.dispute.${name}`, {
          ...common,
          id: `dp_failing_${number}`,
          charge,
          amount: 2_000,
          status,
        }),
      ),
    balance: async () => Number((await readAccount(db, accountId))!.balanceMicros) / 1_000_000,
  }
}

type Buyer = Awaited<ReturnType<typeof createBuyer>>

test.each([
  ['refund.failed', 'failed'],
  ['refund.updated', 'failed'],
  ['refund.updated', 'canceled'],
  ['charge.refund.updated', 'failed'],
])('%s with the status %s gives a refund back, however often it comes', async (type, status) => {
  const { pay, total, refund, balance } = await createBuyer()
  await pay()
  await total(500)
  expect(await balance()).toBe(15)
  await Promise.all(Array.from({ length: 5 }, () => refund(type, 'a', 500, status)))
  await refund('refund.failed', 'a', 500, 'failed')
  expect(await balance()).toBe(20)
  await total(500)
  await refund('refund.updated', 'a', 500, 'succeeded')
  expect(await balance()).toBe(20)
})

/** Two refunds, of 8 and of 5 dollars; the first fails. */
const created = [
  (buyer: Buyer) => buyer.refund('refund.created', 'a', 800, 'succeeded'),
  (buyer: Buyer) => buyer.refund('refund.created', 'b', 500, 'pending'),
]
const failed = (buyer: Buyer) => buyer.refund('refund.failed', 'a', 800, 'failed')
const shrunk = (buyer: Buyer) => buyer.total(500)
const growing = [(buyer: Buyer) => buyer.total(800), (buyer: Buyer) => buyer.total(1_300)]

test.each([
  ['totals', [...growing, failed]],
  ['refunds with their ids', [...created, failed]],
  ['refunds and totals', [...created, growing[1]!, failed]],
  ['refunds and a total that shrinks by what failed', [...created, shrunk, failed]],
])('of two refunds one fails, known by %s: the other stays taken in any order of the events', async (_name, events) => {
  for (const order of listOrders(events)) {
    const buyer = await createBuyer()
    await buyer.pay()
    for (const send of order) expect(await send(buyer)).toBe(200)
    expect(await buyer.balance()).toBe(15)
    for (const send of created) await send(buyer)
    expect(await buyer.balance()).toBe(15)
  }
})

function listOrders<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) => listOrders(items.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

test('a refund that is known before its payment counts when the payment comes', async () => {
  const { pay, total, refund, balance } = await createBuyer()
  expect(await refund('refund.failed', 'a', 800, 'failed')).toBe(200)
  expect(await refund('refund.created', 'b', 500, 'succeeded')).toBe(200)
  expect(await total(1_300)).toBe(503)
  await pay()
  expect(await balance()).toBe(15)
  await total(1_300)
  expect(await balance()).toBe(15)
})

test('a failed refund pays off the debt that it made', async () => {
  const { accountId, pay, total, refund, balance } = await createBuyer()
  await pay()
  const call = { id: crypto.randomUUID(), accountId, serviceKey: 'utils.hash', lane: 'instant', payload: '{}' }
  expect(await api.context.jobs.instant({ ...call, amountMicros: 18_000_000n })).toBeUndefined()
  await total(2_000)
  expect(await balance()).toBe(-18)
  await refund('refund.failed', 'a', 2_000, 'failed')
  expect(await balance()).toBe(2)
})

test('a refund that fails because of a dispute leaves what the dispute took', async () => {
  const { pay, total, refund, dispute, balance } = await createBuyer()
  await pay()
  await total(2_000)
  await dispute('created', 'needs_response')
  expect(await balance()).toBe(0)
  await refund('refund.failed', 'a', 2_000, 'failed')
  expect(await balance()).toBe(0)
  await dispute('closed', 'won')
  expect(await balance()).toBe(20)
})

test('a refund that found nothing left is taken once the dispute is won', async () => {
  const { pay, refund, dispute, balance } = await createBuyer()
  await pay()
  await dispute('created', 'needs_response')
  await refund('refund.created', 'a', 500, 'succeeded')
  expect(await balance()).toBe(0)
  await dispute('closed', 'won')
  expect(await balance()).toBe(15)
})

test('a refund of a payment that is not ours, or in another currency, moves nothing', async () => {
  const { pay, balance } = await createBuyer()
  await pay()
  const foreign = { id: 're_of_others', charge: 'ch_others', payment_intent: 'pi_others', amount: 1, status: 'failed' }
  for (const currency of ['usd', 'eur']) {
    const payload = buildEvent(`evt_of_others_${currency}`, 'refund.failed', { ...foreign, currency })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signEvent(payload) }
    const answer = await api.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
    expect(answer.statusCode).toBe(200)
  }
  expect(await balance()).toBe(20)
})
