import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { balanceOf, decoded, openPaidDoor, type PaidDoor } from '../support/paid-door.ts'

const sign = (payment: string) => ({ 'payment-signature': payment })

async function grow(door: PaidDoor, seconds: number): Promise<void> {
  await rows(door.floor.db, 'update svc.chunk set sent_at = sent_at - make_interval(secs => $1)', [seconds])
}

test('the same payment shown again while nobody knows of it is found, serves the call, and is paid once', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  door.chain.fates.push('unknown', 'unknown')
  for (let tries = 0; tries < 2; tries++) {
    const pending = await door.hash(sign(payment))
    expect([pending.statusCode, pending.json().reason]).toEqual([503, 'settlement_pending'])
    expect(Number(pending.headers['retry-after'])).toBeGreaterThan(0)
    expect(pending.json().transaction).toMatch(/^0x/)
  }
  const served = await door.hash(sign(payment))
  expect(served.statusCode).toBe(200)
  expect(decoded(served.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: [...door.chain.transactions.values()][0],
  })
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
  const again = await door.hash(sign(payment))
  expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
  expect(await balanceOf(door, wallet.address)).toBe(9_000n)
})

test('twenty retries at once of a payment in doubt are one call and one charge', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  door.chain.fates.push('unknown')
  expect((await door.hash(sign(payment))).statusCode).toBe(503)
  door.chain.delayMs = 50
  const replies = await Promise.all(Array.from({ length: 20 }, () => door.hash(sign(payment))))
  for (const { statusCode } of replies) expect([200, 409]).toContain(statusCode)
  expect(replies.some(({ statusCode }) => statusCode === 200)).toBe(true)
  const jobs = replies.filter(({ statusCode }) => statusCode === 200).map(reply => reply.headers['x-service-job-id'])
  expect(new Set(jobs).size).toBe(1)
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})

test('what the chore has found meanwhile still pays the call it was signed for, above a cent as well', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  door.chain.fates.push('unknown')
  await door.hash(sign(payment))
  await grow(door, 60)
  await door.settleChunks()
  expect(await balanceOf(door, wallet.address)).toBe(10_000n)
  const served = await door.hash(sign(payment))
  expect([served.statusCode, await balanceOf(door, wallet.address)]).toEqual([200, 9_000n])
  expect(door.chain.broadcast).toHaveLength(1)
  const other = await door.hash(sign(payment), 'another text')
  expect([other.statusCode, other.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
})

test('credit that was spent on other calls meanwhile does not serve this one as well', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  door.chain.fates.push('unknown')
  await door.hash(sign(payment))
  await grow(door, 60)
  await door.settleChunks()
  for (let calls = 0; calls < 10; calls++) {
    expect((await door.hash(sign(wallet.pay(10_000n)), `text ${calls}`)).statusCode).toBe(200)
  }
  const late = await door.hash(sign(payment))
  expect([late.statusCode, await balanceOf(door, wallet.address)]).toEqual([402, 0n])
  expect(door.chain.broadcast).toHaveLength(1)
})

test('a payment whose front door died is taken over by its retry, not before', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  door.chain.fates.push('unknown')
  await door.hash(sign(payment))
  await rows(door.floor.db, "update svc.chunk set state = 'claimed', sent_at = now()")
  const busy = await door.hash(sign(payment))
  expect([busy.statusCode, busy.json().code, busy.headers['retry-after']]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT', '1'])
  await grow(door, 100)
  expect((await door.hash(sign(payment))).statusCode).toBe(200)
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})

test('a retry under its key goes on, too', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  const headers = { ...sign(payment), 'idempotency-key': 'one-call' }
  door.chain.fates.push('unknown')
  expect((await door.hash(headers)).statusCode).toBe(503)
  const served = await door.hash(headers)
  expect(served.statusCode).toBe(200)
  const fresh = await door.hash({ ...sign(wallet.pay(10_000n)), 'idempotency-key': 'one-call' })
  expect([fresh.statusCode, fresh.body]).toEqual([200, served.body])
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})

test('a client that signs anew while its first payment is in doubt is told to wait, and pays once', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  door.chain.fates.push('unknown')
  await door.hash(sign(wallet.pay(10_000n)))
  const second = await door.hash(sign(wallet.pay(10_000n)))
  expect([second.statusCode, second.json().reason]).toEqual([503, 'settlement_pending'])
  const soon = await rows(door.floor.db, "select 1 from lane_remote._private_jobs where key = 'settle_chunks'")
  expect(soon).toHaveLength(1)
  await grow(door, 3)
  await door.settleChunks()
  expect((await door.hash(sign(wallet.pay(10_000n)))).statusCode).toBe(200)
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})

test('a top-up in doubt is shown again until it has arrived, and credits once', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(1_000_000n)
  const topUp = () =>
    door.app.inject({
      method: 'POST',
      url: '/v1/billing/crypto-checkout',
      headers: sign(payment),
      payload: { amountUsd: '1' },
    })
  door.chain.fates.push('unknown')
  expect((await topUp()).statusCode).toBe(503)
  const paid = await topUp()
  expect([paid.statusCode, paid.json().balanceMicros]).toEqual([200, '1000000'])
  const again = await topUp()
  expect([again.statusCode, again.json()]).toEqual([200, paid.json()])
  expect(door.chain.broadcast).toHaveLength(1)
})
