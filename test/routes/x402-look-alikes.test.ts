import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { balanceOf, decoded, openPaidDoor } from '../support/paid-door.ts'
import { PAPER_NETWORK } from '../support/paper-chain.ts'

type Said = Record<string, Record<string, unknown>>
const [, EURC] = PAPER_NETWORK.assets

function changed(header: string, change: (said: Said) => void): string {
  const said = decoded(header) as unknown as Said
  change(said)
  return Buffer.from(JSON.stringify(said)).toString('base64')
}

const authorization = (said: Said) => said.payload!.authorization as Record<string, string>

test('one authorization written in other letters is still that one', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n, { nonce: `0x${'ab'.repeat(32)}` })
  expect((await door.hash({ 'payment-signature': payment })).statusCode).toBe(200)
  const twins = [
    changed(payment, said => Object.assign(authorization(said), { nonce: `0x${'AB'.repeat(32)}` })),
    changed(payment, said =>
      Object.assign(authorization(said), { from: `0x${wallet.address.slice(2).toUpperCase()}` }),
    ),
    changed(payment, said => Object.assign(authorization(said), { value: '010000' })),
  ]
  for (const twin of twins) {
    const reply = await door.hash({ 'payment-signature': twin }, 'another text')
    expect([reply.statusCode, reply.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
  }
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})

test('a payment in one token that says it is another is not signed', async () => {
  await using door = await openPaidDoor()
  const payment = changed(door.chain.wallet().pay(10_000n), said =>
    Object.assign(said.accepted!, { asset: EURC!.address }),
  )
  const reply = await door.hash({ 'payment-signature': payment })
  expect([reply.statusCode, reply.json().code]).toEqual([401, 'INVALID_PAYMENT_SIGNATURE'])
  expect(await rows(door.floor.db, 'select 1 from svc.wallet')).toEqual([])
})

test.each<[string, (said: Said) => void, number, string]>([
  ['another network', said => Object.assign(said, { network: 'base' }), 402, 'invalid_exact_evm_network_mismatch'],
  ['another scheme', said => Object.assign(said, { scheme: 'upto' }), 402, 'invalid_exact_evm_scheme'],
  [
    'a changed value',
    said => Object.assign(authorization(said), { value: '90000' }),
    401,
    'invalid_exact_evm_signature',
  ],
  [
    'another recipient',
    said => Object.assign(authorization(said), { to: `0x${'1'.repeat(40)}` }),
    402,
    'invalid_exact_evm_recipient_mismatch',
  ],
  ['a negative value', said => Object.assign(authorization(said), { value: '-10000' }), 402, 'invalid_payload'],
  [
    'a value past all numbers',
    said => Object.assign(authorization(said), { value: '9'.repeat(79) }),
    402,
    'invalid_payload',
  ],
])('version 1 with %s is refused alike', async (_name, change, status, reason) => {
  await using door = await openPaidDoor()
  const payment = changed(door.chain.wallet().pay(10_000n, { version: 1 }), change)
  const reply = await door.hash({ 'x-payment': payment })
  expect([reply.statusCode, reply.json().reason]).toEqual([status, reason])
  expect([door.chain.broadcast.length, await rows(door.floor.db, 'select 1 from svc.payment')]).toEqual([0, []])
})

test('the same authorization in both versions at once is one payment', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const more = { nonce: `0x${'cd'.repeat(32)}` }
  const [second, first] = [wallet.pay(10_000n, more), wallet.pay(10_000n, { ...more, version: 1 })]
  const replies = await Promise.all([
    door.hash({ 'payment-signature': second }, 'one'),
    door.hash({ 'x-payment': first }, 'two'),
  ])
  expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 9_000n])
})
