import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deriveKey, hashApiKey } from '../../../ops/secrets.ts'
import { creditAccount, suspendAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { createWallet, signChallenge, signInWithWallet } from '../../support/chain/wallet.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 100_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const verify = (payload: object) => api.app.inject({ method: 'POST', url: '/v1/auth/verify', payload })
const getAccount = (token: string) =>
  api.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })

test('a wallet that signs its challenge can call everything that a key can', async () => {
  const wallet = createWallet()
  const challenge = await api.app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address.toLowerCase()}` })
  expect(challenge.json()).toMatchObject({ address: wallet.address, chainId: 8_453, domain: '127.0.0.1:8080' })
  const { message, nonce, expiresAt } = challenge.json()
  expect(message).toContain(`Nonce: ${nonce}`)
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(300_000)
  const answer = await verify({ message, signature: await wallet.signMessage({ message }) })
  expect(answer.statusCode).toBe(200)
  const { token, tokenType, expiresIn, customerId, address } = answer.json()
  expect([tokenType, expiresIn, address]).toEqual(['Bearer', 2_592_000, wallet.address])
  expect((await getAccount(token)).json()).toMatchObject({ id: customerId, wallets: [{ address: wallet.address }] })
  await creditAccount(api.context.db, { accountId: customerId, amountMicros: 2_000n })
  const headers = { authorization: `Bearer ${token}` }
  const call = await api.app.inject({ method: 'POST', url: '/v1/utils/uuid', payload: {}, headers })
  expect([call.statusCode, call.headers['x-service-charged-micros']]).toEqual([200, '1000'])
  expect((await api.app.inject({ url: '/v1/account/ledger', headers })).json().data).toHaveLength(2)
})

test('a challenge is written and read by the clock of the database', async () => {
  const wallet = createWallet()
  const now = vi.spyOn(api.context.clock, 'now').mockReturnValue(Date.now() - 120_000)
  const challenge = await api.app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address.toLowerCase()}` })
  const { message, issuedAt } = challenge.json()
  expect(Date.parse(issuedAt)).toBe(api.context.clock.now())
  now.mockReturnValue(Date.now() + 3_600_000)
  const late = await verify({ message, signature: await wallet.signMessage({ message }) })
  expect(late.json()).toMatchObject({ code: 'SIGN_IN_FAILED', reason: 'message' })
  now.mockRestore()
})

test('the same wallet always gets the same account', async () => {
  const wallet = createWallet()
  const [first, second] = [await signInWithWallet(api.app, wallet), await signInWithWallet(api.app, wallet)]
  expect(second.accountId).toBe(first.accountId)
  expect(second.token).not.toBe(first.token)
})

test('of a hundred concurrent uses of one challenge, one succeeds', async () => {
  const payload = await signChallenge(api.app, createWallet())
  const answers = await Promise.all(Array.from({ length: 100 }, () => verify(payload)))
  const codes = answers.map(({ statusCode }) => statusCode)
  expect(codes.filter(code => code === 200)).toHaveLength(1)
  expect(codes.filter(code => code === 401)).toHaveLength(99)
})

test.each([
  ['another address', (text: string) => text.replace(/0x[0-9a-fA-F]{40}/, createWallet().address), 'address'],
  ['another chain', (text: string) => text.replace('Chain ID: 8453', 'Chain ID: 1'), 'chain'],
  ['another domain', (text: string) => text.replace(/^\S+/, 'evil.example'), 'domain'],
  ['another site', (text: string) => text.replace(/URI: \S+/, 'URI: https://evil.example/'), 'domain'],
  ['another nonce', (text: string) => text.replace(/Nonce: \S+/, 'Nonce: 00000000aaaaaaaa'), 'nonce'],
  [
    'an expiration in the past',
    (text: string) => text.replace(/Expiration Time: \S+/, 'Expiration Time: 2020-01-01T00:00:00Z'),
    'message',
  ],
  ['another format', () => 'let me in', 'message'],
])('a signed message with %s is refused', async (_name, change, reason) => {
  const answer = await verify(await signChallenge(api.app, createWallet(), change))
  expect([answer.statusCode, answer.json()]).toEqual([401, expect.objectContaining({ code: 'SIGN_IN_FAILED', reason })])
})

