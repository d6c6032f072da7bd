import { expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { FAKE_NETWORK } from '../../support/chain/fake-chain.ts'
import { decodeHeader, openPaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'

type PaymentJson = Record<string, Record<string, unknown>>
const [, EURC] = FAKE_NETWORK.assets

function changePayment(header: string, change: (json: PaymentJson) => void): string {
  const json = decodeHeader(header) as unknown as PaymentJson
  change(json)
  return Buffer.from(JSON.stringify(json)).toString('base64')
}

const authorization = (json: PaymentJson) => json.payload!.authorization as Record<string, string>

test('an authorization in another spelling is the same authorization', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n, { nonce: `0x${'ab'.repeat(32)}` })
  expect((await api.hash({ 'payment-signature': payment })).statusCode).toBe(200)
  const variants = [
    changePayment(payment, json => Object.assign(authorization(json), { nonce: `0x${'AB'.repeat(32)}` })),
    changePayment(payment, json =>
      Object.assign(authorization(json), { from: `0x${wallet.address.slice(2).toUpperCase()}` }),
    ),
    changePayment(payment, json => Object.assign(authorization(json), { value: '010000' })),
  ]
  for (const variant of variants) {
    const reply = await api.hash({ 'payment-signature': variant }, 'another text')
    expect([reply.statusCode, reply.json().reason]).toEqual([402, 'invalid_exact_evm_nonce_already_used'])
  }
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})

test('a payment signed for one token is not valid for another', async () => {
  await using api = await openPaidApi()
  const payment = changePayment(api.chain.wallet().pay(10_000n), json =>
    Object.assign(json.accepted!, { asset: EURC!.address }),
  )
  const reply = await api.hash({ 'payment-signature': payment })
  expect([reply.statusCode, reply.json().code]).toEqual([401, 'INVALID_PAYMENT_SIGNATURE'])
  expect(await rows(api.context.db, 'select 1 from svc.wallet')).toEqual([])
})

test.each<[string, (json: PaymentJson) => void, number, string]>([
  ['another network', json => Object.assign(json, { network: 'base' }), 402, 'invalid_exact_evm_network_mismatch'],
  ['another scheme', json => Object.assign(json, { scheme: 'upto' }), 402, 'invalid_exact_evm_scheme'],
  [
    'a changed value',
    json => Object.assign(authorization(json), { value: '90000' }),
    401,
    'invalid_exact_evm_signature',
  ],
  [
    'another recipient',
    json => Object.assign(authorization(json), { to: `0x${'1'.repeat(40)}` }),
    402,
    'invalid_exact_evm_recipient_mismatch',
  ],
  ['a negative value', json => Object.assign(authorization(json), { value: '-10000' }), 402, 'invalid_payload'],
  [
    'a value that is too large',
    json => Object.assign(authorization(json), { value: '9'.repeat(79) }),
    402,
    'invalid_payload',
  ],
])('version 1 with %s is refused in the same way', async (_name, change, status, reason) => {
  await using api = await openPaidApi()
  const payment = changePayment(api.chain.wallet().pay(10_000n, { version: 1 }), change)
  const reply = await api.hash({ 'x-payment': payment })
  expect([reply.statusCode, reply.json().reason]).toEqual([status, reason])
  expect([api.chain.broadcast.length, await rows(api.context.db, 'select 1 from svc.payment')]).toEqual([0, []])
})

test('the same authorization in both versions at once is one payment', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const options = { nonce: `0x${'cd'.repeat(32)}` }
  const [second, first] = [wallet.pay(10_000n, options), wallet.pay(10_000n, { ...options, version: 1 })]
  const replies = await Promise.all([
    api.hash({ 'payment-signature': second }, 'one'),
    api.hash({ 'x-payment': first }, 'two'),
  ])
  expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 9_000n])
})
