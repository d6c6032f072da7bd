import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { readStatement, type StatementLine } from '../../../sql/ledger.ts'
import { recordOutputs } from '../../../sql/object.ts'
import { findWallet } from '../../../sql/payment.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'

async function readLines(api: PaidApi, address: string): Promise<StatementLine[]> {
  const { accountId } = (await findWallet(api.context.db, address))!
  return readStatement(api.context.db, { accountId, limit: 200, offset: 0 })
}

/** The sum of the lines. Released lines, of failed payments and calls, do not count. */
function sumOf(lines: StatementLine[]): bigint {
  return lines
    .filter(({ status }) => status !== 'released')
    .reduce((sum, { direction, amountMicros }) => sum + BigInt(amountMicros) * (direction === 'credit' ? 1n : -1n), 0n)
}

test('every chunk and every draw-down is a ledger line, and the lines sum up to the balance', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  for (let call = 0; call < 12; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  const before = await readLines(api, wallet.address)
  expect(before.filter(({ type }) => type === 'charge')).toHaveLength(12)
  expect(before.filter(({ type }) => type === 'topup')).toMatchObject([
    { asset: 'USDC', amountMicros: '10000', status: 'pending' },
    { asset: 'USDC', amountMicros: '10000', status: 'settled', txHash: expect.stringMatching(/^0x/) },
  ])
  expect(sumOf(before)).toBe(await readBalance(api, wallet.address))
  await api.settleChunks()
  expect((await readLines(api, wallet.address)).filter(({ status }) => status === 'pending')).toEqual([])
  expect(api.chain.broadcast).toHaveLength(2)
})

test('a chunk that never arrives does not count in the ledger, and the calls it served become debt', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  for (let call = 0; call < 14; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  api.chain.nextOutcomes.push('failed')
  await api.settleChunks()
  const lines = await readLines(api, wallet.address)
  expect(lines.filter(({ type, status }) => type === 'topup' && status === 'released')).toHaveLength(1)
  expect(sumOf(lines)).toBe(-4_000n)
})