test('a signature of another wallet is refused and uses up the challenge', async () => {
  const wallet = createWallet()
  const { message, signature } = await signChallenge(api.app, wallet)
  const forged = await createWallet().signMessage({ message })
  expect((await verify({ message, signature: forged })).json()).toMatchObject({ reason: 'signature' })
  expect((await verify({ message, signature })).json()).toMatchObject({ reason: 'nonce' })
  expect((await verify({ message, signature: '0x00' })).statusCode).toBe(401)
})

test('a challenge expires after five minutes', async () => {
  const payload = await signChallenge(api.app, createWallet())
  await rows(api.context.db, "update svc.wallet_challenge set expires_at = now() - interval '1 second'")
  expect((await verify(payload)).json()).toMatchObject({ code: 'SIGN_IN_FAILED', reason: 'nonce' })
})

test.each(['', 'wallet=0x12', 'wallet=0xZZ', 'address=0x0000000000000000000000000000000000000000'])(
  'no challenge is given for %s',
  async query => {
    expect((await api.app.inject({ url: `/v1/auth/challenge?${query}` })).statusCode).toBe(400)
  },
)

interface TokenChanges {
  alg?: 'HS256' | 'HS512'
  key?: Buffer
  kid?: string
  issuer?: string
  audience?: string
  expires?: string
  version?: number
  without?: string
}

async function signToken(accountId: string, changes: TokenChanges = {}): Promise<string> {
  const { secret, publicUrl } = api.context.config
  const claims: Record<string, unknown> = {
    wallet: createWallet().address,
    ver: changes.version ?? 1,
    jti: 'j',
    sub: accountId,
  }
  if (changes.without) delete claims[changes.without]
  return new SignJWT(claims)
    .setProtectedHeader({ alg: changes.alg ?? 'HS256', kid: changes.kid ?? 'w1' })
    .setIssuer(changes.issuer ?? publicUrl)
    .setAudience(changes.audience ?? `${publicUrl}/v1`)
    .setIssuedAt()
    .setExpirationTime(changes.expires ?? '1h')
    .sign(changes.key ?? deriveKey(secret, 'wallet token 1'))
}

test.each<[string, TokenChanges]>([
  ['under another key', { key: Buffer.alloc(32, 7) }],
  ['with another algorithm', { alg: 'HS512', key: Buffer.alloc(64, 1) }],
  ['under an unnamed key', { kid: '' }],
  ['under a future key', { kid: 'w9' }],
  ['for another audience', { audience: 'https://elsewhere.example/v1' }],
  ['from another issuer', { issuer: 'https://elsewhere.example' }],
  ['that has expired', { expires: '-1s' }],
  ['of a version that was revoked', { version: 0 }],
  ['without an id', { without: 'jti' }],
  ['without a subject', { without: 'sub' }],
])('a token %s is refused', async (_name, changes) => {
  const { accountId } = await signInWithWallet(api.app, createWallet())
  expect((await getAccount(await signToken(accountId))).statusCode).toBe(200)
  const answer = await getAccount(await signToken(accountId, changes))
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'UNAUTHENTICATED'])
})

test('an unsigned token is refused, however it spells "none"', async () => {
  const { token } = await signInWithWallet(api.app, createWallet())
  const [, claims, signature] = token.split('.')
  for (const alg of ['none', 'None', 'NONE', '']) {
    const head = Buffer.from(JSON.stringify({ alg, kid: 'w1' })).toString('base64url')
    for (const tail of ['', signature, 'AA'])
      expect((await getAccount(`${head}.${claims}.${tail}`)).statusCode).toBe(401)
  }
})

