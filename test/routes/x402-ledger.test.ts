import { expect, test } from 'vitest'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount } from '../../sql/account.ts'
import { createKey } from '../../sql/key.ts'
import { readStatement, type StatementLine } from '../../sql/ledger.ts'
import { findWallet } from '../../sql/payment.ts'
import { balanceOf, decoded, openPaidDoor, type PaidDoor } from '../support/paid-door.ts'

async function linesOf(door: PaidDoor, address: string): Promise<StatementLine[]> {
  const { accountId } = (await findWallet(door.floor.db, address))!
  return readStatement(door.floor.db, { accountId, limit: 200, offset: 0 })
}

/** What the lines come to: money that never came and calls that were let go count for nothing. */
function sumOf(lines: StatementLine[]): bigint {
  return lines
    .filter(({ status }) => status !== 'released')
    .reduce((sum, { direction, amountMicros }) => sum + BigInt(amountMicros) * (direction === 'credit' ? 1n : -1n), 0n)
}

test('every chunk and every draw-down is a line of the ledger, and the lines sum to the balance', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  for (let call = 0; call < 12; call++) await door.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  const before = await linesOf(door, wallet.address)
  expect(before.filter(({ type }) => type === 'charge')).toHaveLength(12)
  expect(before.filter(({ type }) => type === 'topup')).toMatchObject([
    { asset: 'USDC', amountMicros: '10000', status: 'pending' },
    { asset: 'USDC', amountMicros: '10000', status: 'settled', txHash: expect.stringMatching(/^0x/) },
  ])
  expect(sumOf(before)).toBe(await balanceOf(door, wallet.address))
  await door.settleChunks()
  expect((await linesOf(door, wallet.address)).filter(({ status }) => status === 'pending')).toEqual([])
  expect(door.chain.broadcast).toHaveLength(2)
})

test('a chunk that never came counts for nothing in the ledger, and what it served is owed', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  for (let call = 0; call < 14; call++) await door.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  door.chain.fates.push('failed')
  await door.settleChunks()
  const lines = await linesOf(door, wallet.address)
  expect(lines.filter(({ type, status }) => type === 'topup' && status === 'released')).toHaveLength(1)
  expect(sumOf(lines)).toBe(-4_000n)
})

test('a key whose balance is empty is offered to pay, and a payment beside the key serves the wallet', async () => {
  await using door = await openPaidDoor()
  const { db, config } = door.floor
  const { id: accountId } = await createAccount(db)
  const hash = (word: string) => hashApiKey(config.secret, word)
  const authorization = `Bearer ${await createKey(db, { accountId, mode: 'test', hash })}`
  const poor = await door.hash({ authorization })
  expect([poor.statusCode, poor.json().code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(decoded(poor.headers['payment-required']).accepts).toHaveLength(2)
  const wallet = door.chain.wallet()
  const paid = await door.hash({ authorization, 'payment-signature': wallet.pay(10_000n) })
  expect([paid.statusCode, await balanceOf(door, wallet.address)]).toEqual([200, 9_000n])
})

test('a price can be asked for free, without a key and without a payment', async () => {
  await using door = await openPaidDoor()
  const reply = await door.app.inject({ method: 'POST', url: '/v1/utils/hash', payload: { text: 'abc', dryRun: true } })
  expect([reply.statusCode, reply.json().quote.amountMicros]).toEqual([200, '1000'])
})

test('without a facilitator nothing can be paid by x402, and everything says so', async () => {
  const { openFrontDoor } = await import('../support/front-door.ts')
  await using door = await openFrontDoor()
  const payload = { text: 'abc' }
  const headers = { 'payment-signature': 'anything' }
  const reply = await door.app.inject({ method: 'POST', url: '/v1/utils/hash', payload, headers })
  expect(reply.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', accepts: [], accepted: [] })
  const said = await door.app.inject({ method: 'GET', url: '/v1/capabilities' })
  expect(said.json().payments).toMatchObject({ x402: { available: false } })
  const { paths } = (await door.app.inject({ method: 'GET', url: '/openapi.json' })).json()
  expect(JSON.stringify(paths)).not.toContain('"x402":[]')
})
