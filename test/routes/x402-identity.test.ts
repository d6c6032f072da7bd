import { expect, test } from 'vitest'
import { textOf } from '../../api/intake/x402/sign-in.ts'
import { rows } from '../../sql/db.ts'
import { balanceOf, decoded, openPaidDoor, type PaidDoor } from '../support/paid-door.ts'
import type { PaperWallet } from '../support/paper-chain.ts'
import { workOnPaper } from '../support/paper-worker.ts'

type Said = Record<string, string | string[]>

/** What a client makes of the sign-in that a 402 or 401 offers. */
function signIn(offer: unknown, wallet: PaperWallet, more: Said = {}): string {
  const extension = decoded(offer).extensions!['sign-in-with-x'] as unknown as { info: Said }
  const said = { ...extension.info, address: wallet.address, chainId: 'eip155:84532', type: 'eip191', ...more }
  const signature = wallet.signText(textOf(said as never))
  return Buffer.from(JSON.stringify({ ...said, signature })).toString('base64')
}

const get = (door: PaidDoor, url: string, headers = {}) => door.app.inject({ method: 'GET', url, headers })

test('a wallet reads its own things by a signed text, once, and nobody else does', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const paid = await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  const url = `/v1/jobs/${String(paid.headers['x-service-job-id'])}`
  const stranger = await get(door, url)
  expect([stranger.statusCode, stranger.json().code]).toEqual([401, 'MISSING_AUTH'])
  expect(decoded(stranger.headers['payment-required'])).toMatchObject({ accepts: [] })
  const header = { 'sign-in-with-x': signIn(stranger.headers['payment-required'], wallet) }
  const own = await get(door, url, header)
  expect([own.statusCode, own.json().status]).toEqual([200, 'succeeded'])
  expect((await get(door, url, header)).json()).toMatchObject({ code: 'UNAUTHENTICATED', part: 'nonce' })
  const other = signIn((await get(door, url)).headers['payment-required'], door.chain.wallet())
  expect((await get(door, url, { 'sign-in-with-x': other })).statusCode).toBe(404)
})

test.each([
  ['domain', { domain: 'elsewhere.example' }],
  ['domain', { uri: 'https://elsewhere.example/v1/jobs' }],
  ['chainId', { chainId: 'eip155:1' }],
  ['issuedAt', { issuedAt: '2020-01-01T00:00:00.000Z' }],
  ['expirationTime', { expirationTime: '2020-01-01T00:00:00.000Z' }],
  ['nonce', { nonce: '0123456789abcdef0123456789abcdef' }],
  ['form', { statement: 'two\nlines' }],
])('a signed text whose %s is not ours is refused', async (part, more) => {
  await using door = await openPaidDoor()
  const offer = (await get(door, '/v1/jobs')).headers['payment-required']
  const reply = await get(door, '/v1/jobs', { 'sign-in-with-x': signIn(offer, door.chain.wallet(), more) })
  expect(reply.json()).toMatchObject({ code: 'UNAUTHENTICATED', part })
})

test('credit is spent by a signed text as well, and without credit the offer comes back', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  await door.hash({ 'payment-signature': wallet.pay(10_000n) })
  const offer = (await door.hash()).headers['payment-required']
  const served = await door.hash({ 'sign-in-with-x': signIn(offer, wallet) }, 'other')
  expect([served.statusCode, await balanceOf(door, wallet.address)]).toEqual([200, 8_000n])
  const next = (await door.hash()).headers['payment-required']
  const poor = await door.hash({ 'sign-in-with-x': signIn(next, door.chain.wallet()) })
  expect([poor.statusCode, poor.json().code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(decoded(poor.headers['payment-required']).accepts).toHaveLength(2)
})

test('a form to upload with is given to a payment that is only looked at', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const ask = (headers: Record<string, string>) =>
    door.app.inject({ method: 'POST', url: '/v1/cputools/upload-url', headers, payload: {} })
  expect((await ask({})).statusCode).toBe(401)
  const payment = wallet.pay(10_000n)
  const form = await ask({ 'payment-signature': payment })
  expect(form.statusCode).toBe(201)
  const bad = Buffer.from(Buffer.from(payment, 'base64').toString().replace('"10000"', '"90000"')).toString('base64')
  expect((await ask({ 'payment-signature': bad })).statusCode).toBe(401)
  expect((await door.hash({ 'payment-signature': payment })).statusCode).toBe(200)
  const [{ account_id: owner }] = (await rows(door.floor.db, 'select account_id from svc.wallet')) as [
    { account_id: string },
  ]
  expect(form.json().inputKey).toContain(owner)
})

