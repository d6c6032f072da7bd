import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facilitator } from '#kit'
import { DEV_WALLETS } from '../../../ops/dev-chain/wallets.ts'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import { OwnFacilitator } from '../../../ops/providers/chain/own-facilitator.ts'
import { ChainReader } from '../../../ops/providers/chain/reader.ts'
import { openSenderQueue } from '../../../sql/sender.ts'
import { type Evm, openEvm, openOwnFacilitator, PAYEE, signPayment } from '../../support/chain/evm.ts'
import { freshDatabase } from '../../support/database/fresh.ts'
import { eventually } from '../../support/machine/eventually.ts'

let evm: Evm
beforeAll(async () => {
  evm = await openEvm()
})
afterAll(() => evm.stop())

const settler = DEV_WALLETS.settler.address

test('simultaneous settlements of two processes with one wallet all succeed without a nonce gap', async () => {
  await using database = await freshDatabase()
  await using one = await openOwnFacilitator(evm, { url: database.url })
  await using two = await openOwnFacilitator(evm, { url: database.url })
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

test('one payment settled by two processes at once moves money once', async () => {
  await using database = await freshDatabase()
  await using one = await openOwnFacilitator(evm, { url: database.url })
  await using two = await openOwnFacilitator(evm, { url: database.url })
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const both = await Promise.all([one, two, one].map(({ facilitator }) => facilitator.settle(payment)))
  expect(both.map(({ status }) => status)).toEqual(['settled', 'settled', 'settled'])
  expect(new Set(both.map(settlement => 'txHash' in settlement && settlement.txHash)).size).toBe(1)
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a payment that a third party has broadcast counts as settled', async () => {
  await using own = await openOwnFacilitator(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const { encodeTransfer } = await import('../../../ops/providers/chain/token.ts')
  const { to, data } = encodeTransfer(payment, false)
  const { transactionHash } = await evm.send(to, data)
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'settled', txHash: transactionHash })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a provider that fails in between leaves the payment open, and the next attempt finds it', async () => {
  await using provider = await openFaultyProvider(evm.rpcUrl)
  await using own = await openWithShortTimeouts(provider.url)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  provider.swallowAnswerOf('eth_sendRawTransaction')
  const first = await own.facilitator.settle(payment)
  expect(first).toMatchObject({ status: 'unknown', txHash: expect.stringMatching(/^0x/) })
  expect(await own.facilitator.settle(payment)).toMatchObject({ status: 'unknown' })
  await expect(own.facilitator.find(payment)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  provider.recover()
  const found = await own.facilitator.settle(payment)
  expect(found).toEqual({ status: 'settled', txHash: (first as { txHash: string }).txHash })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a transaction that never arrived is sent again with the free nonce', async () => {
  await using provider = await openFaultyProvider(evm.rpcUrl)
  await using own = await openWithShortTimeouts(provider.url)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const used = await evm.client.getTransactionCount({ address: settler })
  provider.loseRequests('eth_sendRawTransaction')
  expect(await own.facilitator.settle(payment)).toMatchObject({ status: 'unknown' })
  expect(await evm.client.getTransactionCount({ address: settler })).toBe(used)
  provider.recover()
  expect(await own.facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.client.getTransactionCount({ address: settler })).toBe(used + 1)
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('without a provider a payment is neither accepted nor refused', async () => {
  await using own = await openOwnFacilitator({ rpcUrl: 'http://127.0.0.1:9' })
  const payment = await signPayment(await evm.payer())
  const unavailable = { code: 'PROVIDER_UNAVAILABLE' }
  await expect(own.facilitator.verifySignature(payment)).rejects.toMatchObject(unavailable)
  await expect(own.facilitator.checkOnChain(payment)).rejects.toMatchObject(unavailable)
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown', txHash: undefined })
})

test('a stuck transaction is replaced by one with a higher fee, and later ones follow', async () => {
  const busy = await openEvm()
  try {
    await using own = await openWithShortTimeouts(busy.rpcUrl, { receiptMs: 20_000, stuckMs: 150, pollMs: 20 })
    const payers = [createPayer(), createPayer()]
    for (const payer of payers) await busy.mint(payer.address, 10_000n)
    await busy.client.setAutomine(false)
    const settling = Promise.all(
      (await Promise.all(payers.map(payer => signPayment(payer)))).map(payment => own.facilitator.settle(payment)),
    )
    const readPendingFees = async () => {
      const { pending } = await busy.client.getTxpoolContent()
      const mine = Object.entries(pending).find(([address]) => address.toLowerCase() === settler.toLowerCase())?.[1]
      return Object.entries(mine ?? {}).map(([nonce, { maxFeePerGas }]) => [Number(nonce), BigInt(maxFeePerGas ?? 0)])
    }
    await eventually('two settlements to wait', async () => (await readPendingFees()).length === 2)
    const before = Object.fromEntries(await readPendingFees()) as Record<number, bigint>
    await eventually('the first to be sent again', async () => {
      const now = Object.fromEntries(await readPendingFees()) as Record<number, bigint>
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

test('a payment is found behind many blocks', async () => {
  await using own = await openOwnFacilitator(evm)
  const payment = await signPayment(await evm.payer(50_000n))
  const settled = await own.facilitator.settle(payment)
  await evm.client.mine({ blocks: 120, interval: 0 })
  const reader = new ChainReader(own.facilitator.network(), evm.rpcUrl, 50n)
  expect(await reader.traceAuthorization(payment)).toEqual({
    state: 'used',
    txHash: (settled as { txHash: string }).txHash,
  })
})

test('a payment about to expire is neither sent nor failed', async () => {
  await using own = await openOwnFacilitator(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer, { validBefore: BigInt(Math.floor(Date.now() / 1000) + 2) })
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown' })
  expect(await evm.balance(payer.address)).toBe(50_000n)
})

test('a settler without gas does not fail the payment', async () => {
  await using own = await openOwnFacilitator(evm)
  const payer = await evm.payer(50_000n)
  const payment = await signPayment(payer)
  const balance = await evm.client.getBalance({ address: settler })
  await evm.client.setBalance({ address: settler, value: 1n })
  expect(await own.facilitator.settle(payment)).toEqual({ status: 'unknown', txHash: undefined })
  await evm.client.setBalance({ address: settler, value: balance })
  expect(await own.facilitator.settle(payment)).toMatchObject({ status: 'settled' })
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

function createPayer() {
  return privateKeyToAccount(generatePrivateKey())
}

/** Our own facilitator with short timeouts, so that tests are fast. */
async function openWithShortTimeouts(rpcUrl: string, patience = { receiptMs: 300, stuckMs: 100, pollMs: 20 }) {
  const database = await freshDatabase()
  const { rpcUrl: _, ...known } = NETWORKS.dev
  const quiet = { warn: () => undefined, error: () => undefined }
  const facilitator: Facilitator = new OwnFacilitator({
    network: { ...known, payTo: PAYEE },
    rpcUrl,
    settlerKey: DEV_WALLETS.settler.key,
    factories: [],
    queue: openSenderQueue(database.url),
    clock: Date,
    log: quiet,
    timing: patience,
  })
  return {
    facilitator,
    async [Symbol.asyncDispose]() {
      await facilitator.close?.()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A proxy to the chain's provider that can fail, before or after it has forwarded a request. */
async function openFaultyProvider(target: string) {
  let mode: { kind: 'working' | 'down' | 'swallow' | 'lose'; method?: string } = { kind: 'working' }
  const server: Server = createServer((incoming: IncomingMessage, reply: ServerResponse) => {
    const chunks: Buffer[] = []
    incoming.on('data', chunk => chunks.push(chunk as Buffer))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const isAffected = mode.method !== undefined && body.includes(mode.method)
      if (mode.kind === 'down' || (mode.kind === 'lose' && isAffected)) return void reply.destroy()
      const isSwallowed = mode.kind === 'swallow' && isAffected
      if (isSwallowed) mode = { kind: 'down' }
      const forwarded = request(target, { method: 'POST', headers: { 'content-type': 'application/json' } }, answer => {
        if (isSwallowed) {
          answer.resume()
          return void reply.destroy()
        }
        reply.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' })
        answer.pipe(reply)
      })
      forwarded.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallowAnswerOf: (method: string) => {
      mode = { kind: 'swallow', method }
    },
    loseRequests: (method: string) => {
      mode = { kind: 'lose', method }
    },
    recover: () => {
      mode = { kind: 'working' }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