test('a key with an empty balance gets an offer, and a payment sent with the key is credited to the wallet', async () => {
  await using api = await openPaidApi()
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  const hash = (apiKey: string) => hashApiKey(config.secret, apiKey)
  const authorization = `Bearer ${await createKey(db, { accountId, mode: 'test', hash })}`
  const refused = await api.hash({ authorization })
  expect([refused.statusCode, refused.json().code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(decodeHeader(refused.headers['payment-required']).accepts).toHaveLength(2)
  const wallet = api.chain.wallet()
  const paid = await api.hash({ authorization, 'payment-signature': wallet.pay(10_000n) })
  expect([paid.statusCode, await readBalance(api, wallet.address)]).toEqual([200, 9_000n])
})

test('a quote is free, and needs neither a key nor a payment', async () => {
  await using api = await openPaidApi()
  const reply = await api.app.inject({ method: 'POST', url: '/v1/utils/hash', payload: { text: 'abc', dryRun: true } })
  expect([reply.statusCode, reply.json().quote.amountMicros]).toEqual([200, '1000'])
})

test('without a facilitator nothing can be paid by x402, and all documents say so', async () => {
  const { openInProcessApi } = await import('../../support/stack/in-process-api.ts')
  await using api = await openInProcessApi()
  const payload = { text: 'abc' }
  const headers = { 'payment-signature': 'anything' }
  const reply = await api.app.inject({ method: 'POST', url: '/v1/utils/hash', payload, headers })
  expect(reply.json()).toMatchObject({ code: 'PAYMENT_REQUIRED', accepts: [], accepted: [] })
  const capabilities = await api.app.inject({ method: 'GET', url: '/v1/capabilities' })
  expect(capabilities.json().payments).toMatchObject({ x402: { available: false } })
  const { paths } = (await api.app.inject({ method: 'GET', url: '/openapi.json' })).json()
  expect(JSON.stringify(paths)).not.toContain('"x402":[]')
})

/** The second request is queued; its job is finished by a worker that charges half of what is held. */
test('a queued call is held, charged and released in the asset it was paid in', async () => {
  await using api = await openPaidApi()
  const { db, jobs } = api.context
  const wallet = api.chain.wallet()
  const { address: asset } = api.chain.network().assets[1]!
  const headers = { prefer: 'respond-async', 'payment-signature': wallet.pay(10_000n, { asset }) }
  const ticket = await api.hash(headers)
  expect(ticket.statusCode).toBe(202)
  const { accountId } = (await findWallet(db, wallet.address))!
  const outcome = { status: 'succeeded' as const, chargeMicros: 400n, result: '{}', objects: [] }
  await jobs.finish({ id: ticket.json().id, accountId, attempt: 1, startedAt: new Date(), outcome })
  const entries = 'select kind, asset, amount_micros from svc.transfer where account_id = $1 order by id'
  expect(await rows(db, entries, [accountId])).toEqual([
    { kind: 'chunk', asset: 'EURC', amount_micros: 10_000n },
    { kind: 'hold', asset: 'EURC', amount_micros: 1_000n },
    { kind: 'capture', asset: 'EURC', amount_micros: 400n },
    { kind: 'release', asset: 'EURC', amount_micros: 600n },
  ])
})

test.each([
  [0, 1, 'USDC'],
  [1, 0, 'EURC'],
])(
  'what credit pays is booked in the asset of the credit, whatever the signature names (%i, %i)',
  async (first, then, booked) => {
    await using api = await openPaidApi()
    const wallet = api.chain.wallet()
    const [paidIn, named] = [first, then].map(index => api.chain.network().assets[index]!)
    const pay = (asset: typeof paidIn, more = {}) => ({
      ...more,
      'payment-signature': wallet.pay(10_000n, { asset: asset!.address }),
    })
    await api.hash(pay(paidIn))
    expect((await api.hash(pay(named), 'by the api')).statusCode).toBe(200)
    expect((await api.hash(pay(named, { prefer: 'respond-async' }), 'queued')).statusCode).toBe(202)
    const { accountId } = (await findWallet(api.context.db, wallet.address))!
    const entries = 'select kind, asset, amount_micros from svc.transfer where account_id = $1 order by id'
    expect(await rows(api.context.db, entries, [accountId])).toEqual([
      { kind: 'chunk', asset: booked, amount_micros: 10_000n },
      { kind: 'charge', asset: booked, amount_micros: 1_000n },
      { kind: 'charge', asset: booked, amount_micros: 1_000n },
      { kind: 'hold', asset: booked, amount_micros: 1_000n },
    ])
    expect(await readBalance(api, wallet.address)).toBe(7_000n)
    expect(api.chain.broadcast).toHaveLength(1)
  },
)

test('a dear call is booked in the asset that it was paid in, and the credit before it keeps its own', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const [usdc, eurc] = api.chain.network().assets
  await api.hash({ 'payment-signature': wallet.pay(10_000n, { asset: usdc!.address }) })
  const dear = await api.app.inject({
    method: 'POST',
    url: '/v1/doc/extract-tables',
    headers: { prefer: 'respond-async', 'payment-signature': wallet.pay(20_000n, { asset: eurc!.address }) },
    payload: { file: { inline: readFileSync('tasks/samples/price-list.pdf').toString('base64') } },
  })
  expect(dear.statusCode).toBe(202)
  await api.hash({ 'payment-signature': wallet.pay(10_000n, { asset: eurc!.address }) }, 'cheap')
  const { accountId } = (await findWallet(api.context.db, wallet.address))!
  const entries = 'select kind, asset, amount_micros from svc.transfer where account_id = $1 order by id'
  expect(await rows(api.context.db, entries, [accountId])).toEqual([
    { kind: 'chunk', asset: 'USDC', amount_micros: 10_000n },
    { kind: 'charge', asset: 'USDC', amount_micros: 1_000n },
    { kind: 'chunk', asset: 'EURC', amount_micros: 20_000n },
    { kind: 'hold', asset: 'EURC', amount_micros: 20_000n },
    { kind: 'charge', asset: 'USDC', amount_micros: 1_000n },
  ])
})

test('a payment that its payer has broadcast himself is credited once and pays for its call', async () => {
  await using api = await openPaidApi()
  for (const wallet of [api.chain.wallet(), api.chain.wallet()]) {
    const payment = wallet.pay(10_000n)
    const txHash = api.chain.broadcastByPayer(payment)
    const paid = await api.hash({ 'payment-signature': payment })
    expect([paid.statusCode, await readBalance(api, wallet.address)]).toEqual([200, 9_000n])
    expect(decodeHeader(paid.headers['payment-response'])).toMatchObject({ success: true, transaction: txHash })
    const other = await api.hash({ 'payment-signature': payment }, 'another text')
    expect([other.statusCode, await readBalance(api, wallet.address)]).toEqual([402, 9_000n])
  }
  expect(api.chain.broadcast).toEqual([])
})

test('a known wallet may also broadcast its next payment himself', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const payment = wallet.pay(20_000n)
  const txHash = api.chain.broadcastByPayer(payment)
  for (let call = 0; call < 9; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  expect(await readBalance(api, wallet.address)).toBe(0n)
  expect((await api.hash({ 'payment-signature': payment }, 'last')).statusCode).toBe(200)
  await api.settleChunks()
  expect(await readBalance(api, wallet.address)).toBe(19_000n)
  const [line] = (await readLines(api, wallet.address)).filter(({ type }) => type === 'topup')
  expect(line).toMatchObject({ amountMicros: '20000', status: 'settled', txHash })
})

test('a payment that was drawn down from credit and that its payer has broadcast is credited when it is shown again', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const payment = wallet.pay(20_000n)
  await api.hash({ 'payment-signature': payment }, 'drawn down')
  const showAgain = async (text: string) => {
    const refused = await api.hash({ 'payment-signature': payment }, text)
    return [refused.statusCode, await readBalance(api, wallet.address)]
  }
  expect(await showAgain('not on the chain')).toEqual([402, 8_000n])
  const txHash = api.chain.broadcastByPayer(payment)
  expect(await Promise.all([showAgain('once'), showAgain('twice')])).toEqual([
    [402, 28_000n],
    [402, 28_000n],
  ])
  expect(await showAgain('thrice')).toEqual([402, 28_000n])
  const [line] = (await readLines(api, wallet.address)).filter(({ type }) => type === 'topup')
  expect(line).toMatchObject({ amountMicros: '20000', status: 'settled', txHash })
  expect((await api.hash({ 'payment-signature': wallet.pay(10_000n) }, 'next')).statusCode).toBe(200)
  expect([await readBalance(api, wallet.address), api.chain.broadcast.length]).toEqual([27_000n, 1])
})

