import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { balanceOf, decoded, openPaidDoor, type PaidDoor } from '../support/paid-door.ts'
import { PAPER_NETWORK, type PaperWallet } from '../support/paper-chain.ts'

const SOON = () => BigInt(Math.floor(Date.now() / 1_000))
const ELSEWHERE = '0x1111111111111111111111111111111111111111'

function changed(header: string, change: (said: Record<string, never>) => void): string {
  const said = decoded(header)
  change(said)
  return Buffer.from(JSON.stringify(said)).toString('base64')
}

const attacks: [name: string, make: (wallet: PaperWallet) => string, status: number, code: string, reason: string][] = [
  ['no base64', () => '{"x":1}', 402, 'PAYMENT_REQUIRED', 'invalid_payload'],
  ['no payment', () => Buffer.from('[1]').toString('base64'), 402, 'PAYMENT_REQUIRED', 'invalid_payload'],
  ['nothing', () => Buffer.from('{}').toString('base64'), 402, 'PAYMENT_REQUIRED', 'invalid_exact_evm_scheme'],
  [
    'a changed value',
    wallet => changed(wallet.pay(10_000n), said => Object.assign(authorizationOf(said), { value: '90000' })),
    401,
    'INVALID_PAYMENT_SIGNATURE',
    'invalid_exact_evm_signature',
  ],
  [
    'a signature that is none',
    wallet => changed(wallet.pay(10_000n), said => Object.assign(said.payload!, { signature: '0x12' })),
    401,
    'INVALID_PAYMENT_SIGNATURE',
    'invalid_exact_evm_failed_to_parse_signature',
  ],
  ['too little', w => w.pay(9_999n), 402, 'UNDERPAID', 'invalid_exact_evm_payload_authorization_value_mismatch'],
  [
    'one that has expired',
    w => w.pay(10_000n, { validBefore: SOON() + 3n }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_payload_authorization_valid_before',
  ],
  [
    'one not yet valid',
    w => w.pay(10_000n, { validAfter: SOON() + 60n }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  [
    'another recipient',
    w => w.pay(10_000n, { to: ELSEWHERE }),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_recipient_mismatch',
  ],
  [
    'another network',
    w => changed(w.pay(10_000n), said => Object.assign(said.accepted!, { network: 'eip155:8453' })),
    402,
    'PAYMENT_REQUIRED',
    'invalid_exact_evm_network_mismatch',
  ],
  ['another asset', w => w.pay(10_000n, { asset: ELSEWHERE }), 402, 'PAYMENT_REQUIRED', 'invalid_payment_requirements'],
]

function authorizationOf(said: Record<string, never>): object {
  return (said.payload as unknown as { authorization: object }).authorization
}

test('each kind of bad payment is refused with its code, and nothing is booked', async () => {
  await using door = await openPaidDoor()
  for (const [name, make, status, code, reason] of attacks) {
    const reply = await door.hash({ 'payment-signature': make(door.chain.wallet()) })
    expect([name, reply.statusCode, reply.json().code, reply.json().reason]).toEqual([name, status, code, reason])
    expect(decoded(reply.headers['payment-response'])).toMatchObject({ success: false, errorReason: reason })
    if (status === 402) expect(decoded(reply.headers['payment-required'])).toMatchObject({ error: reason })
  }
  await nothingBooked(door)
})

test('an empty wallet and a nonce used on the chain are refused before anything is made for them', async () => {
  await using door = await openPaidDoor()
  const empty = await door.hash({ 'payment-signature': door.chain.wallet(0n).pay(10_000n) })
  expect(empty.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', reason: 'invalid_exact_evm_insufficient_balance' })
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  const { nonce } = authorizationOf(decoded(payment)) as { nonce: string }
  door.chain.used.add(`${wallet.address} ${nonce}`)
  const used = await door.hash({ 'payment-signature': payment })
  expect(used.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', reason: 'invalid_exact_evm_nonce_already_used' })
  await nothingBooked(door)
})

test('one authorization pays one request: sent again it is answered again, for another it is refused', async () => {
  await using door = await openPaidDoor()
  const payment = door.chain.wallet().pay(10_000n)
  const first = await door.hash({ 'payment-signature': payment })
  const again = await door.hash({ 'payment-signature': payment })
  expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true'])
  expect(again.headers['x-service-job-id']).toBe(first.headers['x-service-job-id'])
  const other = await door.hash({ 'payment-signature': payment }, 'another text')
  expect([other.statusCode, other.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
  expect(door.chain.broadcast).toHaveLength(1)
})

test.each([true, false])(
  'one authorization fifty times at once, for one request or for many, is one charge',
  async isOne => {
    await using door = await openPaidDoor()
    const wallet = door.chain.wallet()
    const payment = wallet.pay(10_000n)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => door.hash({ 'payment-signature': payment }, isOne ? 'a' : `a ${index}`)),
    )
    const fresh = replies.filter(({ statusCode, headers }) => statusCode === 200 && !headers['idempotency-replayed'])
    expect(fresh).toHaveLength(1)
    expect(replies.every(({ statusCode }) => [200, 402, 409].includes(statusCode))).toBe(true)
    expect(door.chain.broadcast).toHaveLength(1)
    expect(await balanceOf(door, wallet.address)).toBe(9_000n)
  },
)

test('two hundred calls at once on the last credit: the rest pay, and nothing is served unpaid', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet(20_000n)
  await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => door.hash({ 'payment-signature': wallet.pay(10_000n) }, `${index}`)),
  )
  await door.settleChunks()
  const served = replies.filter(({ statusCode }) => statusCode === 200).length + 1
  const [row] = await rows<{ paid: bigint; owed: bigint }>(
    door.floor.db,
    `select coalesce(sum(amount_micros) filter (where state = 'settled'), 0)::bigint as paid,
      (select sum(debt_micros)::bigint from svc.account) as owed from svc.chunk`,
  )
  expect(row!.paid).toBe(20_000n)
  expect(BigInt(served) * 1_000n).toBe(row!.paid + row!.owed - (await balanceOf(door, wallet.address)))
}, 60_000)

test('a settlement that fails before the work is a refusal, one that fails after it is a debt to be paid first', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  door.chain.fates.push('failed')
  const refused = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect([refused.statusCode, refused.json().reason]).toEqual([402, 'invalid_exact_evm_transaction_failed'])
  for (let call = 0; call < 13; call++) await door.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  door.chain.fates.push('failed')
  await door.settleChunks()
  const [owing] = await rows<{ debt_micros: bigint }>(door.floor.db, 'select debt_micros from svc.account')
  expect(owing).toEqual({ debt_micros: 3_000n })
  const paid = await door.hash({ 'payment-signature': wallet.pay(10_000n) }, 'pays the debt')
  expect(decoded(paid.headers['payment-response'])).toMatchObject({ extra: { settlement: 'settled' } })
  expect(await balanceOf(door, wallet.address)).toBe(6_000n)
  expect(await rows(door.floor.db, 'select debt_micros from svc.account')).toEqual([{ debt_micros: 0n }])
})

test('a settlement nobody heard of is found again, never sent twice, and becomes credit', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  door.chain.fates.push('unknown')
  const pending = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect([pending.statusCode, pending.json().reason]).toEqual([503, 'settlement_pending'])
  await rows(door.floor.db, "update svc.chunk set sent_at = sent_at - interval '1 minute'")
  await door.settleChunks()
  expect(door.chain.broadcast).toHaveLength(1)
  expect(await balanceOf(door, wallet.address)).toBe(10_000n)
  const next = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(decoded(next.headers['payment-response'])).toMatchObject({ extra: { drawdown: true } })
})