test('revoking invalidates every token of the account at once, and a new one works', async () => {
  const wallet = createWallet()
  const [one, other] = [await signInWithWallet(api.app, wallet), await signInWithWallet(api.app, wallet)]
  expect((await getAccount(other.token)).statusCode).toBe(200)
  const headers = { authorization: `Bearer ${one.token}` }
  expect((await api.app.inject({ method: 'POST', url: '/v1/auth/revoke', headers })).json()).toEqual({ revoked: true })
  expect([(await getAccount(one.token)).statusCode, (await getAccount(other.token)).statusCode]).toEqual([401, 401])
  expect((await getAccount((await signInWithWallet(api.app, wallet)).token)).statusCode).toBe(200)
})

test('tokens of the previous key generation are accepted, older ones are not', async () => {
  const { token } = await signInWithWallet(api.app, createWallet())
  const setGeneration = async (generation: number) => {
    await writeSetting(api.context.db, 'auth.token_generation', generation)
    await api.context.settings.refresh()
    api.context.keys.forget()
    return (await getAccount(token)).statusCode
  }
  expect([await setGeneration(2), await setGeneration(3), await setGeneration(1)]).toEqual([200, 401, 200])
})

test('a suspended account is refused with its token', async () => {
  const { token, accountId } = await signInWithWallet(api.app, createWallet())
  await suspendAccount(api.context.db, accountId, true)
  api.context.keys.forget()
  expect((await getAccount(token)).json().code).toBe('ACCOUNT_SUSPENDED')
})

test('sign-in attempts are counted by address', async () => {
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 2)
  await api.context.settings.refresh()
  const request = () =>
    api.app.inject({ url: `/v1/auth/challenge?wallet=${createWallet().address}`, remoteAddress: '192.0.2.7' })
  const codes = [await request(), await request(), await request()].map(({ statusCode }) => statusCode)
  expect(codes).toEqual([200, 200, 429])
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 100_000)
  await api.context.settings.refresh()
})

test('calls of a wallet count for the wallet and for its account', async () => {
  const { db, settings, config } = api.context
  const { token, accountId } = await signInWithWallet(api.app, createWallet())
  const key = await createKey(db, { accountId, mode: 'live', hash: apiKey => hashApiKey(config.secret, apiKey) })
  const setLimit = async (name: 'rate.wallet_per_minute' | 'rate.account_per_minute', calls: number | null) => {
    await writeSetting(db, name, calls)
    await settings.refresh()
  }
  await setLimit('rate.wallet_per_minute', 2)
  const codes = [await getAccount(token), await getAccount(token), await getAccount(token), await getAccount(key)]
  expect(codes.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429, 200])
  expect(codes[2]!.headers['retry-after']).toMatch(/^\d+$/)
  await setLimit('rate.wallet_per_minute', null)
  await setLimit('rate.account_per_minute', 4)
  expect([await getAccount(key), await getAccount(token)].map(({ statusCode }) => statusCode)).toEqual([200, 429])
  await setLimit('rate.account_per_minute', null)
})

test('x402 does not apply to products, and there is no product to enrol in', async () => {
  const { token } = await signInWithWallet(api.app, createWallet())
  const request = (headers: Record<string, string>) => api.app.inject({ url: '/v1/account/products', headers })
  expect((await request({})).json().code).toBe('MISSING_AUTH')
  const paid = await request({ 'payment-signature': 'e30=' })
  expect([paid.statusCode, paid.json().code]).toEqual([400, 'X402_NOT_APPLICABLE'])
  expect((await request({ authorization: `Bearer ${token}` })).json()).toEqual({ products: [] })
  const headers = { authorization: `Bearer ${token}` }
  const enable = await api.app.inject({ method: 'POST', url: '/v1/account/products/vectors/enable', headers })
  expect(enable.statusCode).toBe(404)
})
