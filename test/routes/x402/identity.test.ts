import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '#kit'
import { messageText } from '../../../api/intake/x402/sign-in.ts'
import { rows } from '../../../sql/db.ts'
import { recordUpload } from '../../../sql/object.ts'
import { openWallet } from '../../../sql/payment.ts'
import type { FakeWallet } from '../../support/chain/fake-chain.ts'
import { decodeHeader, openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'
import { startFakeWorker } from '../../support/stack/instant-worker.ts'

type SignInMessage = Record<string, string | string[]>

/** Builds the header that answers the sign-in offer of a 402 or 401. */
function buildSignIn(offer: unknown, wallet: FakeWallet, changes: SignInMessage = {}): string {
  const extension = decodeHeader(offer).extensions!['sign-in-with-x'] as unknown as { info: SignInMessage }
  const message = { ...extension.info, address: wallet.address, chainId: 'eip155:84532', type: 'eip191', ...changes }
  const signature = wallet.signText(messageText(message as never))
  return Buffer.from(JSON.stringify({ ...message, signature })).toString('base64')
}

const get = (api: PaidApi, url: string, headers = {}) => api.app.inject({ method: 'GET', url, headers })

test('a signed message gives a wallet access to its own jobs, once, and to no others', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const paid = await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const url = `/v1/jobs/${String(paid.headers['x-service-job-id'])}`
  const anonymous = await get(api, url)
  expect([anonymous.statusCode, anonymous.json()]).toMatchObject([401, { code: 'MISSING_AUTH', accepts: [] }])
  const offer = decodeHeader(anonymous.headers['payment-required'])
  expect(offer).toMatchObject({ accepts: [], extensions: anonymous.json().extensions })
  const header = { 'sign-in-with-x': buildSignIn(anonymous.headers['payment-required'], wallet) }
  const own = await get(api, url, header)
  expect([own.statusCode, own.json().status]).toEqual([200, 'succeeded'])
  expect((await get(api, url, header)).json()).toMatchObject({ code: 'UNAUTHENTICATED', part: 'nonce' })
  const other = buildSignIn((await get(api, url)).headers['payment-required'], api.chain.wallet())
  expect((await get(api, url, { 'sign-in-with-x': other })).statusCode).toBe(404)
})

test.each([
  ['domain', { domain: 'elsewhere.example' }],
  ['domain', { uri: 'https://elsewhere.example/v1/jobs' }],
  ['chainId', { chainId: 'eip155:1' }],
  ['issuedAt', { issuedAt: '2020-01-01T00:00:00.000Z' }],
  ['expirationTime', { expirationTime: '2020-01-01T00:00:00.000Z' }],
  ['nonce', { nonce: '0123456789abcdef0123456789abcdef' }],
  ['form', { statement: 'two\nlines' }],
])('a signed message with a wrong %s is refused', async (part, changes) => {
  await using api = await openPaidApi()
  const offer = (await get(api, '/v1/jobs')).headers['payment-required']
  const reply = await get(api, '/v1/jobs', { 'sign-in-with-x': buildSignIn(offer, api.chain.wallet(), changes) })
  expect(reply.json()).toMatchObject({ code: 'UNAUTHENTICATED', part })
})

test('an offer to sign in by a host whose clock is ahead is taken by one whose clock is right', async () => {
  await using api = await openPaidApi()
  const readOwn = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => readOwn() + 240_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await api.context.clock.measure()
  const offer = (await get(api, '/v1/jobs')).headers['payment-required']
  vi.restoreAllMocks()
  await api.context.clock.measure()
  const taken = await get(api, '/v1/jobs', { 'sign-in-with-x': buildSignIn(offer, api.chain.wallet()) })
  expect(taken.statusCode).toBe(200)
})

test('a signed message also spends credit, and without credit it gets an offer', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  const offer = (await api.hash()).headers['payment-required']
  const served = await api.hash({ 'sign-in-with-x': buildSignIn(offer, wallet) }, 'other')
  expect([served.statusCode, await readBalance(api, wallet.address)]).toEqual([200, 8_000n])
  const next = (await api.hash()).headers['payment-required']
  const unpaid = await api.hash({ 'sign-in-with-x': buildSignIn(next, api.chain.wallet()) })
  expect([unpaid.statusCode, unpaid.json().code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(decodeHeader(unpaid.headers['payment-required']).accepts).toHaveLength(2)
})

test('an upload form is given for a payment that is checked but not used', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const request = (headers: Record<string, string>) =>
    api.app.inject({ method: 'POST', url: '/v1/cputools/upload-url', headers, payload: {} })
  expect((await request({})).statusCode).toBe(401)
  const payment = wallet.pay(10_000n)
  const form = await request({ 'payment-signature': payment })
  expect(form.statusCode).toBe(201)
  const bad = Buffer.from(Buffer.from(payment, 'base64').toString().replace('"10000"', '"90000"')).toString('base64')
  expect((await request({ 'payment-signature': bad })).statusCode).toBe(401)
  expect((await api.hash({ 'payment-signature': payment })).statusCode).toBe(200)
  const [{ account_id: owner }] = (await rows(api.context.db, 'select account_id from svc.wallet')) as [
    { account_id: string },
  ]
  expect(form.json().inputKey).toContain(owner)
})