test('a fault of the input is free: what was settled for it stays as credit', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const ask = (token: string) =>
    door.app.inject({
      method: 'POST',
      url: '/v1/utils/jwt-decode',
      headers: { 'payment-signature': wallet.pay(10_000n) },
      payload: { token },
    })
  expect((await ask('not a token')).statusCode).toBeGreaterThanOrEqual(400)
  const served = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  expect(served.statusCode).toBe(200)
  expect(await balanceOf(door, wallet.address)).toBe(9_000n)
  expect(door.chain.broadcast).toHaveLength(1)
})

test('more than was asked for is credit, and a suspended wallet is refused', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  await door.hash({ 'payment-signature': wallet.pay(25_000n) })
  expect(await balanceOf(door, wallet.address)).toBe(24_000n)
  await rows(door.floor.db, 'update svc.account set suspended_at = now()')
  door.floor.payments!.forget()
  expect((await door.hash({ 'payment-signature': wallet.pay(10_000n) })).statusCode).toBe(403)
})

test('an idempotency key holds for a wallet: the fresh signature of a replay is not used up', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const key = { 'idempotency-key': 'order-1' }
  expect((await door.hash(key)).statusCode).toBe(402)
  const first = await door.hash({ ...key, 'payment-signature': wallet.pay(10_000n) })
  const unused = wallet.pay(10_000n)
  const replay = await door.hash({ ...key, 'payment-signature': unused })
  expect([replay.statusCode, replay.body, replay.headers['idempotency-replayed']]).toEqual([200, first.body, 'true'])
  expect(await balanceOf(door, wallet.address)).toBe(9_000n)
  expect((await door.hash({ ...key, 'payment-signature': wallet.pay(10_000n) }, 'other')).json().code).toBe(
    'IDEMPOTENCY_CONFLICT',
  )
  const later = await door.hash({ 'payment-signature': unused })
  expect(decoded(later.headers['payment-response'])).toMatchObject({ extra: { drawdown: true } })
})

test('the payment-identifier is a key as well, and must not differ from the header', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const withId = (id: string) =>
    changed(wallet.pay(10_000n), said =>
      Object.assign(said, { extensions: { 'payment-identifier': { info: { required: false, id } } } }),
    )
  const id = 'order_0123456789'
  const first = await door.hash({ 'payment-signature': withId(id) })
  const replay = await door.hash({ 'payment-signature': withId(id) })
  expect([replay.body, replay.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
  expect((await door.hash({ 'payment-signature': withId(id) }, 'other')).statusCode).toBe(409)
  const both = await door.hash({ 'payment-signature': withId(id), 'idempotency-key': 'another-key' })
  expect([both.statusCode, both.json().code]).toEqual([400, 'CONFLICTING_OPTIONS'])
})

async function nothingBooked(door: PaidDoor): Promise<void> {
  expect(await rows(door.floor.db, 'select 1 from svc.payment union all select 1 from svc.account')).toEqual([])
  expect(door.chain.broadcast).toEqual([])
  expect(PAPER_NETWORK.assets).toHaveLength(2)
}
