import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Facilitator } from '#kit'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import { openFacilitator } from '../../../ops/providers/chain/open.ts'
import { RemoteFacilitator } from '../../../ops/providers/chain/remote-facilitator.ts'
import { openSenderQueue } from '../../../sql/sender.ts'
import { type Evm, openEvm, PAYEE, signPayment, USDC } from '../../support/chain/evm.ts'
import { openRemoteFacilitator } from '../../support/chain/remote-facilitator.ts'
import { compile } from '../../support/chain/solidity.ts'

let evm: Evm
let remote: Awaited<ReturnType<typeof openRemoteFacilitator>>
let facilitator: Facilitator

beforeAll(async () => {
  evm = await openEvm()
  remote = await openRemoteFacilitator(evm.rpcUrl)
  const { rpcUrl: _, ...known } = NETWORKS.dev
  facilitator = new RemoteFacilitator({
    network: { ...known, payTo: PAYEE },
    rpcUrl: evm.rpcUrl,
    url: remote.url,
    token: 'the token of the test',
    log: { warn: () => undefined },
    timeouts: { verifyMs: 2_000, settleMs: 1_000 },
  })
})
beforeEach(() => remote.setMode('ok'))
afterAll(async () => {
  await remote[Symbol.asyncDispose]()
  await evm.stop()
})

test.each(['ok', 'slow'] as const)('a facilitator that is %s settles for us', async mode => {
  const payer = await evm.payer(30_000n)
  const payment = await signPayment(payer)
  const before = await evm.balance(PAYEE)
  remote.setMode(mode)
  expect(await facilitator.verifySignature(payment)).toBe(true)
  expect(await facilitator.checkOnChain(payment)).toEqual({ ok: true })
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(PAYEE)).toBe(before + 10_000n)
  expect(await facilitator.find(payment)).toMatchObject({
    state: 'used',
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect(remote.requests.at(-1)).toEqual({ path: '/v2/settle', token: 'Bearer the token of the test' })
})

test('a facilitator that settles without an answer is not asked to settle twice', async () => {
  const payer = await evm.payer(30_000n)
  const payment = await signPayment(payer)
  remote.setMode('hangs')
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(payer.address)).toBe(20_000n)
  remote.setMode('ok')
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(payer.address)).toBe(20_000n)
})

test.each(['pending', 'duplicate'] as const)(
  'a payment with the answer %s is settled if the chain shows it',
  async mode => {
    const payer = await evm.payer(30_000n)
    const payment = await signPayment(payer)
    remote.setMode(mode)
    expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
    expect(await evm.balance(payer.address)).toBe(20_000n)
  },
)

test.each(['fails', 'garbage'] as const)('a facilitator in mode %s leaves the payment open and unpaid', async mode => {
  const payer = await evm.payer(30_000n)
  const payment = await signPayment(payer)
  remote.setMode(mode)
  await expect(facilitator.checkOnChain(payment)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  expect(await facilitator.settle(payment)).toEqual({ status: 'unknown', txHash: undefined })
  expect(await evm.balance(payer.address)).toBe(30_000n)
  remote.setMode('ok')
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(payer.address)).toBe(20_000n)
})

test('a refusal keeps the reason of the facilitator', async () => {
  const payer = await evm.payer(30_000n)
  const elsewhere = await signPayment(payer, { to: USDC.address })
  const reason = 'invalid_exact_evm_recipient_mismatch'
  expect(await facilitator.checkOnChain(elsewhere)).toEqual({ ok: false, reason })
  expect(await facilitator.settle(elsewhere)).toEqual({ status: 'failed', reason })
  const cancelled = await signPayment(payer)
  await evm.cancel(payer, cancelled.authorization.nonce)
  expect(await facilitator.settle(cancelled)).toMatchObject({ status: 'failed' })
  expect(await facilitator.find(cancelled)).toMatchObject({ state: 'cancelled' })
  expect(await evm.balance(payer.address)).toBe(30_000n)
})

test('the facilitator checks contract wallets, but not keys', async () => {
  const { Wallet } = compile(new URL('../../support/chain/wallet.sol', import.meta.url))
  const owner = await evm.payer(0n)
  const wallet = await evm.deploy(Wallet!.creation, ['constructor(address owner)'], [owner.address])
  await evm.mint(wallet, 30_000n)
  expect(await facilitator.verifySignature(await signPayment(owner, { from: wallet }))).toBe(true)
  const thief = await evm.payer(0n)
  expect(await facilitator.verifySignature(await signPayment(thief, { from: wallet }))).toBe(false)
  const requestCount = remote.requests.length
  expect(await facilitator.verifySignature(await signPayment(owner))).toBe(true)
  expect(await facilitator.verifySignature(await signPayment(thief, { from: owner.address }))).toBe(false)
  expect(remote.requests).toHaveLength(requestCount)
  const message = 'Sign in'
  const signature = await owner.signMessage({ message })
  expect(await facilitator.verifyMessage({ address: wallet, message, signature })).toBe(true)
  expect(await facilitator.verifyMessage({ address: thief.address, message, signature })).toBe(false)
})

test('without a way to settle there is no facilitator', async () => {
  const paid = { network: 'base', payTo: PAYEE, factories: [] } as const
  expect(await openFacilitator({ logLevel: 'silent' }, openSenderQueue)).toBeUndefined()
  expect(await openFacilitator({ logLevel: 'silent', x402: paid }, openSenderQueue)).toBeUndefined()
  const remoteOnly = await openFacilitator(
    { logLevel: 'silent', x402: { ...paid, facilitator: { url: remote.url } } },
    openSenderQueue,
  )
  expect(remoteOnly?.network()).toMatchObject({ caip2: 'eip155:8453', payTo: PAYEE })
  const mistyped = `${PAYEE.slice(0, -1)}9`
  await expect(
    openFacilitator({ logLevel: 'silent', x402: { ...paid, payTo: mistyped } }, openSenderQueue),
  ).rejects.toThrow('X402_PAY_TO')
})