test('who uploads learns the price of using the file before paying; strangers and other wallets do not', async () => {
  await using api = await openPaidApi()
  const [wallet, other] = [api.chain.wallet(), api.chain.wallet()]
  const worker = startFakeWorker(api.context, 30_000n)
  const headers = { 'payment-signature': wallet.pay(10_000n) }
  const form = await api.app.inject({ method: 'POST', url: '/v1/cputools/upload-url', headers, payload: {} })
  const { inputKey } = form.json() as { inputKey: string }
  const key = inputKey.slice(0, inputKey.lastIndexOf('.'))
  await api.context.store.put(key, Buffer.from('%PDF-1.4\n%%EOF'), { contentType: 'application/pdf' })
  const rotate = (inputKey: string, headers: Record<string, string> = {}) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/pdf/rotate',
      headers,
      payload: { file: { inputKey }, degrees: '90' },
    })
  try {
    const offer = await rotate(inputKey)
    expect(offer.statusCode).toBe(402)
    expect(decodeHeader(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '30000' })
    const [last] = inputKey.slice(-1)
    const forged = inputKey.slice(0, -1) + (last === 'A' ? 'B' : 'A')
    for (const unproven of [key, `${key}.`, forged]) expect((await rotate(unproven)).statusCode).toBe(404)
    expect((await rotate(inputKey, { 'payment-signature': other.pay(30_000n) })).statusCode).toBe(404)
    expect((await rotate(inputKey, { 'payment-signature': wallet.pay(30_000n) })).statusCode).toBe(200)
  } finally {
    await worker.stop()
  }
})

test('a price that depends on the content is quoted before payment, and charged as quoted', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const worker = startFakeWorker(api.context, 30_000n)
  const request = (headers: Record<string, string> = {}) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/pdf/rotate',
      headers,
      payload: { file: { inline: Buffer.from('%PDF-1.4\n%%EOF').toString('base64') }, degrees: '90' },
    })
  try {
    const offer = await request()
    expect(offer.statusCode).toBe(402)
    expect(decodeHeader(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '30000' })
    const underpaid = await request({ 'payment-signature': wallet.pay(29_999n) })
    expect(underpaid.json()).toMatchObject({ code: 'UNDERPAID', leastMicros: '30000', price: { micros: '30000' } })
    const paid = await request({ 'payment-signature': wallet.pay(30_000n) })
    expect([paid.statusCode, paid.headers['x-service-charged-micros']]).toEqual([200, '30000'])
    expect(decodeHeader(paid.headers['payment-response'])).toMatchObject({
      amount: '30000',
      extra: { settlement: 'settled' },
    })
    expect(await readBalance(api, wallet.address)).toBe(0n)
    expect(worker.probed()).toBe(1)
  } finally {
    await worker.stop()
  }
})

test('only the operator may verify and settle payments; the supported kinds are public', async () => {
  await using api = await openPaidApi({
    X402_NETWORK: 'base-sepolia',
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    X402_OPERATOR_TOKEN: 'the-token-of-the-operator',
  })
  const wallet = api.chain.wallet()
  const payment = wallet.pay(10_000n)
  const body = { x402Version: 2, paymentPayload: decodeHeader(payment), paymentRequirements: { amount: '10000' } }
  const request = (verb: string, token: string, payload: object = body) =>
    api.app.inject({ method: 'POST', url: `/x402/${verb}`, headers: { authorization: `Bearer ${token}` }, payload })
  expect((await request('verify', 'another-token')).statusCode).toBe(401)
  const token = api.context.config.x402!.operatorToken!
  expect((await request('verify', token)).json()).toEqual({ isValid: true, payer: wallet.address })
  const changes = { ...body, paymentRequirements: { amount: '20000' } }
  expect((await request('verify', token, changes)).json()).toMatchObject({ isValid: false })
  const settled = await request('settle', token)
  expect(settled.json()).toMatchObject({ success: true, network: 'eip155:84532', amount: '10000' })
  expect((await request('settle', token)).json()).toEqual(settled.json())
  expect([api.chain.broadcast.length, await readBalance(api, wallet.address)]).toEqual([1, 10_000n])
  const drawnPayment = wallet.pay(10_000n)
  await api.hash({ 'payment-signature': drawnPayment })
  const again = await request('settle', token, { ...body, paymentPayload: decodeHeader(drawnPayment) })
  expect(again.json()).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_nonce_already_used' })
  expect(api.chain.broadcast).toHaveLength(1)
  const supported = await get(api, '/x402/supported')
  expect(supported.json()).toMatchObject({ kinds: [{ x402Version: 2, network: 'eip155:84532' }, { x402Version: 1 }] })
})

