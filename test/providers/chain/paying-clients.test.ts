import { wrapAxiosWithPayment, x402Client as X402AxiosClient } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import axios from 'axios'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithVersion1 } from 'x402-fetch'
import { loadCatalog } from '../../../api/catalog.ts'
import { findHowTo } from '../../../api/surfaces/how-to/load.ts'
import { printPrograms } from '../../../api/surfaces/how-to/programs.ts'
import { listClientCalls } from '../../../api/surfaces/sdk/calls.ts'
import { Client } from '../../../api/surfaces/sdk/typescript/client.ts'
import type { ClientOptions } from '../../../api/surfaces/sdk/typescript/types.ts'
import { buildDevChainVariables } from '../../../ops/dev-chain/wallets.ts'
import { EURC, type Evm, openEvm, PAYEE, type Payer, USDC } from '../../support/chain/evm.ts'
import { installClients, installPython } from '../../support/clients/install.ts'
import { runProgram } from '../../support/how-to/run.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let evm: Evm
let stack: Stack

beforeAll(async () => {
  evm = await openEvm()
  stack = await startStack({ env: buildDevChainVariables(evm.rpcUrl) as Record<string, string> })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await evm.stop()
})

const hello = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"hello"}' }
const HASH = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const call = (pay: typeof fetch) => pay(`${stack.url}/v1/utils/hash`, hello)
const createPayingClient = (payer: Payer) => new x402Client().register('eip155:*', new ExactEvmScheme(payer as never))

test('the reference client pays in USDC; nine more calls are drawn from that payment', async () => {
  const payer = await evm.payer(50_000n)
  const paid = await evm.balance(PAYEE)
  const pay = wrapFetchWithPayment(fetch, createPayingClient(payer))
  const first = await call(pay)
  expect(first.status).toBe(200)
  expect(await first.json()).toMatchObject({ hashes: { sha256: HASH } })
  const receipt = decodePaymentResponseHeader(first.headers.get('payment-response')!)
  expect(receipt).toMatchObject({ success: true, network: 'eip155:84532', payer: payer.address })
  const hash = receipt.transaction as `0x${string}`
  expect(await evm.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  for (let callNumber = 1; callNumber < 10; callNumber++) {
    const reply = await call(pay)
    expect(reply.status).toBe(200)
    expect(decodePaymentResponseHeader(reply.headers.get('payment-response')!)).toMatchObject({ transaction: '' })
  }
  expect(await evm.balance(payer.address)).toBe(40_000n)
  expect(await evm.balance(PAYEE)).toBe(paid + 10_000n)
})

test('the client for axios pays, and gets the 401 of a free route as its server sent it', async () => {
  const payer = await evm.payer(50_000n)
  const client = new X402AxiosClient().register('eip155:*', new ExactEvmScheme(payer as never))
  const pay = wrapAxiosWithPayment(axios.create({ baseURL: stack.url }), client)
  const paid = await pay.post('/v1/utils/hash', { text: 'hello' })
  expect(paid.data).toMatchObject({ hashes: { sha256: HASH } })
  expect(decodePaymentResponseHeader(String(paid.headers['payment-response']))).toMatchObject({ payer: payer.address })
  const free = await pay.get('/v1/account', { validateStatus: null })
  expect([free.status, free.data]).toMatchObject([401, { code: 'MISSING_AUTH' }])
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a client of version 1 pays from the body of the same 402', async () => {
  const payer = await evm.payer(50_000n)
  const reply = await call(wrapFetchWithVersion1(fetch, payer as never) as typeof fetch)
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ hashes: { sha256: HASH } })
  const receipt = decodeXPaymentResponse(reply.headers.get('x-payment-response')!)
  expect(receipt).toMatchObject({ success: true, network: 'base-sepolia', payer: payer.address })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a client that allows EURC pays in EURC', async () => {
  const payer = await evm.payer(0n)
  await evm.mint(payer.address, 50_000n, EURC)
  const client = createPayingClient(payer)
    .setSpendControls({ allowedAssets: true })
    .registerPolicy((_version, offers) => offers.filter(({ asset }) => asset === EURC.address))
  const paid = await evm.balance(PAYEE, EURC)
  expect((await call(wrapFetchWithPayment(fetch, client))).status).toBe(200)
  expect(await evm.balance(payer.address, EURC)).toBe(40_000n)
  expect(await evm.balance(PAYEE, EURC)).toBe(paid + 10_000n)
})

