import { expect, test } from 'vitest'
import { openFrontDoor } from '../support/front-door.ts'
import { balanceOf, decoded, openPaidDoor, type PaidDoor } from '../support/paid-door.ts'
import type { PaperWallet } from '../support/paper-chain.ts'

function topUp(door: PaidDoor, amountUsd: string, payment?: string) {
  const headers: Record<string, string> = payment ? { 'payment-signature': payment } : {}
  return door.app.inject({ method: 'POST', url: '/v1/billing/crypto-checkout', headers, payload: { amountUsd } })
}

async function signIn(door: PaidDoor, wallet: PaperWallet, url = '/v1/auth/verify', token?: string) {
  const { message } = (await door.app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address}` })).json()
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  return door.app.inject({ method: 'POST', url, headers, payload: { message, signature: wallet.signText(message) } })
}

test('an amount is offered, paid, settled and credited to the wallet, which signs in to the same balance', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const offer = await topUp(door, '2.5')
  expect(offer.statusCode).toBe(402)
  expect(decoded(offer.headers['payment-required']).accepts).toMatchObject([
    { amount: '2500000' },
    { amount: '2500000' },
  ])
  const paid = await topUp(door, '2.5', wallet.pay(2_500_000n))
  expect(paid.statusCode).toBe(200)
  expect(paid.json()).toMatchObject({ creditedMicros: '2500000', balanceMicros: '2500000' })
  expect(decoded(paid.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: paid.json().transaction,
    amount: '2500000',
  })
  expect(door.chain.broadcast).toHaveLength(1)
  const { token, customerId } = (await signIn(door, wallet)).json()
  expect(customerId).toBe(paid.json().customerId)
  const account = await door.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
  expect(account.json().balanceMicros).toBe('2500000')
})

test('one payment credits once, however often it is shown at once', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(1_000_000n)
  const answers = await Promise.all(Array.from({ length: 20 }, () => topUp(door, '1', payment)))
  for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode)
  const again = await topUp(door, '1', payment)
  expect([again.statusCode, again.json()]).toEqual([200, answers.find(({ statusCode }) => statusCode === 200)?.json()])
  expect(await balanceOf(door, wallet.address)).toBe(1_000_000n)
  expect(door.chain.broadcast).toHaveLength(1)
})

test('another amount than was asked for, too much, too little and an empty wallet credit nothing', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  expect((await topUp(door, '2', wallet.pay(1_000_000n))).json().code).toBe('UNDERPAID')
  for (const amount of ['0.009', '1000.01', '-1', 'all']) expect((await topUp(door, amount)).statusCode).toBe(400)
  const empty = door.chain.wallet(5n)
  const refused = await topUp(door, '1', empty.pay(1_000_000n))
  expect([refused.statusCode, door.chain.broadcast.length]).toEqual([402, 0])
  expect(decoded(refused.headers['payment-response'])).toMatchObject({ success: false })
})

test('a settlement that fails credits nothing', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  door.chain.fates.push('failed')
  expect((await topUp(door, '1', wallet.pay(1_000_000n))).statusCode).toBe(402)
  expect(await balanceOf(door, wallet.address)).toBe(0n)
})

test('a wallet that joined an account brings its credit, and pays there from then on', async () => {
  await using door = await openPaidDoor()
  const [home, visitor] = [door.chain.wallet(), door.chain.wallet()]
  const { token, customerId } = (await signIn(door, home)).json()
  await topUp(door, '1', visitor.pay(1_000_000n))
  const joined = await signIn(door, visitor, '/v1/account/wallets', token)
  expect(joined.json().movedMicros).toBe('1000000')
  door.floor.payments!.forget()
  expect((await topUp(door, '2', visitor.pay(2_000_000n))).json()).toMatchObject({
    customerId,
    balanceMicros: '3000000',
  })
})

test('where nothing settles, a crypto checkout says so before any payment', async () => {
  await using door = await openFrontDoor()
  const answer = await door.app.inject({
    method: 'POST',
    url: '/v1/billing/crypto-checkout',
    payload: { amountUsd: '1' },
  })
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
})
