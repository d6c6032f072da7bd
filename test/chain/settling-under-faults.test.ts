import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facilitator } from '#kit'
import { DEV_WALLETS } from '../../ops/chain/dev-wallets.ts'
import { NETWORKS } from '../../ops/chain/networks.ts'
import { OwnFacilitator } from '../../ops/chain/own-facilitator.ts'
import { ChainReader } from '../../ops/chain/reader.ts'
import { openSenderQueue } from '../../sql/sender.ts'
import { freshDatabase } from '../support/database.ts'
import { type Evm, openEvm, openOwn, PAYEE, signPayment } from '../support/evm.ts'
import { eventually } from '../support/until.ts'

let evm: Evm
beforeAll(async () => {
  evm = await openEvm()
})
afterAll(() => evm.stop())

const settler = DEV_WALLETS.settler.address

test('settlements at once, of two processes with one wallet, all get through and leave no gap', async () => {
  await using home = await freshDatabase()
  await using one = await openOwn(evm, { url: home.url })
  await using two = await openOwn(evm, { url: home.url })
  const [paid, used] = [await evm.balance(PAYEE), await evm.client.getTransactionCount({ address: settler })]
  const payers = await Promise.all(Array.from({ length: 10 }, () => evm.payer(10_000n)))
  const payments = await Promise.all(payers.map(payer => signPayment(payer)))
  const settlements = await Promise.all(
    payments.map((payment, index) => (index % 2 ? one : two).facilitator.settle(payment)),
  )
  expect(settlements.map(({ status }) => status)).toEqual(payments.map(() => 'settled'))
  expect(await evm.balance(PAYEE)).toBe(paid + 100_000n)
  expect(await evm.client.getTransactionCount({ address: settler })).toBe(used + 10)
})

