import { encodeAbiParameters, encodeFunctionData, hashTypedData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facilitator } from '#kit'
import { EURC, type Evm, openEvm, openOwnFacilitator, PAYEE, signPayment, USDC } from '../../support/chain/evm.ts'
import { compile } from '../../support/chain/solidity.ts'

let evm: Evm
let own: Awaited<ReturnType<typeof openOwnFacilitator>>
let facilitator: Facilitator

beforeAll(async () => {
  evm = await openEvm()
  own = await openOwnFacilitator(evm)
  facilitator = own.facilitator
})
afterAll(async () => {
  await own[Symbol.asyncDispose]()
  await evm.stop()
})

const now = () => BigInt(Math.floor(Date.now() / 1000))

test.each([
  ['USDC', USDC],
  ['EURC', EURC],
] as const)('settling moves %s from the payer to us', async (symbol, asset) => {
  const payer = await evm.payer(0n)
  await evm.mint(payer.address, 25_000n, asset)
  const before = await evm.balance(PAYEE, asset)
  const payment = await signPayment(payer, { symbol })
  expect(await facilitator.verifySignature(payment)).toBe(true)
  expect(await facilitator.checkOnChain(payment)).toEqual({ ok: true })
  expect(await facilitator.find(payment)).toMatchObject({ state: 'unused' })
  const settlement = await facilitator.settle(payment)
  expect(settlement).toMatchObject({ status: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  expect(await evm.balance(payer.address, asset)).toBe(15_000n)
  expect(await evm.balance(PAYEE, asset)).toBe(before + 10_000n)
  expect(await facilitator.find(payment)).toMatchObject({
    state: 'used',
    txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
})

test('settling a payment again moves no money and finds the transaction', async () => {
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const first = await facilitator.settle(payment)
  expect(await facilitator.settle(payment)).toEqual(first)
  expect(await evm.balance(payer.address)).toBe(40_000n)
  const replay = await signPayment(payer, { nonce: payment.authorization.nonce, value: 20_000n })
  expect(await facilitator.checkOnChain(replay)).toEqual({ ok: false, reason: 'invalid_exact_evm_nonce_already_used' })
  expect(await facilitator.settle(replay)).toEqual({ status: 'failed', reason: 'invalid_exact_evm_nonce_already_used' })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('two authorizations with one nonce in one transaction count once', async () => {
  const payer = await evm.payer(50_000n)
  const thirdParty = await evm.payer(0n)
  const intended = await signPayment(payer)
  const diverted = await signPayment(payer, { to: thirdParty.address, nonce: intended.authorization.nonce })
  const other = await signPayment(payer)
  const bundle = await evm.deploy(compile(new URL('../../support/chain/wallet.sol', import.meta.url)).Bundle!.creation)
  const { encodeTransfer } = await import('../../../ops/providers/chain/token.ts')
  const data = encodeFunctionData({
    abi: parseAbi(['function both(address coin, bytes first, bytes second)']),
    functionName: 'both',
    args: [USDC.address as never, encodeTransfer(diverted, false).data, encodeTransfer(other, false).data],
  })
  expect((await evm.send(bundle, data)).status).toBe('success')
  expect(await facilitator.settle(other)).toMatchObject({ status: 'settled' })
  expect(await facilitator.settle(intended)).toEqual({
    status: 'failed',
    reason: 'invalid_exact_evm_nonce_already_used',
  })
  expect(await facilitator.find(intended)).toMatchObject({ state: 'cancelled' })
})

test.each([
  ['has expired', { validBefore: now() - 60n }, 'invalid_exact_evm_payload_authorization_valid_before'],
  ['is not valid yet', { validAfter: now() + 600n }, 'invalid_exact_evm_payload_authorization_valid_after'],
  ['pays another address', { to: USDC.address }, 'invalid_exact_evm_recipient_mismatch'],
  ['pays nothing', { value: 0n }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ['is more than the payer has', { value: 2_000_000n }, 'invalid_exact_evm_insufficient_balance'],
  ['is signed for another chain', { domain: { chainId: 1 } }, 'invalid_exact_evm_signature'],
  ['is signed under another name', { domain: { name: 'USD Coin' } }, 'invalid_exact_evm_signature'],
])('a payment that %s is not sent', async (_what, draft, reason) => {
  const payer = await evm.payer()
  const payment = await signPayment(payer, draft)
  const before = await evm.client.getTransactionCount({ address: facilitator.signers()[0] as never })
  expect(await facilitator.settle(payment)).toEqual({ status: 'failed', reason })
  expect(await facilitator.verifySignature(payment)).toBe(reason !== 'invalid_exact_evm_signature')
  expect(await evm.client.getTransactionCount({ address: facilitator.signers()[0] as never })).toBe(before)
})

test('an empty wallet and a cancelled nonce are refused', async () => {
  const unfunded = await signPayment(await evm.payer(0n))
  expect(await facilitator.checkOnChain(unfunded)).toEqual({
    ok: false,
    reason: 'invalid_exact_evm_insufficient_balance',
  })
  const payer = await evm.payer()
  const payment = await signPayment(payer)
  await evm.cancel(payer, payment.authorization.nonce)
  await expect.poll(() => facilitator.find(payment)).toMatchObject({ state: 'cancelled' })
  expect(await facilitator.checkOnChain(payment)).toMatchObject({ reason: 'invalid_exact_evm_nonce_already_used' })
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'failed' })
  expect(await evm.balance(payer.address)).toBe(1_000_000n)
})

test('only the owner of a contract wallet can pay with it', async () => {
  const { Wallet } = compile(new URL('../../support/chain/wallet.sol', import.meta.url))
  const owner = await evm.payer(0n)
  const wallet = await evm.deploy(Wallet!.creation, ['constructor(address owner)'], [owner.address])
  await evm.mint(wallet, 30_000n)
  const payment = await signPayment(owner, { from: wallet })
  expect(await facilitator.verifySignature(payment)).toBe(true)
  expect(await facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(wallet)).toBe(20_000n)
  const stolen = await signPayment(await evm.payer(0n), { from: wallet })
  expect(await facilitator.verifySignature(stolen)).toBe(false)
  expect(await facilitator.settle(stolen)).toEqual({ status: 'failed', reason: 'invalid_exact_evm_signature' })
  expect(await evm.balance(wallet)).toBe(20_000n)
  const message = 'Sign in'
  const signature = await owner.signMessage({ message })
  expect(await facilitator.verifyMessage({ address: wallet, message, signature })).toBe(true)
  expect(await facilitator.verifyMessage({ address: owner.address, message, signature })).toBe(true)
  expect(await facilitator.verifyMessage({ address: wallet, message: 'Sign out', signature })).toBe(false)
})

test('an undeployed wallet pays only if its factory is on the list', async () => {
  const { Factory } = compile(new URL('../../support/chain/wallet.sol', import.meta.url))
  const factory = await evm.deploy(Factory!.creation)
  const owner = await evm.payer(0n)
  const salt = `0x${'07'.repeat(32)}` as const
  const abi = parseAbi([
    'function make(address owner, bytes32 salt) returns (address)',
    'function addressOf(address owner, bytes32 salt) view returns (address)',
  ])
  const args = [owner.address, salt] as const
  const wallet = await evm.client.readContract({ address: factory, abi, functionName: 'addressOf', args })
  await evm.mint(wallet, 30_000n)
  const plain = await signPayment(owner, { from: wallet })
  const parameters = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
  const deployment = encodeFunctionData({ abi, functionName: 'make', args })
  const wrapped = encodeAbiParameters(parameters, [factory, deployment, plain.signature as `0x${string}`])
  const payment = { ...plain, signature: `${wrapped}${'6492'.repeat(16)}` }
  expect(await facilitator.verifySignature(payment)).toBe(false)
  expect(await facilitator.settle(payment)).toEqual({ status: 'failed', reason: 'eip6492_factory_not_allowed' })

  await using open = await openOwnFacilitator(evm, { factories: [factory] })
  expect(await open.facilitator.verifySignature(payment)).toBe(true)
  expect(await open.facilitator.checkOnChain(payment)).toEqual({ ok: true })
  expect(await open.facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(wallet)).toBe(20_000n)
  expect(await open.facilitator.verifySignature(payment)).toBe(true)
})

test('only one form of a signature is accepted', async () => {
  const payer = await evm.payer()
  const payment = await signPayment(payer)
  const { signature } = payment
  const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const high = (curveOrder - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const flipped = signature.endsWith('1b') ? '1c' : '1b'
  const verify = (changed: string) => facilitator.verifySignature({ ...payment, signature: changed })
  expect(await verify(signature)).toBe(true)
  expect(await verify(signature.slice(0, 66) + high + flipped)).toBe(false)
  expect(await verify(signature.slice(0, 130) + flipped)).toBe(false)
  expect(await verify(`${signature.slice(0, 130)}1d`)).toBe(false)
  expect(await verify(signature.slice(0, 130))).toBe(false)
  expect(await verify(`0x${'00'.repeat(64)}1b`)).toBe(false)
  expect(await verify(`0x${'ff'.repeat(64)}1b`)).toBe(false)
  expect(await verify('0x')).toBe(false)
  // Some hardware wallets write the same signature differently; the token gets the form it accepts.
  const bare = signature.slice(0, 130) + (signature.endsWith('1b') ? '00' : '01')
  expect(await verify(bare)).toBe(true)
  expect(await facilitator.settle({ ...payment, signature: bare })).toMatchObject({ status: 'settled' })
})

test('our digest equals the one of the general function', async () => {
  const { computeDigest, computeDomains } = await import('../../../ops/providers/chain/digest.ts')
  const payer = await evm.payer(0n)
  const { authorization } = await signPayment(payer, { value: 123_456_789n, validAfter: 7n })
  const domain = computeDomains(facilitator.network()).get(USDC.address.toLowerCase())!
  const names = { from: 'address', to: 'address', value: 'uint256', validAfter: 'uint256', validBefore: 'uint256' }
  const types = Object.entries({ ...names, nonce: 'bytes32' }).map(([name, type]) => ({ name, type }))
  const expected = hashTypedData({
    domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: USDC.address as never },
    types: { TransferWithAuthorization: types },
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
  })
  expect(`0x${Buffer.from(computeDigest(domain, authorization)).toString('hex')}`).toBe(expected)
})
