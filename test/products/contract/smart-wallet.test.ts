import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import { type Evm, openEvm, openOwnFacilitator } from '../../support/chain/evm.ts'
import { compile } from '../../support/chain/solidity.ts'
import { callAnonymously, openUser } from '../../support/contracts/parties.ts'
import { openVerifier } from '../../support/contracts/verifier.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

const { Wallet, Factory } = compile(new URL('../../support/chain/wallet.sol', import.meta.url))
const ABI = parseAbi([
  'function make(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
])
const SALT = `0x${'07'.repeat(32)}` as const

let evm: Evm
let api: InProcessApi
let factory: Hex
let close: () => Promise<void>
beforeAll(async () => {
  evm = await openEvm()
  factory = await evm.deploy(Factory!.creation)
  const opened = await openOwnFacilitator(evm, { factories: [factory] })
  api = await openInProcessApi({}, opened.facilitator)
  close = () => opened[Symbol.asyncDispose]()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await close()
  await evm[Symbol.asyncDispose]()
})

const owner = privateKeyToAccount(generatePrivateKey())

/** A contract for the wallet at this address, and a way to sign it with any key, its signature changed if that is wanted. */
async function openContract(address: string, chainId = NETWORKS.dev.chainId) {
  const creator = await openUser(api)
  const parties = [
    { key: 'seller', method: 'wallet', address },
    { key: 'buyer', method: 'account', customerId: creator.accountId },
  ]
  const { body: made } = await creator.own('POST', '', { title: 'Data', terms: 'Rows', parties, chainId })
  const { signPayload: data } = made.parties[0]
  const sign = async (by = owner, wrap = (signature: Hex) => signature) => {
    const signature = wrap(await by.signTypedData(data))
    const body = { partyKey: 'seller', signature, address, signedAt: data.message.signedAt }
    const token = new URL(made.partyUrls[0].url).pathname.split('/').at(-1)
    return callAnonymously(api, 'POST', `${token}/sign`, body)
  }
  return { creator, made, sign }
}

test('a wallet that is a contract signs by the key of its owner alone, as its chain says (ERC-1271)', async () => {
  const address = await evm.deploy(Wallet!.creation, ['constructor(address owner)'], [owner.address])
  const { creator, made, sign } = await openContract(address)
  expect((await sign(privateKeyToAccount(generatePrivateKey()))).body.code).toBe('SIGNATURE_INVALID')
  const { status, body } = await sign()
  expect([status, body.parties[0].status]).toEqual([200, 'signed'])
  const { body: bundle } = await creator.own('GET', `/${made.id}/bundle`)
  await using folder = await openVerifier(api)
  expect(await folder.verify(JSON.stringify(bundle))).toContain('only chain 84532 can tell')
  const forged = JSON.stringify(bundle).replaceAll(/(checkedBy\\*"\s*:\s*\\*")chain/g, '$1key')
  expect(await folder.verify(forged)).toContain('WRONG')
})

test('a wallet that is not deployed yet signs by its factory, if the operator knows that (ERC-6492)', async () => {
  const args = [owner.address, SALT] as const
  const address = await evm.client.readContract({ address: factory, abi: ABI, functionName: 'addressOf', args })
  const deployment = encodeFunctionData({ abi: ABI, functionName: 'make', args })
  const parameters = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
  const wrapFor = (maker: Hex) => (signature: Hex) =>
    `${encodeAbiParameters(parameters, [maker, deployment, signature])}${'6492'.repeat(16)}` as Hex
  const { sign } = await openContract(address)
  expect((await sign(owner, wrapFor(address))).body.code).toBe('SIGNATURE_INVALID')
  expect((await sign(owner, wrapFor(factory))).status).toBe(200)
})

test('the chain that is configured says nothing about a wallet of another chain', async () => {
  const address = await evm.deploy(Wallet!.creation, ['constructor(address owner)'], [owner.address])
  const { sign } = await openContract(address, 8_453)
  expect((await sign()).body.code).toBe('SIGNATURE_INVALID')
  const { status, body } = await sign(owner, signature => `${signature}00`)
  expect([status, body.code, body.chainId]).toEqual([503, 'PROVIDER_NOT_CONFIGURED', 8_453])
})
