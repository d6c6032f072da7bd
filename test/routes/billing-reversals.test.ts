import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../ops/secrets.ts'
import { creditAccount, readAccount } from '../../sql/account.ts'
import { createKey } from '../../sql/key.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { accountOf } from '../../sql/session.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { signedIn } from '../support/signed-in.ts'
import { eventOf, messageOf, openStripeDouble, type StripeDouble, signatureOf } from '../support/stripe-double.ts'

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

function hear(payload: string) {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(payload) }
  return door.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
}

let events = 0
const tell = (type: string, object: object, event = `evt_${events++}`) => hear(eventOf(event, type, object))

/** Somebody who has paid 20 dollars, and what their bank may do about it. */
async function buyer() {
  const number = events++
  const email = `returning${number}@example.com`
  const session = await signedIn(door, email)
  const { db, config } = door.floor
  const accountId = await accountOf(db, { provider: 'email', subject: email, isTest: false })
  const { id } = (await session.post('/v1/billing/checkout', { pack: '20' })).json()
  const intent = `pi_${number}`
  const pay = () => hear(messageOf({ event: `evt_paid_${number}`, checkoutId: id, cents: 2_000, intent }))
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const ask = (method: 'GET' | 'POST', url: string, payload?: object) =>
    door.app.inject({ method, url, headers: { authorization: `Bearer ${key}` }, ...(payload ? { payload } : {}) })
  return {
    ...session,
    accountId,
    id,
    pay,
    ask,
    hash: () => ask('POST', '/v1/utils/hash', { text: 'abc' }),
    lines: async () => (await ask('GET', '/v1/account/ledger')).json().data as Record<string, string>[],
    balance: async () => (await readAccount(db, accountId))!.balanceMicros,
    /** Spends all but so much by an operator's hand: what matters is that it is gone. */
    spendAllBut: async (micros: bigint) => {
      const { balanceMicros } = (await readAccount(db, accountId))!
      const cost = BigInt(balanceMicros) - micros
      const call = { id: crypto.randomUUID(), accountId, serviceKey: 'utils.hash', lane: 'instant', payload: '{}' }
      expect(await door.floor.jobs.instant({ ...call, amountMicros: cost })).toBeUndefined()
    },
    refund: (cents: number, event?: string) =>
      tell(
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
    dispute: (word: string, status: string, event?: string) =>
      tell(
        `charge.dispute.${word}`,
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

test('refunds take back what they come to in all, however often and in whatever order they are told', async () => {
  const { pay, refund, balance, lines } = await buyer()
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

test('what was spent before it went back is owed: shown below zero, refused, and paid off by the next top-up', async () => {
  const { pay, dispute, balance, hash, ask, spendAllBut, accountId, cookie } = await buyer()
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
  expect((await ask('GET', '/v1/account')).json()).toMatchObject({ balanceMicros: '-17001000', balanceUsd: '-17.001' })
  const page = await door.app.inject({ url: '/dashboard', headers: { cookie } })
  expect(page.body).toContain('−$17.001')
  expect(page.body).toContain('Calls are refused until the balance is above zero')
  await creditAccount(door.floor.db, { accountId, amountMicros: 17_000_000n })
  expect([(await hash()).statusCode, await balance()]).toEqual([402, '-1000'])
  await creditAccount(door.floor.db, { accountId, amountMicros: 2_000n })
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
    'won, told the other way round',
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
    'lost, and given back after all',
    [
      ['closed', 'lost'],
      ['funds_reinstated', 'lost'],
    ],
    '20000000',
  ],
] as const)('a dispute that is %s leaves the balance right', async (_name, news, left) => {
  const { pay, dispute, balance } = await buyer()
  await pay()
  await dispute('created', 'needs_response')
  expect(await balance()).toBe('0')
  for (const [word, status] of news) await dispute(word, status)
  for (const [word, status] of news) await dispute(word, status)
  expect(await balance()).toBe(left)
})

test('an inquiry takes nothing, and together nothing more comes back than was paid', async () => {
  const { pay, dispute, refund, balance } = await buyer()
  await pay()
  await dispute('created', 'warning_needs_response')
  expect(await balance()).toBe('20000000')
  await refund(500)
  await dispute('funds_withdrawn', 'needs_response')
  expect(await balance()).toBe('0')
})

test('a refund that comes before its payment is asked for again; one of a stranger is heard and changes nothing', async () => {
  const { pay, refund, balance } = await buyer()
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
  expect((await tell('charge.refunded', charge)).statusCode).toBe(200)
  const dispute = { id: 'dp_of_others', payment_intent: null, amount: 1, currency: 'usd', status: 'lost' }
  expect((await tell('charge.dispute.closed', dispute)).statusCode).toBe(200)
})

test('a checkout that was left or failed is noted; one that is paid late is paid', async () => {
  const { id, pay, balance } = await buyer()
  const session = { id: 'cs', client_reference_id: id, amount_total: 2_000, currency: 'usd', payment_status: 'unpaid' }
  expect((await tell('checkout.session.async_payment_failed', session)).statusCode).toBe(200)
  expect((await tell('checkout.session.expired', session)).statusCode).toBe(200)
  expect(await balance()).toBe('0')
  await pay()
  expect(await balance()).toBe('20000000')
})

test('a forged refund changes nothing', async () => {
  const { pay, balance } = await buyer()
  await pay()
  const payload = eventOf('evt_forged', 'charge.refunded', { id: 'ch', payment_intent: 'pi', amount_refunded: 2_000 })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(`${payload} `) }
  const answer = await door.app.inject({ method: 'POST', url: '/v1/billing/stripe-webhook', headers, payload })
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_WEBHOOK_SIGNATURE'])
  expect(await balance()).toBe('20000000')
})
