import { randomBytes } from 'node:crypto'
import { x402HTTPClient } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  BAZAAR,
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar'
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import {
  appendPaymentIdentifierToExtensions,
  isPaymentIdentifierExtension,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import {
  createSIWxClientHook,
  createSIWxPayload,
  encodeSIWxHeader,
  SIGN_IN_WITH_X,
  type SIWxExtension,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { compactVerify, createRemoteJWKSet } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDevChainVariables } from '../../../ops/dev-chain/wallets.ts'
import { rotateSigningKey } from '../../../ops/products/witness/keys.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type Evm, openEvm, type Payer } from '../../support/chain/evm.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let evm: Evm
let stack: Stack
beforeAll(async () => {
  evm = await openEvm()
  stack = await startStack({ env: buildDevChainVariables(evm.rpcUrl) as Record<string, string> })
  await stack.writeSetting('rate.ip_per_minute', 100_000)
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await evm?.stop()
})

const HASH = '/v1/utils/hash'
const json = { 'content-type': 'application/json' }
const hello = { method: 'POST', headers: json, body: '{"text":"hello"}' }
const createPayingClient = (payer: Payer) => new x402Client().register('eip155:*', new ExactEvmScheme(payer as never))
const createPayingFetch = (payer: Payer) => wrapFetchWithPayment(fetch, createPayingClient(payer))

/** The offer of a 402 or 401, as the reference library reads it. */
async function fetchOffer(path: string, init: RequestInit) {
  const reply = await fetch(stack.url + path, init)
  const http = new x402HTTPClient(new x402Client())
  return { reply, offer: http.getPaymentRequiredResponse(name => reply.headers.get(name), undefined) }
}

test('a call signed in by the reference client is served from credit, and refused with a price without credit', async () => {
  const payer = await evm.payer(50_000n)
  expect((await createPayingFetch(payer)(stack.url + HASH, hello)).status).toBe(200)
  const signIn = wrapFetchWithSIWx(fetch, payer)
  const served = await signIn(stack.url + HASH, hello)
  expect([served.status, served.headers.get('payment-response')]).toEqual([200, null])
  expect(await evm.balance(payer.address)).toBe(40_000n)
  const unfunded = await wrapFetchWithSIWx(fetch, await evm.payer(0n))(stack.url + HASH, hello)
  expect([unfunded.status, (await unfunded.json()).code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
})

test('a client that signs in when it can and pays when it must pays once for ten calls', async () => {
  const payer = await evm.payer(50_000n)
  const http = new x402HTTPClient(createPayingClient(payer)).onPaymentRequired(createSIWxClientHook(payer))
  const pay = wrapFetchWithPayment(fetch, http)
  const replies: number[] = []
  for (let calls = 0; calls < 10; calls++) replies.push((await pay(stack.url + HASH, hello)).status)
  expect(replies).toEqual(Array(10).fill(200))
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('a sign-in made from the offer of a free route is accepted once', async () => {
  const payer = await evm.payer(50_000n)
  await createPayingFetch(payer)(stack.url + HASH, hello)
  const { reply, offer } = await fetchOffer('/v1/jobs', {})
  expect([reply.status, offer.accepts]).toEqual([401, []])
  const { info, supportedChains } = offer.extensions![SIGN_IN_WITH_X] as SIWxExtension
  const payload = await createSIWxPayload({ ...info, ...supportedChains[0]! }, payer, reply.url)
  const headers = { [SIGN_IN_WITH_X]: encodeSIWxHeader(payload) }
  const opened = await fetch(`${stack.url}/v1/jobs`, { headers })
  expect([opened.status, (await opened.json()).data?.length]).toEqual([200, 1])
  expect((await fetch(`${stack.url}/v1/jobs`, { headers })).status).toBe(401)
})

test('a free route answers unmodified clients with 401, and their sign-in hook finds the offer there', async () => {
  const payer = await evm.payer(50_000n)
  const url = `${stack.url}/v1/jobs`
  await createPayingFetch(payer)(stack.url + HASH, hello)
  const http = new x402HTTPClient(createPayingClient(payer)).onPaymentRequired(createSIWxClientHook(payer))
  for (const pay of [createPayingFetch(payer), wrapFetchWithPayment(fetch, http), wrapFetchWithSIWx(fetch, payer)]) {
    const reply = await pay(url)
    expect([reply.status, (await reply.json()).code]).toEqual([401, 'MISSING_AUTH'])
  }
  const { offer } = await fetchOffer('/v1/jobs', {})
  const headers = await http.handlePaymentRequired(offer, url)
  expect((await fetch(url, { headers: headers! })).status).toBe(200)
})

test('a wallet without an account buys leases of each kind, and owns them when it signs in', async () => {
  const payer = await evm.payer(50_000n)
  const pay = createPayingFetch(payer)
  const buy = async (path: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer> | string) => {
    const reply = await pay(stack.url + path, { method: 'POST', headers, body })
    const answer = await reply.json()
    expect([path, reply.status, answer.status, answer.cost_micros]).toEqual([path, 201, 'created', '1000'])
    expect(decodePaymentResponseHeader(reply.headers.get('payment-response')!).success).toBe(true)
    return answer
  }
  const http = new x402HTTPClient(createPayingClient(payer)).onPaymentRequired(createSIWxClientHook(payer))
  const asOwner = async (path: string, method = 'GET') => {
    const { reply, offer } = await fetchOffer(path, { method })
    expect([reply.status, offer.accepts]).toEqual([401, []])
    return fetch(stack.url + path, { method, headers: (await http.handlePaymentRequired(offer, stack.url + path))! })
  }
  const file = new Uint8Array(randomBytes(300_000))
  const mailbox = await buy('/api/mailbox', { 'x-label': 'Invoices' })
  await buy('/api/checkpoint', { ...json, 'x-workflow-id': 'order-7' }, '{"step":1}')
  const storage = await buy('/api/storage', { 'content-type': 'application/x-thing' }, file)
  expect((await fetch(mailbox.drop_url, { method: 'POST', body: 'hello' })).status).toBe(201)
  const messages = await (await asOwner(`/api/mailbox/${mailbox.lease_id}/messages`)).json()
  expect(messages).toMatchObject({ count: 1, items: [{ size_bytes: 5 }] })
  expect(await (await asOwner('/api/checkpoint/order-7')).json()).toEqual({ step: 1 })
  const read = await asOwner(`/api/storage/${storage.lease_id}`)
  expect(Buffer.compare(Buffer.from(await read.arrayBuffer()), file)).toBe(0)
  expect(await (await asOwner(`/api/storage/${storage.lease_id}`, 'DELETE')).json()).toEqual({ status: 'deleted' })
  expect((await (await asOwner('/api/storage')).json()).items).toEqual([])
  expect((await (await asOwner('/v1/account')).json()).balanceMicros).toBe('7000')
  expect(await evm.balance(payer.address)).toBe(40_000n)
  expect(await checkInvariants(stack.db)).toEqual([])
  expect((await stack.db.query({ text: 'select * from lease.check_invariants()' })).rows).toEqual([])
})

test('what was offered and what was paid is signed, as the unmodified extension verifies it, also after a change of keys', async () => {
  const payer = await evm.payer(50_000n)
  const { offer } = await fetchOffer(HASH, hello)
  const offers = decodeSignedOffers(extractOffersFromPaymentRequired(offer))
  expect(offers.map(signed => findAcceptsObjectFromSignedOffer(signed, offer.accepts))).toEqual(offer.accepts)
  const verifyOffers = () => Promise.all(offers.map(one => verifyOfferSignatureJWS(one.signedOffer as JWSSignedOffer)))
  const signedTerms = { version: 1, resourceUrl: stack.url + HASH, scheme: 'exact', amount: '10000' }
  expect(await verifyOffers()).toEqual(offer.accepts.map(() => expect.objectContaining(signedTerms)))
  const paid = await createPayingFetch(payer)(stack.url + HASH, hello)
  const receipt = extractReceiptFromResponse(paid) as JWSSignedReceipt
  const { network } = offers[0]!
  const proven = { version: 1, network, resourceUrl: stack.url + HASH, payer: payer.address }
  expect(await verifyReceiptSignatureJWS(receipt)).toEqual({ ...proven, issuedAt: expect.any(Number) })
  expect(verifyReceiptMatchesOffer(receipt, offers[0]!, [payer.address])).toBe(true)
  const [head, , signature] = receipt.signature.split('.')
  const forged = Buffer.from(JSON.stringify({ ...proven, payer: 'another' })).toString('base64url')
  const asForged = { ...receipt, signature: [head, forged, signature].join('.') }
  await expect(verifyReceiptSignatureJWS(asForged)).rejects.toThrow('signature verification failed')
  await rotateSigningKey(stack.db, stack.secret)
  const keyOf = async () => {
    const [first] = extractOffersFromPaymentRequired((await fetchOffer(HASH, hello)).offer) as JWSSignedOffer[]
    return first?.signature.split('.')[0]
  }
  await eventually('offers to be signed by the new key', async () => (await keyOf()) !== head)
  expect([await verifyOffers(), await verifyReceiptSignatureJWS(receipt)]).toHaveLength(2)
  await stack.writeSetting('receipt.x402_enabled', false)
  await eventually('offers not to be signed', async () => (await keyOf()) === undefined)
  await stack.writeSetting('receipt.x402_enabled', true)
})

test('a wallet gets the receipt of what it paid for when it signs in, with the transaction, and other wallets do not', async () => {
  const payer = await evm.payer(50_000n)
  const paid = await createPayingFetch(payer)(stack.url + HASH, hello)
  const path = `/v1/jobs/${paid.headers.get('x-service-job-id')}/receipt`
  const ask = async (wallet: Payer) => {
    const http = new x402HTTPClient(createPayingClient(wallet)).onPaymentRequired(createSIWxClientHook(wallet))
    const { offer } = await fetchOffer(path, {})
    return fetch(stack.url + path, { headers: (await http.handlePaymentRequired(offer, stack.url + path))! })
  }
  const answer = await ask(payer)
  expect(answer.status).toBe(200)
  const { receipt, payload } = await answer.json()
  const { transaction, network } = decodePaymentResponseHeader(paid.headers.get('payment-response')!)
  expect(payload).toMatchObject({
    ...{ operation: 'utils.hash', request_sha256: expect.stringMatching(/^\w{64}$/) },
    payer: { wallet: payer.address.toLowerCase(), network, asset: 'USDC', transaction },
    price: { held_micros: '1000', charged_micros: '1000' },
  })
  const keys = createRemoteJWKSet(new URL(`${stack.url}/.well-known/jwks.json`))
  expect((await compactVerify(receipt, keys)).protectedHeader.typ).toBe('svc-receipt+jws')
  const other = await evm.payer(50_000n)
  await createPayingFetch(other)(stack.url + HASH, hello)
  expect((await ask(other)).status).toBe(404)
})

test('two payments with one identifier are one call and one charge', async () => {
  const payer = await evm.payer(50_000n)
  const client = createPayingClient(payer)
  const http = new x402HTTPClient(client)
  const { offer } = await fetchOffer(HASH, hello)
  expect(isPaymentIdentifierExtension(offer.extensions![PAYMENT_IDENTIFIER])).toBe(true)
  appendPaymentIdentifierToExtensions(offer.extensions!, 'pay_of_the_tests_0001')
  const send = async () => {
    const headers = http.encodePaymentSignatureHeader(await client.createPaymentPayload(offer))
    return fetch(stack.url + HASH, { ...hello, headers: { ...json, ...headers } })
  }
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([200, 200])
  expect([first, second].map(reply => reply.headers.get('idempotency-replayed'))).toEqual([null, 'true'])
  expect(await second.json()).toEqual(await first.json())
  expect(decodePaymentResponseHeader(first.headers.get('payment-response')!).success).toBe(true)
  expect(await evm.balance(payer.address)).toBe(40_000n)
})

test('discovery reads every operation from its offer, and its example matches its schema', async () => {
  const { paths } = (await (await fetch(`${stack.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  // What is done to one baton is not for sale to those who do not have it.
  const payable = Object.entries(paths).filter(
    ([path, { post }]: [string, { post?: Record<string, unknown> }]) => post?.['x-svc-price'] && !path.includes('{'),
  )
  expect(payable.length).toBeGreaterThan(40)
  for (const [path] of payable) {
    const unpaid = await fetch(stack.url + path, { method: 'POST' })
    // What cannot run here is not for sale.
    if (unpaid.status === 503) continue
    const { offer } = await fetchOffer(path, { method: 'POST' })
    const bazaar = offer.extensions?.[BAZAAR.key] as never
    expect([path, validateDiscoveryExtension(bazaar)]).toEqual([path, { valid: true }])
    expect([path, validateDiscoveryExtensionSpec(bazaar)]).toEqual([path, { valid: true }])
    const [accepted] = offer.accepts
    const offered = { x402Version: 2, resource: offer.resource, accepted, payload: {}, extensions: offer.extensions }
    expect(extractDiscoveryInfo(offered as never, accepted!)).toMatchObject({
      resourceUrl: stack.url + path,
      method: 'POST',
      x402Version: 2,
    })
  }
})