test('capabilities and documents say that x402 is accepted', async () => {
  await using api = await openPaidApi()
  const message = (await get(api, '/v1/capabilities')).json()
  expect(message.payments).toMatchObject({
    prepaid: { available: true },
    x402: { available: true, network: 'eip155:84532' },
  })
  const { paths } = (await get(api, '/openapi.json')).json()
  const { security, 'x-payment-info': paymentInfo } = paths['/v1/utils/hash'].post
  expect(security).toContainEqual({ x402: [] })
  expect(paymentInfo).toMatchObject({ price: { currency: 'USD' }, protocols: [{ x402: {} }] })
  expect(paths['/v1/jobs'].get['x-payment-info']).toBeUndefined()
})

/** The values of every enum in a document. */
function listEnums(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return []
  const own = (value as { enum?: unknown }).enum
  return [...(Array.isArray(own) ? [own] : []), ...Object.values(value).flatMap(listEnums)]
}

test('every enum of the document has values of one type', async () => {
  await using api = await openPaidApi()
  const document = (await get(api, '/openapi.json')).json()
  const mixed = listEnums(document).filter(values => new Set(values.map(value => typeof value)).size > 1)
  expect(mixed).toEqual([])
  const { requestBody } = document.paths['/v1/pdf/rotate'].post
  const { degrees } = requestBody.content['application/json'].schema.properties
  expect(degrees).toMatchObject({ type: 'string', enum: ['90', '180', '270'] })
})

test('a request that only asks for the price is offered payment alone, any other also to sign in', async () => {
  await using api = await openPaidApi()
  const asked = await api.app.inject({ method: 'POST', url: '/v1/utils/hash' })
  expect(asked.statusCode).toBe(402)
  expect(Object.keys(decodeHeader(asked.headers['payment-required']).extensions!)).toEqual([
    'payment-identifier',
    'offer-receipt',
    'bazaar',
  ])
  const called = await api.hash()
  expect(decodeHeader(called.headers['payment-required']).extensions).toHaveProperty('sign-in-with-x')
})

test('nothing of an account is stored by caches', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  await api.hash({ 'payment-signature': wallet.pay(10_000n) })
  for (const url of ['/v1/account', '/v1/account/ledger', '/v1/jobs']) {
    const anonymous = await get(api, url)
    const headers = { 'sign-in-with-x': buildSignIn(anonymous.headers['payment-required'], wallet) }
    const own = await get(api, url, headers)
    expect([url, own.statusCode, own.headers['cache-control']]).toEqual([url, 200, 'no-store'])
    expect(anonymous.headers['cache-control']).toBe('no-store')
  }
})

test('a wallet learns the price of using an output of its own before paying; strangers do not', async () => {
  await using api = await openPaidApi()
  const wallet = api.chain.wallet()
  const accountId = await openWallet(api.context.db, wallet.address, newId(), true)
  const key = `scratch/${accountId}/${newId()}`
  await api.context.store.put(key, Buffer.from('%PDF-1.4\n%%EOF'), { contentType: 'application/pdf' })
  await recordUpload(api.context.db, { key, accountId, contentType: 'application/pdf', hours: 24 })
  const output = { key, sizeBytes: 14, contentType: 'application/pdf', name: 'a.pdf' }
  const worker = startFakeWorker(api.context, 30_000n, { output, rotatedPages: 1 })
  const rotate = (file: object, headers: Record<string, string> = {}) =>
    api.app.inject({ method: 'POST', url: '/v1/pdf/rotate', headers, payload: { file, degrees: '90' } })
  try {
    const inline = Buffer.from('%PDF-1.4\n%%EOF').toString('base64')
    const made = await rotate({ inline }, { 'payment-signature': wallet.pay(30_000n) })
    const { outputKey } = made.json().output as { outputKey: string }
    const offer = await rotate({ inputKey: outputKey })
    expect(offer.statusCode).toBe(402)
    expect(decodeHeader(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '30000' })
    expect((await rotate({ inputKey: key })).statusCode).toBe(404)
    expect((await rotate({ inputKey: outputKey }, { 'payment-signature': wallet.pay(30_000n) })).statusCode).toBe(200)

    const signedGet = async (url: string) => {
      const { headers } = await get(api, '/v1/jobs')
      return (await get(api, url, { 'sign-in-with-x': buildSignIn(headers['payment-required'], wallet) })).json()
    }
    const { result } = await signedGet(`/v1/jobs/${made.headers['x-service-job-id']}`)
    expect(result.output.outputKey).toBe(outputKey)
    expect(await signedGet(`/v1/outputs/${outputKey}`)).toMatchObject({ outputKey, sizeBytes: 14 })
  } finally {
    await worker.stop()
  }
})