test('what the content decides is priced before it is paid, and run at that price', async () => {
  await using door = await openPaidDoor()
  const wallet = door.chain.wallet()
  const worker = workOnPaper(door.floor, 30_000n)
  const ask = (headers: Record<string, string> = {}) =>
    door.app.inject({
      method: 'POST',
      url: '/v1/pdf/rotate',
      headers,
      payload: { file: { inline: Buffer.from('%PDF-1.4\n%%EOF').toString('base64') }, degrees: '90' },
    })
  try {
    const offer = await ask()
    expect(offer.statusCode).toBe(402)
    expect(decoded(offer.headers['payment-required']).accepts![0]).toMatchObject({ amount: '30000' })
    const short = await ask({ 'payment-signature': wallet.pay(29_999n) })
    expect(short.json()).toMatchObject({ code: 'UNDERPAID', leastMicros: '30000', price: { micros: '30000' } })
    const paid = await ask({ 'payment-signature': wallet.pay(30_000n) })
    expect([paid.statusCode, paid.headers['x-service-charged-micros']]).toEqual([200, '30000'])
    expect(decoded(paid.headers['payment-response'])).toMatchObject({
      amount: '30000',
      extra: { settlement: 'settled' },
    })
    expect(await balanceOf(door, wallet.address)).toBe(0n)
    expect(worker.probed()).toBe(1)
  } finally {
    await worker.stop()
  }
})

test('the operator alone verifies and settles by hand; what is supported anybody may read', async () => {
  await using door = await openPaidDoor({
    X402_NETWORK: 'base-sepolia',
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    X402_OPERATOR_TOKEN: 'operator-and-nobody-else',
  })
  const wallet = door.chain.wallet()
  const payment = wallet.pay(10_000n)
  const body = { x402Version: 2, paymentPayload: decoded(payment), paymentRequirements: { amount: '10000' } }
  const ask = (verb: string, token: string, payload: object = body) =>
    door.app.inject({ method: 'POST', url: `/x402/${verb}`, headers: { authorization: `Bearer ${token}` }, payload })
  expect((await ask('verify', 'somebody')).statusCode).toBe(401)
  const token = door.floor.config.x402!.operatorToken!
  expect((await ask('verify', token)).json()).toEqual({ isValid: true, payer: wallet.address })
  const more = { ...body, paymentRequirements: { amount: '20000' } }
  expect((await ask('verify', token, more)).json()).toMatchObject({ isValid: false })
  const settled = await ask('settle', token)
  expect(settled.json()).toMatchObject({ success: true, network: 'eip155:84532', amount: '10000' })
  expect((await ask('settle', token)).json()).toEqual(settled.json())
  expect([door.chain.broadcast.length, await balanceOf(door, wallet.address)]).toEqual([1, 10_000n])
  const drawn = wallet.pay(10_000n)
  await door.hash({ 'payment-signature': drawn })
  const again = await ask('settle', token, { ...body, paymentPayload: decoded(drawn) })
  expect(again.json()).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_nonce_already_used' })
  expect(door.chain.broadcast).toHaveLength(1)
  const supported = await get(door, '/x402/supported')
  expect(supported.json()).toMatchObject({ kinds: [{ x402Version: 2, network: 'eip155:84532' }, { x402Version: 1 }] })
})

test('capabilities and the documents say that x402 is taken', async () => {
  await using door = await openPaidDoor()
  const said = (await get(door, '/v1/capabilities')).json()
  expect(said.payments).toMatchObject({
    prepaid: { available: true },
    x402: { available: true, network: 'eip155:84532' },
  })
  const { paths } = (await get(door, '/openapi.json')).json()
  expect(paths['/v1/utils/hash'].post.security).toContainEqual({ x402: [] })
})
