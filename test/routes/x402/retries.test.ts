import { expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'

const paymentHeader = (payment: string) => ({ 'payment-signature': payment })

async function ageChunks(api: PaidApi, seconds: number): Promise<void> {
  await rows(api.context.db, 'update svc.chunk set sent_at = sent_at - make_interval(secs => $1)', [seconds])
}

test('a payment with an unknown outcome that is sent again is found, serves the call, and is paid once', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  api.chain.nextOutcomes.push('unknown', 'unknown')
  for (let tries = 0; tries < 2; tries++) {
    const pending = await api.hash(paymentHeader(payment))
    expect([pending.statusCode, pending.json().reason]).toEqual([503, 'settlement_pending'])
    expect(Number(pending.headers['retry-after'])).toBeGreaterThan(0)
    expect(pending.json().transaction).toMatch(/^0x/)
  }
  const served = await api.hash(paymentHeader(payment))
  expect(served.statusCode).toBe(200)
  expect(decodeHeader(served.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: [...api.chain.transactions.values()][0],
  })
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
  const again = await api.hash(paymentHeader(payment))
  expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
})

test('twenty concurrent retries of a payment with an unknown outcome are one call and one charge', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  api.chain.nextOutcomes.push('unknown')
  expect((await api.hash(paymentHeader(payment))).statusCode).toBe(503)
  api.chain.delayMs = 50
  const replies = await Promise.all(Array.from({ length: 20 }, () => api.hash(paymentHeader(payment))))
  for (const { statusCode } of replies) expect([200, 409]).toContain(statusCode)
  expect(replies.some(({ statusCode }) => statusCode === 200)).toBe(true)
  const jobs = replies.filter(({ statusCode }) => statusCode === 200).map(reply => reply.headers['x-service-job-id'])
  expect(new Set(jobs).size).toBe(1)
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})

test('a payment that the chore has settled meanwhile still pays the call it was signed for', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  api.chain.nextOutcomes.push('unknown')
  await api.hash(paymentHeader(payment))
  await ageChunks(api, 60)
  await api.settleChunks()
  expect(await readBalance(api, wallet.address)).toBe(10_000n)
  const served = await api.hash(paymentHeader(payment))
  expect([served.statusCode, await readBalance(api, wallet.address)]).toEqual([200, 9_000n])
  expect(api.chain.broadcast).toHaveLength(1)
  const other = await api.hash(paymentHeader(payment), 'another text')
  expect([other.statusCode, other.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
})

test('credit that was spent on other calls meanwhile does not pay for this one', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  api.chain.nextOutcomes.push('unknown')
  await api.hash(paymentHeader(payment))
  await ageChunks(api, 60)
  await api.settleChunks()
  for (let calls = 0; calls < 10; calls++) {
    expect((await api.hash(paymentHeader(wallet.pay(10_000n)), `text ${calls}`)).statusCode).toBe(200)
  }
  const late = await api.hash(paymentHeader(payment))
  expect([late.statusCode, await readBalance(api, wallet.address)]).toEqual([402, 0n])
  expect(api.chain.broadcast).toHaveLength(1)
})

test('a retry takes over the payment of a dead api process, but not too early', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  api.chain.nextOutcomes.push('unknown')
  await api.hash(paymentHeader(payment))
  await rows(api.context.db, "update svc.chunk set state = 'claimed', sent_at = now()")
  const busy = await api.hash(paymentHeader(payment))
  expect([busy.statusCode, busy.json().code, busy.headers['retry-after']]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT', '1'])
  await ageChunks(api, 100)
  expect((await api.hash(paymentHeader(payment))).statusCode).toBe(200)
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})

test('a retry under an idempotency key continues the payment', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  const headers = { ...paymentHeader(payment), 'idempotency-key': 'one-call' }
  api.chain.nextOutcomes.push('unknown')
  expect((await api.hash(headers)).statusCode).toBe(503)
  const served = await api.hash(headers)
  expect(served.statusCode).toBe(200)
  const fresh = await api.hash({ ...paymentHeader(wallet.pay(10_000n)), 'idempotency-key': 'one-call' })
  expect([fresh.statusCode, fresh.body]).toEqual([200, served.body])
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})

test('a client that signs again while the outcome of its first payment is unknown must wait, and pays once', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  api.chain.nextOutcomes.push('unknown')
  await api.hash(paymentHeader(wallet.pay(10_000n)))
  const second = await api.hash(paymentHeader(wallet.pay(10_000n)))
  expect([second.statusCode, second.json().reason]).toEqual([503, 'settlement_pending'])
  const scheduled = await rows(api.context.db, "select 1 from lane_remote._private_jobs where key = 'settle_chunks'")
  expect(scheduled).toHaveLength(1)
  await ageChunks(api, 3)
  await api.settleChunks()
  expect((await api.hash(paymentHeader(wallet.pay(10_000n)))).statusCode).toBe(200)
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})

test('a top-up with an unknown outcome can be sent again until it has arrived, and is credited once', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(1_000_000n)
  const topUp = () =>
    api.app.inject({
      method: 'POST',
      url: '/v1/billing/crypto-checkout',
      headers: paymentHeader(payment),
      payload: { amountUsd: '1' },
    })
  api.chain.nextOutcomes.push('unknown')
  expect((await topUp()).statusCode).toBe(503)
  const paid = await topUp()
  expect([paid.statusCode, paid.json().balanceMicros]).toEqual([200, '1000000'])
  const again = await topUp()
  expect([again.statusCode, again.json()]).toEqual([200, paid.json()])
  expect(api.chain.broadcast).toHaveLength(1)
})
