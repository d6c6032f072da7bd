import { expect, test } from 'vitest'
import type { FakeWallet } from '../../support/chain/fake-chain.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

function topUp(api: PaidApi, amountUsd: string, payment?: string) {
  const headers: Record<string, string> = payment ? { 'payment-signature': payment } : {}
  return api.app.inject({ method: 'POST', url: '/v1/billing/crypto-checkout', headers, payload: { amountUsd } })
}

async function signIn(api: PaidApi, wallet: FakeWallet, url = '/v1/auth/verify', token?: string) {
  const { message } = (await api.app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address}` })).json()
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  return api.app.inject({ method: 'POST', url, headers, payload: { message, signature: wallet.signText(message) } })
}

test('an amount is offered, paid, settled and credited to the wallet, which signs in to the same balance', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const offer = await topUp(api, '2.5')
  expect(offer.statusCode).toBe(402)
  expect(decodeHeader(offer.headers['payment-required']).accepts).toMatchObject([
    { amount: '2500000' },
    { amount: '2500000' },
  ])
  const paid = await topUp(api, '2.5', wallet.pay(2_500_000n))
  expect(paid.statusCode).toBe(200)
  expect(paid.json()).toMatchObject({ creditedMicros: '2500000', balanceMicros: '2500000' })
  expect(decodeHeader(paid.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: paid.json().transaction,
    amount: '2500000',
  })
  expect(api.chain.broadcast).toHaveLength(1)
  const { token, customerId } = (await signIn(api, wallet)).json()
  expect(customerId).toBe(paid.json().customerId)
  const account = await api.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
  expect(account.json().balanceMicros).toBe('2500000')
})

test('one payment is credited once, however often it is sent at the same time', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(1_000_000n)
  const answers = await Promise.all(Array.from({ length: 20 }, () => topUp(api, '1', payment)))
  for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode)
  const again = await topUp(api, '1', payment)
  expect([again.statusCode, again.json()]).toEqual([200, answers.find(({ statusCode }) => statusCode === 200)?.json()])
  expect(await readBalance(api, wallet.address)).toBe(1_000_000n)
  expect(api.chain.broadcast).toHaveLength(1)
})

test('another amount than requested, an amount out of bounds, and an empty wallet credit nothing', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  expect((await topUp(api, '2', wallet.pay(1_000_000n))).json().code).toBe('UNDERPAID')
  for (const amount of ['0.009', '1000.01', '-1', 'all']) expect((await topUp(api, amount)).statusCode).toBe(400)
  const empty = api.chain.wallet(5n)
  const refused = await topUp(api, '1', empty.pay(1_000_000n))
  expect([refused.statusCode, api.chain.broadcast.length]).toEqual([402, 0])
  expect(decodeHeader(refused.headers['payment-response'])).toMatchObject({ success: false })
})

test('a settlement that fails credits nothing', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  api.chain.nextOutcomes.push('failed')
  expect((await topUp(api, '1', wallet.pay(1_000_000n))).statusCode).toBe(402)
  expect(await readBalance(api, wallet.address)).toBe(0n)
})

test('a linked wallet brings its credit, and pays into that account from then on', async () => {
  await using api = await openPaidApi()
  const [ownerWallet, joinedWallet] = [api.chain.wallet(), api.chain.wallet()]
  const { token, customerId } = (await signIn(api, ownerWallet)).json()
  await topUp(api, '1', joinedWallet.pay(1_000_000n))
  const joined = await signIn(api, joinedWallet, '/v1/account/wallets', token)
  expect(joined.json().movedMicros).toBe('1000000')
  api.context.payments!.forget()
  expect((await topUp(api, '2', joinedWallet.pay(2_000_000n))).json()).toMatchObject({
    customerId,
    balanceMicros: '3000000',
  })
})

test('without a facilitator, a crypto checkout returns an error before any payment', async () => {
  await using api = await openInProcessApi()
  const answer = await api.app.inject({
    method: 'POST',
    url: '/v1/billing/crypto-checkout',
    payload: { amountUsd: '1' },
  })
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
})