test('one payment that is settled in two processes at once moves once', async () => {
  await using home = await freshDatabase()
  await using one = await openOwn(evm, { url: home.url })
  await using two = await openOwn(evm, { url: home.url })
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const both = await Promise.all([one, two, one].map(({ facilitator }) => facilitator.settle(payment)))
  expect(both.map(({ status }) => status)).toEqual(['settled', 'settled', 'settled'])
  expect(new Set(both.map(settlement => 'txHash' in settlement && settlement.txHash)).size).toBe(1)
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('what somebody else has broadcast counts as settled', async () => {
  await using own = await openOwn(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const { transferOf } = await import('../../ops/chain/coin.ts')
  const { to, data } = transferOf(payment, false)
  const { transactionHash } = await evm.send(to, data)
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'settled', txHash: transactionHash })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a provider that goes away in the middle leaves it open, and the next look finds it', async () => {
  await using provider = await openProvider(evm.rpcUrl)
  await using impatient = await openImpatient(provider.url)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  provider.swallowAfter('eth_sendRawTransaction')
  const first = await impatient.facilitator.settle(payment)
  expect(first).toMatchObject({ status: 'unknown', txHash: expect.stringMatching(/^0x/) })
  expect(await impatient.facilitator.settle(payment)).toMatchObject({ status: 'unknown' })
  await expect(impatient.facilitator.find(payment)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  provider.comeBack()
  const found = await impatient.facilitator.settle(payment)
  expect(found).toEqual({ status: 'settled', txHash: (first as { txHash: string }).txHash })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a transaction that never arrived is sent anew under the number that is free', async () => {
  await using provider = await openProvider(evm.rpcUrl)
  await using impatient = await openImpatient(provider.url)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const used = await evm.client.getTransactionCount({ address: settler })
  provider.loseEach('eth_sendRawTransaction')
  expect(await impatient.facilitator.settle(payment)).toMatchObject({ status: 'unknown' })
  expect(await evm.client.getTransactionCount({ address: settler })).toBe(used)
  provider.comeBack()
  expect(await impatient.facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.client.getTransactionCount({ address: settler })).toBe(used + 1)
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('without a provider a payment is neither good nor bad', async () => {
  await using own = await openOwn({ rpcUrl: 'http://127.0.0.1:9' })
  const payment = await signPayment(await evm.payer())
  const away = { code: 'PROVIDER_UNAVAILABLE' }
  await expect(own.facilitator.verifySignature(payment)).rejects.toMatchObject(away)
  await expect(own.facilitator.checkOnChain(payment)).rejects.toMatchObject(away)
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown', txHash: undefined })
})

test('a stuck transaction is replaced by one with a higher fee, and those behind it follow', async () => {
  const busy = await openEvm()
  try {
    await busy.client.setAutomine(false)
    await using own = await openImpatient(busy.rpcUrl, { receiptMs: 20_000, stuckMs: 150, pollMs: 20 })
    const payers = [privatePayer(), privatePayer()]
    for (const payer of payers) await busy.mint(payer.address, 10_000n)
    await busy.client.mine({ blocks: 1 })
    const settling = Promise.all(
      (await Promise.all(payers.map(payer => signPayment(payer)))).map(payment => own.facilitator.settle(payment)),
    )
    const feeOf = async () => {
      const { pending } = await busy.client.getTxpoolContent()
      const mine = Object.entries(pending).find(([address]) => address.toLowerCase() === settler.toLowerCase())?.[1]
      return Object.entries(mine ?? {}).map(([nonce, { maxFeePerGas }]) => [Number(nonce), BigInt(maxFeePerGas ?? 0)])
    }
    await eventually('two settlements wait', async () => (await feeOf()).length === 2)
    const before = Object.fromEntries(await feeOf()) as Record<number, bigint>
    await eventually('the first is sent again', async () => {
      const now = Object.fromEntries(await feeOf()) as Record<number, bigint>
      return now[0]! > before[0]!
    })
    await busy.client.setAutomine(true)
    await busy.client.mine({ blocks: 1 })
    expect((await settling).map(({ status }) => status)).toEqual(['settled', 'settled'])
    expect(await busy.balance(PAYEE)).toBe(20_000n)
  } finally {
    await busy.stop()
  }
})

test('a payment is found again behind many blocks', async () => {
  await using own = await openOwn(evm)
  const payment = await signPayment(await evm.payer(50_000n))
  const settled = await own.facilitator.settle(payment)
  await evm.client.mine({ blocks: 120, interval: 0 })
  const reader = new ChainReader(own.facilitator.network(), evm.rpcUrl, 50n)
  expect(await reader.look(payment)).toEqual({ state: 'used', txHash: (settled as { txHash: string }).txHash })
})

test('a payment about to end is neither sent nor given up', async () => {
  await using own = await openOwn(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer, { validBefore: BigInt(Math.floor(Date.now() / 1000) + 2) })
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown' })
  expect(await evm.balance(payer.address)).toBe(50_000n)
})

test('a settler without gas holds nothing against the payer', async () => {
  await using own = await openOwn(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const had = await evm.client.getBalance({ address: settler })
  await evm.client.setBalance({ address: settler, value: 1n })
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown', txHash: undefined })
  await evm.client.setBalance({ address: settler, value: had })
  expect(await own.facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

function privatePayer() {
  return privateKeyToAccount(generatePrivateKey())
}

/** Our own facilitator with little patience, so that a test need not wait. */
async function openImpatient(rpcUrl: string, patience = { receiptMs: 300, stuckMs: 100, pollMs: 20 }) {
  const home = await freshDatabase()
  const { rpcUrl: _, ...known } = NETWORKS.dev
  const quiet = { warn: () => undefined, error: () => undefined }
  const facilitator: Facilitator = new OwnFacilitator({
    network: { ...known, payTo: PAYEE },
    rpcUrl,
    settlerKey: DEV_WALLETS.settler.key,
    factories: [],
    queue: openSenderQueue(home.url),
    log: quiet,
    patience,
  })
  return {
    facilitator,
    async [Symbol.asyncDispose]() {
      await facilitator.close?.()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** A provider between us and the chain that can go away, before or after it has passed a request on. */
async function openProvider(target: string) {
  let mode: { kind: 'well' | 'gone' | 'swallow' | 'lose'; method?: string } = { kind: 'well' }
  const server: Server = createServer((incoming: IncomingMessage, reply: ServerResponse) => {
    const chunks: Buffer[] = []
    incoming.on('data', chunk => chunks.push(chunk as Buffer))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const isIt = mode.method !== undefined && body.includes(mode.method)
      if (mode.kind === 'gone' || (mode.kind === 'lose' && isIt)) return void reply.destroy()
      const isLast = mode.kind === 'swallow' && isIt
      if (isLast) mode = { kind: 'gone' }
      const passed = request(target, { method: 'POST', headers: { 'content-type': 'application/json' } }, answer => {
        if (isLast) {
          answer.resume()
          return void reply.destroy()
        }
        reply.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' })
        answer.pipe(reply)
      })
      passed.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallowAfter: (method: string) => {
      mode = { kind: 'swallow', method }
    },
    loseEach: (method: string) => {
      mode = { kind: 'lose', method }
    },
    comeBack: () => {
      mode = { kind: 'well' }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