test('a payment of unknown outcome gets its transaction when it is found on the chain', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  for (let call = 0; call < 10; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  const settle = api.chain.settle.bind(api.chain)
  api.chain.settle = async payment => {
    await settle(payment)
    throw new Error('the answer was lost')
  }
  await api.settleChunks()
  await rows(api.context.db, "update svc.chunk set sent_at = now() - interval '5 minutes' where state = 'unknown'")
  await api.settleChunks()
  const [line] = (await readLines(api, wallet.address)).filter(({ type }) => type === 'topup')
  expect(line).toMatchObject({ status: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
})

test('an unpaid call cannot price a file of an account', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const { accountId } = (await findWallet(api.context.db, wallet.address))!
  const key = `scratch/${accountId}/${newId()}`
  const bytes = Buffer.from('a text of the account')
  await api.context.store.put(key, bytes, { contentType: 'text/plain' })
  await recordOutputs(api.context.db, accountId, newId(), [
    { key, size: bytes.length, type: 'text/plain', name: 'own.txt', hours: 1 },
  ])
  const call = (headers = {}) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/utils/hash',
      headers,
      payload: { file: { inputKey: key }, algorithms: ['sha256'] },
    })
  const [unpaid, paid] = [await call(), await call({ 'payment-signature': wallet.pay(10_000n) })]
  expect([unpaid.statusCode, unpaid.json().code]).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(paid.statusCode).toBe(200)
})
