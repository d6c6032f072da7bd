import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { newId, Problem, perCall } from '#kit'
import type { NamedRoute } from '../../../api/catalog.ts'
import { type Route, route } from '../../../api/route.ts'
import { creditAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { openWallet } from '../../../sql/payment.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { FAKE_NETWORK } from '../../support/chain/fake-chain.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'

test('an unpaid call returns how to pay in both versions', async () => {
  await using api = await openPaidApi()
  const reply = await api.hash({ origin: 'https://agent.example' })
  expect(reply.statusCode).toBe(402)
  const offer = decodeHeader(reply.headers['payment-required'])
  const usdc = {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    maxAmountRequired: '10000',
    asset: FAKE_NETWORK.assets[0]!.address,
    payTo: FAKE_NETWORK.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  }
  expect(offer).toMatchObject({
    x402Version: 2,
    error: 'PAYMENT_REQUIRED',
    accepts: [usdc, { extra: { name: 'EURC' } }],
  })
  expect(Object.keys(offer.extensions!)).toEqual([
    ...['payment-identifier', 'sign-in-with-x', 'offer-receipt', 'bazaar'],
  ])
  expect(reply.json()).toMatchObject({
    x402Version: 2,
    error: 'PAYMENT_REQUIRED',
    code: 'PAYMENT_REQUIRED',
    accepted: [usdc, {}],
    accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000', mimeType: 'application/json' }, {}],
    required: { amount_usdc: '0.01', wallet_address: FAKE_NETWORK.payTo, network: 'eip155:84532' },
    price: { micros: '1000' },
    howToPay: expect.stringContaining('The least payment is 0.01 USD: what a call does not cost pays for later calls'),
  })
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(reply.headers['access-control-expose-headers']).toContain('PAYMENT-REQUIRED')
  expect(String(reply.headers['payment-required']).length).toBeLessThan(8_000)
})

test('a call without a body gets the price, and one with an invalid body gets its error', async () => {
  await using api = await openPaidApi()
  const empty = await api.app.inject({ method: 'POST', url: '/v1/utils/hash' })
  expect(empty.statusCode).toBe(402)
  const { bazaar } = decodeHeader(empty.headers['payment-required']).extensions as unknown as {
    bazaar: { schema: object }
  }
  expect(bazaar.schema).toHaveProperty('properties.input.properties.body.properties.algorithms')
  const rotate = await api.app.inject({ method: 'POST', url: '/v1/pdf/rotate' })
  const offered = JSON.stringify(decodeHeader(rotate.headers['payment-required']).extensions)
  expect(offered).toContain('"enum":["90","180","270"]')
  const wrong = await api.app.inject({
    method: 'POST',
    url: '/v1/utils/hash',
    payload: { text: 'abc', algoritms: ['md5'] },
  })
  expect(wrong.json()).toMatchObject({ code: 'UNKNOWN_FIELD', didYouMean: 'algorithms' })
})

test('the first payment is settled, and the next nine calls are drawn from it without a transaction', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const first = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(first.statusCode).toBe(200)
  expect(first.headers['x-service-charged-micros']).toBe('1000')
  expect(decodeHeader(first.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    network: 'eip155:84532',
    payer: wallet.address,
    amount: '1000',
    extra: { drawdown: false, chunkRemainingMicros: '9000', settlement: 'settled' },
  })
  for (let call = 2; call <= 10; call++) {
    const next = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
    expect(next.statusCode).toBe(200)
    expect(decodeHeader(next.headers['payment-response'])).toMatchObject({
      transaction: '',
      amount: '1000',
      extra: { drawdown: true },
    })
  }
  expect(api.chain.broadcast).toHaveLength(1)
  expect(await readBalance(api, wallet.address)).toBe(0n)
  const payments = await rows<{ chunk_id: string | null }>(api.context.db, 'select chunk_id from svc.payment')
  expect(payments).toHaveLength(10)
  expect(payments.filter(({ chunk_id }) => chunk_id !== null)).toHaveLength(1)
  expect(await rows(api.context.db, 'select 1 from svc.chunk where sealed is not null')).toEqual([])
})

test('a known wallet is served while its next chunk is being settled', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  for (let call = 0; call < 10; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const next = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(next.statusCode).toBe(200)
  expect(decodeHeader(next.headers['payment-response'])).toMatchObject({
    transaction: '',
    extra: { settlement: 'pending' },
  })
  expect(api.chain.broadcast).toHaveLength(1)
  expect(await rows(api.context.db, 'select task_identifier from lane_remote.jobs')).toEqual([
    { task_identifier: 'chore_settle_chunks' },
  ])
})

