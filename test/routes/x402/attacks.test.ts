import { expect, test, vi } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { FAKE_NETWORK, type FakeWallet } from '../../support/chain/fake-chain.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'

const nowSeconds = () => BigInt(Math.floor(Date.now() / 1_000))
const OTHER_ADDRESS = '0x1111111111111111111111111111111111111111'

function changePayment(header: string, change: (payment: Record<string, never>) => void): string {
  const payment = decodeHeader(header)
  change(payment)
  return Buffer.from(JSON.stringify(payment)).toString('base64')
}

const attacks: [name: string, make: (wallet: FakeWallet) => string, status: number, code: string, reason: string][] = [
  ['no base64', () => '{"x":1}', 402, 'PAYMENT_REQUIRED', 'invalid_payload'],
  ['no payment', () => Buffer.from('[1]').toString('base64'), 402, 'PAYMENT_REQUIRED', 'invalid_payload'],
  ['nothing', () => Buffer.from('{}').toString('base64'), 402, 'PAYMENT_REQUIRED', 'invalid_exact_evm_scheme'],
  [
    'a changed value',
    wallet =>
      changePayment(wallet.pay(10_000n), payment => Object.assign(authorizationOf(payment), { value: '90000' })),
    401,
    'INVALID_PAYMENT_SIGNATURE',
    'invalid_exact_evm_signature',
  ],
  [
    'an invalid signature',
    wallet => changePayment(wallet.pay(10_000n), payment => Object.assign(payment.payload!, { signature: '0x12' })),
    401,
    'INVALID_PAYMENT_SIGNATURE',
    'invalid_exact_evm_failed_to_parse_signature',
  ],
  ['too little', w => w.pay(9_999n), 402, 'UNDERPAID', 'invalid_exact_evm_payload_authorization_value_mismatch'],
  [
    'one that has expired',
    w => w.pay(10_000n, { validBefore: nowSeconds() + 3n }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_payload_authorization_valid_before',
  ],
  [
    'one not yet valid',
    w => w.pay(10_000n, { validAfter: nowSeconds() + 60n }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  [
    'another recipient',
    w => w.pay(10_000n, { to: OTHER_ADDRESS }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_recipient_mismatch',
  ],
  [
    'another network',
    w => changePayment(w.pay(10_000n), payment => Object.assign(payment.accepted!, { network: 'eip155:8453' })),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_network_mismatch',
  ],
  [
    'a version of the protocol that is none',
    w => changePayment(w.pay(10_000n), payment => Object.assign(payment, { x402Version: 9 })),
    402,
    'PAYMENT_REQUIRED',
    'invalid_x402_version',
  ],
  [
    'another asset',
    w => w.pay(10_000n, { asset: OTHER_ADDRESS }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_payment_requirements',
  ],
]

function authorizationOf(payment: Record<string, never>): object {
  return (payment.payload as unknown as { authorization: object }).authorization
}

test('every kind of invalid payment is refused with its code, and nothing is recorded', async () => {
  await using api = await openPaidApi()
  for (const [name, buildPayment, status, code, reason] of attacks) {
    const reply = await api.hash({ 'payment-signature': buildPayment(api.chain.wallet()) })
    expect([name, reply.statusCode, reply.json().code, reply.json().reason]).toEqual([name, status, code, reason])
    expect(decodeHeader(reply.headers['payment-response'])).toMatchObject({ success: false, errorReason: reason })
    if (status === 402) expect(decodeHeader(reply.headers['payment-required'])).toMatchObject({ error: reason })
  }
  await expectNothingBooked(api)
})

test('an authorization ends by the clock of the database, whatever that of this host says', async () => {
  await using api = await openPaidApi()
  const { clock } = api.context
  vi.spyOn(clock, 'measure').mockResolvedValue()
  clock.aheadMs = 120_000
  const ahead = await api.hash({
    'payment-signature': api.chain.wallet().pay(10_000n, { validBefore: nowSeconds() - 30n }),
  })
  expect(ahead.statusCode).toBe(200)
  clock.aheadMs = -120_000
  const behind = await api.hash({
    'payment-signature': api.chain.wallet().pay(10_000n, { validBefore: nowSeconds() + 60n }),
  })
  expect(behind.json().reason).toBe('invalid_exact_evm_payload_authorization_valid_before')
})

test('an empty wallet and a nonce used on the chain are refused before anything is recorded', async () => {
  await using api = await openPaidApi()
  const empty = await api.hash({ 'payment-signature': api.chain.wallet(0n).pay(10_000n) })
  expect(empty.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', reason: 'invalid_exact_evm_insufficient_balance' })
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  const { nonce } = authorizationOf(decodeHeader(payment)) as { nonce: string }
  api.chain.usedNonces.add(`${wallet.address} ${nonce}`)
  const used = await api.hash({ 'payment-signature': payment })
  expect(used.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', reason: 'invalid_exact_evm_nonce_already_used' })
  await expectNothingBooked(api)
})

test('an authorization pays one request: a repeat is replayed, another request is refused', async () => {
  await using api = await openPaidApi()
  const payment = api.chain.wallet().pay(10_000n)
  const first = await api.hash({ 'payment-signature': payment })
  const again = await api.hash({ 'payment-signature': payment })
  expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true'])
  expect(again.headers['x-service-job-id']).toBe(first.headers['x-service-job-id'])
  const other = await api.hash({ 'payment-signature': payment }, 'another text')
  expect([other.statusCode, other.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
  expect(api.chain.broadcast).toHaveLength(1)
})

test.each([true, false])(
  'one authorization sent fifty times at once, for one request or for many, is charged once',
  async isOne => {
    await using api = await openPaidApi()
    const wallet = api.chain.wallet()
    const payment = wallet.pay(10_000n)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => api.hash({ 'payment-signature': payment }, isOne ? 'a' : `a ${index}`)),
    )
    const fresh = replies.filter(({ statusCode, headers }) => statusCode === 200 && !headers['idempotency-replayed'])
    expect(fresh).toHaveLength(1)
    expect(replies.every(({ statusCode }) => [200, 402, 409].includes(statusCode))).toBe(true)
    expect(api.chain.broadcast).toHaveLength(1)
    expect(await readBalance(api, wallet.address)).toBe(9_000n)
  },
)

test('of two hundred calls at once on the last credit, the others pay, and none is served unpaid', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet(20_000n)
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${index}`)),
  )
  await api.settleChunks()
  const served = replies.filter(({ statusCode }) => statusCode === 200).length + 1
  const [row] = await rows<{ paid: bigint; owed: bigint }>(
    api.context.db,
    `select coalesce(sum(amount_micros) filter (where state = 'settled'), 0)::bigint as paid,
      (select sum(debt_micros)::bigint from svc.account) as owed from svc.chunk`,
  )
  expect(row!.paid).toBe(20_000n)
  expect(BigInt(served) * 1_000n).toBe(row!.paid + row!.owed - (await readBalance(api, wallet.address)))
})

test('a settlement that fails before the run is a refusal; one that fails after it becomes a debt', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  api.chain.nextOutcomes.push('failed')
  const refused = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect([refused.statusCode, refused.json().reason]).toEqual([402, 'invalid_exact_evm_transaction_failed'])
  for (let call = 0; call < 13; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  api.chain.nextOutcomes.push('failed')
  await api.settleChunks()
  const [owing] = await rows<{ debt_micros: bigint }>(api.context.db, 'select debt_micros from svc.account')
  expect(owing).toEqual({ debt_micros: 3_000n })
  const paid = await api.hash({ 'payment-signature': wallet.pay(10_000n) }, 'pays the debt')
  expect(decodeHeader(paid.headers['payment-response'])).toMatchObject({ extra: { settlement: 'settled' } })
  expect(await readBalance(api, wallet.address)).toBe(6_000n)
  expect(await rows(api.context.db, 'select debt_micros from svc.account')).toEqual([{ debt_micros: 0n }])
})

test('a settlement with an unknown outcome is found again, never sent twice, and becomes credit', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  api.chain.nextOutcomes.push('unknown')
  const pending = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect([pending.statusCode, pending.json().reason]).toEqual([503, 'settlement_pending'])
  await rows(api.context.db, "update svc.chunk set sent_at = sent_at - interval '1 minute'")
  await api.settleChunks()
  expect(api.chain.broadcast).toHaveLength(1)
  expect(await readBalance(api, wallet.address)).toBe(10_000n)
  const next = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(decodeHeader(next.headers['payment-response'])).toMatchObject({ extra: { drawdown: true } })
})

test('a call with invalid input is free: its payment stays as credit', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const request = (token: string) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/utils/jwt-decode',
      headers: { 'payment-signature': wallet.pay(10_000n) },
      payload: { token },
    })
  expect((await request('not a token')).statusCode).toBeGreaterThanOrEqual(400)
  const served = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(served.statusCode).toBe(200)
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
  expect(api.chain.broadcast).toHaveLength(1)
})

test('an overpayment becomes credit, and a suspended wallet is refused', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(25_000n) })
  expect(await readBalance(api, wallet.address)).toBe(24_000n)
  await rows(api.context.db, 'update svc.account set suspended_at = now()')
  api.context.payments!.forget()
  expect((await api.hash({ 'payment-signature': wallet.pay(10_000n) })).statusCode).toBe(403)
})

test('an idempotency key works for a wallet: the new signature of a replay is not used up', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const key = { 'idempotency-key': 'order-1' }
  expect((await api.hash(key)).statusCode).toBe(402)
  const first = await api.hash({ ...key, 'payment-signature': wallet.pay(10_000n) })
  const unused = wallet.pay(10_000n)
  const replay = await api.hash({ ...key, 'payment-signature': unused })
  expect([replay.statusCode, replay.body, replay.headers['idempotency-replayed']]).toEqual([200, first.body, 'true'])
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
  expect((await api.hash({ ...key, 'payment-signature': wallet.pay(10_000n) }, 'other')).json().code).toBe(
    'IDEMPOTENCY_CONFLICT',
  )
  const later = await api.hash({ 'payment-signature': unused })
  expect(decodeHeader(later.headers['payment-response'])).toMatchObject({ extra: { drawdown: true } })
})

test('the payment-identifier is an idempotency key too, and must not differ from the header', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const withId = (id: string) =>
    changePayment(wallet.pay(10_000n), payment =>
      Object.assign(payment, { extensions: { 'payment-identifier': { info: { required: false, id } } } }),
    )
  const id = 'order_0123456789'
  const first = await api.hash({ 'payment-signature': withId(id) })
  const replay = await api.hash({ 'payment-signature': withId(id) })
  expect([replay.body, replay.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
  expect((await api.hash({ 'payment-signature': withId(id) }, 'other')).statusCode).toBe(409)
  const both = await api.hash({ 'payment-signature': withId(id), 'idempotency-key': 'another-key' })
  expect([both.statusCode, both.json().code]).toEqual([400, 'CONFLICTING_OPTIONS'])
})

async function expectNothingBooked(api: PaidApi): Promise<void> {
  expect(await rows(api.context.db, 'select 1 from svc.payment union all select 1 from svc.account')).toEqual([])
  expect(api.chain.broadcast).toEqual([])
  expect(FAKE_NETWORK.assets).toHaveLength(2)
}
