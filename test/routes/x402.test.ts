import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { balanceOf, decoded, openPaidDoor } from '../support/paid-door.ts'
import { PAPER_NETWORK } from '../support/paper-chain.ts'

test('an unpaid call is told how to pay in both forms', async () => {
  await using door = await openPaidDoor()
  const reply = await door.hash({ origin: 'https://agent.example' })
  expect(reply.statusCode).toBe(402)
  const offer = decoded(reply.headers['payment-required'])
  const usdc = {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    maxAmountRequired: '10000',
    asset: PAPER_NETWORK.assets[0]!.address,
    payTo: PAPER_NETWORK.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  }
  expect(offer).toMatchObject({
    x402Version: 2,
    error: 'PAYMENT_REQUIRED',
    accepts: [usdc, { extra: { name: 'EURC' } }],
  })
  expect(Object.keys(offer.extensions!)).toEqual(['payment-identifier', 'sign-in-with-x', 'bazaar'])
  expect(reply.json()).toMatchObject({
    x402Version: 2,
    error: 'PAYMENT_REQUIRED',
    code: 'PAYMENT_REQUIRED',
    accepted: [usdc, {}],
    accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000', mimeType: 'application/json' }, {}],
    required: { amount_usdc: '0.01', wallet_address: PAPER_NETWORK.payTo, network: 'eip155:84532' },
    price: { micros: '1000' },
  })
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(reply.headers['access-control-expose-headers']).toContain('PAYMENT-REQUIRED')
  expect(String(reply.headers['payment-required']).length).toBeLessThan(8_000)
})

test('a call without a body learns of the price, one with a wrong body of its fault', async () => {
  await using door = await openPaidDoor()
  const empty = await door.app.inject({ method: 'POST', url: '/v1/utils/hash' })
  expect(empty.statusCode).toBe(402)
  const { bazaar } = decoded(empty.headers['payment-required']).extensions as unknown as { bazaar: { schema: object } }
  expect(bazaar.schema).toHaveProperty('properties.input.properties.body.properties.algorithms')
  const wrong = await door.app.inject({
    method: 'POST',
    url: '/v1/utils/hash',
    payload: { text: 'abc', algoritms: ['md5'] },
  })
  expect(wrong.json()).toMatchObject({ code: 'UNKNOWN_FIELD', didYouMean: 'algorithms' })
})

test('the first payment is settled, the next nine calls are drawn from it and never broadcast', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const first = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(first.statusCode).toBe(200)
  expect(first.headers['x-service-charged-micros']).toBe('1000')
  expect(decoded(first.headers['payment-response'])).toMatchObject({
    success: true,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    network: 'eip155:84532',
    payer: wallet.address,
    amount: '1000',
    extra: { drawdown: false, chunkRemainingMicros: '9000', settlement: 'settled' },
  })
  for (let call = 2; call <= 10; call++) {
    const next = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
    expect(next.statusCode).toBe(200)
    expect(decoded(next.headers['payment-response'])).toMatchObject({
      transaction: '',
      amount: '1000',
      extra: { drawdown: true },
    })
  }
  expect(door.chain.broadcast).toHaveLength(1)
  expect(await balanceOf(door, wallet.address)).toBe(0n)
  const kept = await rows<{ chunk_id: string | null }>(door.floor.db, 'select chunk_id from svc.payment')
  expect(kept).toHaveLength(10)
  expect(kept.filter(({ chunk_id }) => chunk_id !== null)).toHaveLength(1)
  expect(await rows(door.floor.db, 'select 1 from svc.chunk where sealed is not null')).toEqual([])
})

test('a known wallet is served while its next chunk is on its way', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  for (let call = 0; call < 10; call++) await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  const next = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(next.statusCode).toBe(200)
  expect(decoded(next.headers['payment-response'])).toMatchObject({ transaction: '', extra: { settlement: 'pending' } })
  expect(door.chain.broadcast).toHaveLength(1)
  expect(await rows(door.floor.db, 'select task_identifier from lane_remote.jobs')).toEqual([
    { task_identifier: 'chore_settle_chunks' },
  ])
})

test.each([3, 25])('%i calls at once without credit settle what they need and no more', async count => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  door.chain.delayMs = 50
  const replies = await Promise.all(
    Array.from({ length: count }, () => door.hash({ 'payment-signature': wallet.pay(10_000n) })),
  )
  expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(count).fill(200))
  const [{ chunks }] = (await rows<{ chunks: bigint }>(door.floor.db, 'select count(*) as chunks from svc.chunk')) as [
    { chunks: bigint },
  ]
  expect(chunks).toBe(BigInt(Math.ceil(count / 10)))
  expect(door.chain.broadcast.length).toBeLessThanOrEqual(Number(chunks))
  expect(await balanceOf(door, wallet.address)).toBe(chunks * 10_000n - BigInt(count) * 1_000n)
})

test('version 1 is told by its shape and gets its own receipt', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const reply = await door.hash({
    'x-payment': wallet.pay(10_000n, { version: 1, asset: PAPER_NETWORK.assets[1]!.address }),
  })
  expect(reply.statusCode).toBe(200)
  expect(decoded(reply.headers['x-payment-response'])).toMatchObject({ success: true, network: 'base-sepolia' })
  expect(decoded(reply.headers['payment-response'])).toMatchObject({ network: 'eip155:84532' })
  expect(await rows(door.floor.db, 'select symbol from svc.chunk')).toEqual([{ symbol: 'EURC' }])
})
