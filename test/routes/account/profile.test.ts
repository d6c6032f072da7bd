import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../sql/account.ts'
import { openIdleStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openIdleStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

interface Line {
  type: string
  direction: string
  status: string
  amountMicros: string
  serviceKey?: string
}

async function readLedger(customer: Customer, query = ''): Promise<string[]> {
  const { body } = await customer.get(`/v1/account/ledger${query}`)
  return body.data.map(({ type, direction, status, amountMicros, serviceKey }: Line) =>
    [type, direction, status, amountMicros, serviceKey].filter(Boolean).join(' '),
  )
}

test('the profile has the balance and the held amount', async () => {
  const customer = await stack.customer(2_500_000n)
  await customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  expect((await customer.get('/v1/account')).body).toEqual({
    id: customer.accountId,
    name: null,
    balanceMicros: '2499000',
    heldMicros: '1000',
    balanceUsd: '2.499',
    isTest: false,
    createdAt: expect.stringMatching(/^\d{4}-/),
    wallets: [],
    keys: [expect.objectContaining({ mode: 'test', callCapMicros: null, dailyCapMicros: null })],
  })
})

test('the ledger shows a hold as a pending charge, and then its outcome', async () => {
  const customer = await stack.customer(5_000n)
  const queueCall = (texts: string[]) => customer.post('/v1/text/slugify', { texts }, { prefer: 'respond-async' })
  const [good, bad, taken] = await Promise.all([queueCall(['abc']), queueCall(['!!!']), queueCall(['abc'])])
  const pending = 'charge debit pending 1000 text.slugify'
  expect(await readLedger(customer)).toEqual([pending, pending, pending, 'topup credit settled 5000'])
  await customer.delete(`/v1/jobs/${taken.body.ticket}`)
  await using worker = await stack.startWorker({ LANES: 'thread' })
  await Promise.all([customer.waitForEnd(good.body.ticket), customer.waitForEnd(bad.body.ticket)])
  await worker.stop()
  const statusOf = new Map<string, string>()
  for (const line of (await customer.get('/v1/account/ledger?type=charge')).body.data) {
    statusOf.set(line.jobId, line.status)
  }
  expect([good, bad, taken].map(({ body }) => statusOf.get(body.ticket))).toEqual(['settled', 'released', 'released'])
  expect(await customer.money()).toEqual({ balance: 4_000n, held: 0n })
})

test('the ledger can be filtered by type and has pages', async () => {
  const customer = await stack.customer(1_000n)
  await creditAccount(stack.db, {
    accountId: customer.accountId,
    amountMicros: 9_000n,
    asset: 'USDC',
    reference: '0xabc',
  })
  for (let calls = 0; calls < 3; calls++) await customer.post('/v1/utils/uuid', {})
  const charge = 'charge debit settled 1000 utils.uuid'
  expect(await readLedger(customer, '?type=charge')).toEqual([charge, charge, charge])
  expect(await readLedger(customer, '?type=refund')).toEqual([])
  expect((await customer.get('/v1/account/ledger?type=topup')).body.data).toEqual([
    expect.objectContaining({ type: 'topup', amountMicros: '9000', asset: 'USDC', txHash: '0xabc' }),
    expect.objectContaining({ type: 'topup', amountMicros: '1000', asset: 'USD' }),
  ])
  const page = (await customer.get('/v1/account/ledger?limit=2&offset=2')).body
  expect(page.pagination).toEqual({ limit: 2, offset: 2, hasMore: true })
  expect(page.data.map(({ type }: Line) => type)).toEqual(['charge', 'topup'])
  expect((await customer.get('/v1/account/ledger')).body.pagination).toEqual({ limit: 50, offset: 0, hasMore: false })
})

test.each([
  'type=hold',
  'type=',
  'type=charge&type=topup',
  'limit=0',
  'limit=201',
  'limit=ten',
  'offset=-1',
  'sort=asc',
])('the ledger refuses %s', async query => {
  const customer = await stack.customer()
  const answer = await customer.get(`/v1/account/ledger?${query}`)
  expect([answer.status, answer.body.field]).toEqual([400, query.split('=')[0]])
})

test('an account does not see the lines of another account', async () => {
  const [own, other] = [await stack.customer(1_000n), await stack.customer(7_000n)]
  await other.post('/v1/utils/uuid', {})
  expect(await readLedger(own)).toEqual(['topup credit settled 1000'])
})