test('ten simultaneous calls of a wallet without credit are one payment on the chain', async () => {
  const payer = await evm.payer(200_000n)
  const pay = wrapFetchWithPayment(fetch, createPayingClient(payer))
  const replies = await Promise.all(Array.from({ length: 10 }, () => call(pay)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(await evm.balance(payer.address)).toBe(190_000n)
})

test('a wallet pays for a baton, uses it as the file of a call and has an answer delivered to it', async () => {
  const payer = await evm.payer(1_000_000n)
  const pay = wrapFetchWithPayment(fetch, createPayingClient(payer))
  const post = async (path: string, body: object) => {
    const reply = await pay(`${stack.url}${path}`, { ...hello, body: JSON.stringify(body) })
    return { status: reply.status, body: await reply.json() }
  }
  const { status, body: baton } = await post('/v1/baton', { preset: 'scratchpad', tier: 'femto', content: 'hello' })
  expect(status).toBe(201)
  const read = await post('/v1/utils/hash', { file: { batonId: baton.id, entryRef: 1 } })
  expect([read.status, read.body.hashes]).toEqual([200, { sha256: HASH }])
  const delivered = await post('/v1/utils/hash', { text: 'hello', deliver: { batonId: baton.id } })
  expect([delivered.status, delivered.body.delivered]).toEqual([200, { batonId: baton.id, entryRef: 2 }])
  const made = await post('/v1/utils/hash', { text: 'hello', deliver: { new: { preset: 'drop', tier: 'femto' } } })
  expect(made.status).toBe(200)
  const again = await post('/v1/utils/hash', { file: { batonId: made.body.delivered.batonId } })
  expect(again.status).toBe(200)
  const other = createPayingClient(await evm.payer(50_000n))
  const refused = await wrapFetchWithPayment(fetch, other)(`${stack.url}/v1/utils/hash`, {
    ...hello,
    body: JSON.stringify({ file: { batonId: baton.id, entryRef: 1 } }),
  })
  expect([refused.status, (await refused.json()).code]).toEqual([404, 'INPUT_NOT_FOUND'])
})

test('an empty wallet is refused and not served', async () => {
  const payer = await evm.payer(0n)
  const reply = await call(wrapFetchWithPayment(fetch, createPayingClient(payer)))
  expect(reply.status).toBe(402)
  expect(await reply.text()).not.toContain(HASH)
  const settlement = decodePaymentResponseHeader(reply.headers.get('payment-response')!)
  expect(settlement).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_insufficient_balance' })
})

test('with an unreachable chain no payment is taken', async () => {
  const payer = await evm.payer(50_000n)
  await using elsewhere = await startStack({
    worker: false,
    env: { ...buildDevChainVariables('http://127.0.0.1:9') } as never,
  })
  const pay = wrapFetchWithPayment(fetch, createPayingClient(payer))
  const reply = await pay(`${elsewhere.url}/v1/utils/hash`, hello)
  expect(reply.status).toBe(503)
  expect(await reply.json()).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  expect(await evm.balance(payer.address)).toBe(50_000n)
})

test('our own clients pay with a private key or an account, sign in for what is free, and keep to their limit', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const calls = listClientCalls(entries.map(({ price, ...entry }) => ({ ...entry, isPaid: price !== undefined })))
  const installation = { url: stack.url, maxInlineBytes: 1_000, assets: [USDC.address], calls }
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  await evm.mint(address, 50_000n)
  const open = (options: ClientOptions) => new Client(installation, options) as never as OwnClient
  const client = open({ wallet: privateKey })
  expect(await client.utils.hash({ text: 'hello' })).toMatchObject({ hashes: { sha256: HASH } })
  const byAccount = open({ wallet: privateKeyToAccount(privateKey) })
  expect(await byAccount.utils.hash({ file: Buffer.alloc(2_000, 'a') })).toMatchObject({ sizeBytes: 2_000 })
  const { wallets } = await client.account.profile()
  expect(wallets).toEqual([expect.objectContaining({ address })])
  const poor = open({ wallet: privateKey, maxPaymentUsd: 0.001 }).utils.hash({ text: 'a' })
  await expect(poor).rejects.toMatchObject({ code: 'PAYMENT_REFUSED', hints: { amountMicros: '10000' } })
  const others = new Client({ ...installation, assets: [] }, { wallet: privateKey }) as never as OwnClient
  await expect(others.utils.hash({ text: 'a' })).rejects.toMatchObject({ code: 'PAYMENT_REFUSED' })
  await using folder = await freshFolder()
  const python = await installPython(stack.url, folder.path)
  const paid = await python(
    `
import json, sys, coinop
client = coinop.Coinop(wallet=json.loads(sys.argv[1])["wallet"])
charges = []
options = coinop.CallOptions(on_charge=lambda charge: charges.append(charge.charged_micros))
client.utils.hash({"text": "hello"}, options)
ticket = client.utils.hash.start(file=b"a" * 5_000_000)
print(json.dumps([charges, ticket.wait()["sizeBytes"], client.account.profile()["wallets"][0]["address"]]))`,
    { wallet: privateKey },
  )
  expect(paid).toEqual([[1_000], 5_000_000, address])
  expect(await evm.balance(address)).toBe(40_000n)
})

test('the page about paying without an account works as printed', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const page = findHowTo('pay-without-an-account')!
  const clients = await installClients(stack, (await stack.customer()).key)
  const wallet = generatePrivateKey()
  const { address } = privateKeyToAccount(wallet)
  await evm.mint(address, 50_000n)
  const run = (language: string, code: string) => runProgram(clients, { language, code, page, env: { WALLET: wallet } })
  const [[, curl], ...others] = printPrograms(page, entries, stack.url)
  await expect(run('curl', curl!)).rejects.toMatchObject({ stdout: expect.stringContaining('PAYMENT_REQUIRED') })
  for (const [language, code] of others) expect(await run(language, code)).toContain(HASH)
  expect(others.map(([language]) => language)).toEqual(['TypeScript', 'Python'])
  expect(await evm.balance(address)).toBe(40_000n)
})

interface OwnClient {
  utils: { hash(input: object): Promise<{ sizeBytes: number }> }
  account: { profile(): Promise<{ wallets: object[] }> }
}