test.each([3, 25])('%i concurrent calls without credit settle only as much as they need', async count => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  api.chain.delayMs = 50
  const replies = await Promise.all(
    Array.from({ length: count }, () => api.hash({ 'payment-signature': wallet.pay(10_000n) })),
  )
  expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(count).fill(200))
  const [{ chunks }] = (await rows<{ chunks: bigint }>(api.context.db, 'select count(*) as chunks from svc.chunk')) as [
    { chunks: bigint },
  ]
  expect(chunks).toBe(BigInt(Math.ceil(count / 10)))
  expect(api.chain.broadcast.length).toBeLessThanOrEqual(Number(chunks))
  expect(await readBalance(api, wallet.address)).toBe(chunks * 10_000n - BigInt(count) * 1_000n)
})

test('version 1 is detected by its form and gets its own receipt', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const reply = await api.hash({
    'x-payment': wallet.pay(10_000n, { version: 1, asset: FAKE_NETWORK.assets[1]!.address }),
  })
  expect(reply.statusCode).toBe(200)
  expect(decodeHeader(reply.headers['x-payment-response'])).toMatchObject({ success: true, network: 'base-sepolia' })
  expect(decodeHeader(reply.headers['payment-response'])).toMatchObject({ network: 'eip155:84532' })
  expect(await rows(api.context.db, 'select symbol from svc.chunk')).toEqual([{ symbol: 'EURC' }])
})

const decodeJwt = (api: PaidApi, headers: Record<string, string>) =>
  api.app.inject({ method: 'POST', url: '/v1/utils/jwt-decode', headers, payload: { token: 'no token' } })

test('a call that fails after its payment was settled has a receipt with all the credit of its wallet', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const accountId = await openWallet(api.context.db, wallet.address, newId(), true)
  await creditAccount(api.context.db, { accountId, amountMicros: 500n })
  const failed = await decodeJwt(api, { 'payment-signature': wallet.pay(10_000n) })
  expect([failed.statusCode, failed.json().code]).toEqual([422, 'JWT_MALFORMED'])
  expect(decodeHeader(failed.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: expect.stringMatching(/^0x/),
    amount: '0',
    extra: { chargedMicros: '0', chunkRemainingMicros: '10500', settlement: 'settled' },
  })
  expect(await readBalance(api, wallet.address)).toBe(10_500n)
})

test('a call that fails before its payment is used says that nothing was taken', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const failed = await decodeJwt(api, { 'payment-signature': wallet.pay(10_000n) })
  expect(decodeHeader(failed.headers['payment-response'])).toMatchObject({
    success: false,
    errorReason: 'JWT_MALFORMED',
    transaction: '',
    payer: wallet.address,
  })
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
})

/** It fails once its price is held. */
const LOST: NamedRoute = {
  ...(route({
    at: 'POST /v1/losses',
    summary: 'Find nothing.',
    auth: ['x402'],
    body: Type.Object({}, { additionalProperties: false }),
    reply: { status: 200, schema: Type.Object({}) },
    price: perCall('0.001'),
    errors: ['NOT_FOUND'],
    handle: () => {
      throw new Problem('NOT_FOUND')
    },
  }) as Route),
  name: 'losses.lose',
  family: 'losses',
}

test('a failed call that had drawn on the credit of its wallet says that nothing was taken', async () => {
  await using api = await openPaidApi({}, [LOST])
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const headers = { 'payment-signature': wallet.pay(10_000n) }
  const failed = await api.app.inject({ method: 'POST', url: '/v1/losses', headers, payload: {} })
  expect(failed.statusCode).toBe(404)
  expect(decodeHeader(failed.headers['payment-response'])).toEqual({
    success: false,
    errorReason: 'NOT_FOUND',
    transaction: '',
    network: 'eip155:84532',
    payer: wallet.address,
    extra: { chargedMicros: '0', drawdown: true, chunkRemainingMicros: '9000' },
  })
  expect(await readBalance(api, wallet.address)).toBe(9_000n)
})

test('the unpaid first request of a standard client does not count once its payment follows', async () => {
  await using api = await openPaidApi()
  const { db, settings } = api.context
  const wallet = api.chain.wallet()
  await writeSetting(db, 'rate.ip_per_minute', 2)
  await settings.refresh()
  const payment = wallet.pay(10_000n)
  for (let call = 0; call < 8; call++) {
    expect((await api.hash({}, `${call}`)).statusCode).toBe(402)
    const paid = await api.hash({ 'payment-signature': call === 0 ? payment : wallet.pay(10_000n) }, `${call}`)
    expect(paid.statusCode).toBe(200)
  }
  for (const expected of [402, 402, 429]) expect((await api.hash()).statusCode).toBe(expected)
  expect((await api.hash({ 'payment-signature': payment }, '0')).statusCode).toBe(200)
  expect((await api.hash()).statusCode).toBe(429)
  expect((await api.hash({ 'payment-signature': wallet.pay(10_000n) }, 'neighbour')).statusCode).toBe(200)
})
