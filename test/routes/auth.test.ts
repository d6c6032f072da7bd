import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deriveKey, hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount, suspendAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { writeSetting } from '../../sql/setting.ts'
import { callOf } from '../support/books.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { newWallet, signChallenge, signInBy } from '../support/wallet.ts'

let door: FrontDoor
beforeAll(async () => {
  door = await openFrontDoor()
  await writeSetting(door.floor.db, 'rate.sign_in_per_minute', 100_000)
  await door.floor.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(door.floor.db)).toEqual([])
  await door[Symbol.asyncDispose]()
})

const verify = (payload: object) => door.app.inject({ method: 'POST', url: '/v1/auth/verify', payload })
const whoIs = (token: string) => door.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })

test('a wallet signs its challenge and is let in wherever a key is', async () => {
  const wallet = newWallet()
  const challenge = await door.app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address.toLowerCase()}` })
  expect(challenge.json()).toMatchObject({ address: wallet.address, chainId: 8_453, domain: '127.0.0.1:8080' })
  const { message, nonce, expiresAt } = challenge.json()
  expect(message).toContain(`Nonce: ${nonce}`)
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(300_000)
  const answer = await verify({ message, signature: await wallet.signMessage({ message }) })
  expect(answer.statusCode).toBe(200)
  const { token, tokenType, expiresIn, customerId, address } = answer.json()
  expect([tokenType, expiresIn, address]).toEqual(['Bearer', 2_592_000, wallet.address])
  expect((await whoIs(token)).json()).toMatchObject({ id: customerId, wallets: [{ address: wallet.address }] })
  await creditAccount(door.floor.db, { accountId: customerId, amountMicros: 2_000n })
  const headers = { authorization: `Bearer ${token}` }
  const call = await door.app.inject({ method: 'POST', url: '/v1/utils/uuid', payload: {}, headers })
  expect([call.statusCode, call.headers['x-service-charged-micros']]).toEqual([200, '1000'])
  expect((await door.app.inject({ url: '/v1/account/ledger', headers })).json().data).toHaveLength(2)
})

test('the same wallet comes to the same account again', async () => {
  const wallet = newWallet()
  const [first, second] = [await signInBy(door.app, wallet), await signInBy(door.app, wallet)]
  expect(second.accountId).toBe(first.accountId)
  expect(second.token).not.toBe(first.token)
})

test('of a hundred uses of one challenge at once, one is let in', async () => {
  const payload = await signChallenge(door.app, newWallet())
  const answers = await Promise.all(Array.from({ length: 100 }, () => verify(payload)))
  const codes = answers.map(({ statusCode }) => statusCode)
  expect(codes.filter(code => code === 200)).toHaveLength(1)
  expect(codes.filter(code => code === 401)).toHaveLength(99)
})

test.each([
  ['another address', (text: string) => text.replace(/0x[0-9a-fA-F]{40}/, newWallet().address), 'address'],
  ['another chain', (text: string) => text.replace('Chain ID: 8453', 'Chain ID: 1'), 'chain'],
  ['another domain', (text: string) => text.replace(/^\S+/, 'evil.example'), 'domain'],
  ['another site', (text: string) => text.replace(/URI: \S+/, 'URI: https://evil.example/'), 'domain'],
  ['another nonce', (text: string) => text.replace(/Nonce: \S+/, 'Nonce: 00000000aaaaaaaa'), 'nonce'],
  [
    'an end in the past',
    (text: string) => text.replace(/Expiration Time: \S+/, 'Expiration Time: 2020-01-01T00:00:00Z'),
    'message',
  ],
  ['no text of the kind', () => 'let me in', 'message'],
])('a signed text with %s lets nobody in', async (_name, change, reason) => {
  const answer = await verify(await signChallenge(door.app, newWallet(), change))
  expect([answer.statusCode, answer.json()]).toEqual([401, expect.objectContaining({ code: 'SIGN_IN_FAILED', reason })])
})

test('a signature of somebody else lets nobody in and uses the challenge up', async () => {
  const wallet = newWallet()
  const { message, signature } = await signChallenge(door.app, wallet)
  const forged = await newWallet().signMessage({ message })
  expect((await verify({ message, signature: forged })).json()).toMatchObject({ reason: 'signature' })
  expect((await verify({ message, signature })).json()).toMatchObject({ reason: 'nonce' })
  expect((await verify({ message, signature: '0x00' })).statusCode).toBe(401)
})

test('a challenge older than five minutes is none', async () => {
  const payload = await signChallenge(door.app, newWallet())
  await rows(door.floor.db, "update svc.wallet_challenge set expires_at = now() - interval '1 second'")
  expect((await verify(payload)).json()).toMatchObject({ code: 'SIGN_IN_FAILED', reason: 'nonce' })
})

test.each(['', 'wallet=0x12', 'wallet=0xZZ', 'address=0x0000000000000000000000000000000000000000'])(
  'a challenge is not given for %s',
  async query => {
    expect((await door.app.inject({ url: `/v1/auth/challenge?${query}` })).statusCode).toBe(400)
  },
)

interface Bent {
  alg?: 'HS256' | 'HS512'
  key?: Buffer
  kid?: string
  issuer?: string
  audience?: string
  expires?: string
  version?: number
  without?: string
}

async function tokenWith(accountId: string, bent: Bent = {}): Promise<string> {
  const { secret, publicUrl } = door.floor.config
  const claims: Record<string, unknown> = {
    wallet: newWallet().address,
    ver: bent.version ?? 1,
    jti: 'j',
    sub: accountId,
  }
  if (bent.without) delete claims[bent.without]
  return new SignJWT(claims)
    .setProtectedHeader({ alg: bent.alg ?? 'HS256', kid: bent.kid ?? 'w1' })
    .setIssuer(bent.issuer ?? publicUrl)
    .setAudience(bent.audience ?? `${publicUrl}/v1`)
    .setIssuedAt()
    .setExpirationTime(bent.expires ?? '1h')
    .sign(bent.key ?? deriveKey(secret, 'wallet token 1'))
}

test.each<[string, Bent]>([
  ['under another key', { key: Buffer.alloc(32, 7) }],
  ['by another algorithm', { alg: 'HS512', key: Buffer.alloc(64, 1) }],
  ['under a key that is not named', { kid: '' }],
  ['under a key of the future', { kid: 'w9' }],
  ['for another house', { audience: 'https://elsewhere.example/v1' }],
  ['from another house', { issuer: 'https://elsewhere.example' }],
  ['past its end', { expires: '-1s' }],
  ['of a version that was revoked', { version: 0 }],
  ['without an id', { without: 'jti' }],
  ['of nobody', { without: 'sub' }],
])('a token %s is refused', async (_name, bent) => {
  const { accountId } = await signInBy(door.app, newWallet())
  expect((await whoIs(await tokenWith(accountId))).statusCode).toBe(200)
  const answer = await whoIs(await tokenWith(accountId, bent))
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'UNAUTHENTICATED'])
})

test('an unsigned token is refused, however it spells "none"', async () => {
  const { token } = await signInBy(door.app, newWallet())
  const [, claims, signature] = token.split('.')
  for (const alg of ['none', 'None', 'NONE', '']) {
    const head = Buffer.from(JSON.stringify({ alg, kid: 'w1' })).toString('base64url')
    for (const tail of ['', signature, 'AA']) expect((await whoIs(`${head}.${claims}.${tail}`)).statusCode).toBe(401)
  }
})

test('revoking ends every token of the account at once, and a new one works', async () => {
  const wallet = newWallet()
  const [one, other] = [await signInBy(door.app, wallet), await signInBy(door.app, wallet)]
  expect((await whoIs(other.token)).statusCode).toBe(200)
  const headers = { authorization: `Bearer ${one.token}` }
  expect((await door.app.inject({ method: 'POST', url: '/v1/auth/revoke', headers })).json()).toEqual({ revoked: true })
  expect([(await whoIs(one.token)).statusCode, (await whoIs(other.token)).statusCode]).toEqual([401, 401])
  expect((await whoIs((await signInBy(door.app, wallet)).token)).statusCode).toBe(200)
})

test('a new generation of keys takes the tokens of the last and not of the one before', async () => {
  const { token } = await signInBy(door.app, newWallet())
  const raise = async (generation: number) => {
    await writeSetting(door.floor.db, 'auth.token_generation', generation)
    await door.floor.settings.refresh()
    door.floor.keys.forget()
    return (await whoIs(token)).statusCode
  }
  expect([await raise(2), await raise(3), await raise(1)]).toEqual([200, 401, 200])
})

test('a suspended account is refused with its token', async () => {
  const { token, accountId } = await signInBy(door.app, newWallet())
  await suspendAccount(door.floor.db, accountId, true)
  door.floor.keys.forget()
  expect((await whoIs(token)).json().code).toBe('ACCOUNT_SUSPENDED')
})

async function link(token: string, payload: object) {
  const headers = { authorization: `Bearer ${token}` }
  return door.app.inject({ method: 'POST', url: '/v1/account/wallets', headers, payload })
}

test('a wallet joins an account with what it had, once, however often that is asked at once', async () => {
  const { db } = door.floor
  const [mine, theirs] = [newWallet(), newWallet()]
  const [target, source] = [await signInBy(door.app, mine), await signInBy(door.app, theirs)]
  await creditAccount(db, { accountId: target.accountId, amountMicros: 5n })
  await creditAccount(db, { accountId: source.accountId, amountMicros: 7_000n })
  const signed = await Promise.all(Array.from({ length: 8 }, () => signChallenge(door.app, theirs)))
  const answers = await Promise.all(signed.map(payload => link(target.token, payload)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200))
  expect(answers.map(answer => answer.json().movedMicros).sort()).toEqual([...Array(7).fill('0'), '7000'])
  expect((await readAccount(db, target.accountId))!.balanceMicros).toBe('7005')
  expect((await readAccount(db, source.accountId))!.balanceMicros).toBe('0')
  expect((await whoIs(source.token)).statusCode).toBe(401)
  expect(await door.floor.jobs.instant(callOf(source.accountId, { lane: 'instant' }))).toEqual({ kind: 'suspended' })
  expect((await signInBy(door.app, theirs)).accountId).toBe(target.accountId)
  const { data } = (
    await door.app.inject({ url: '/v1/account/ledger', headers: { authorization: `Bearer ${target.token}` } })
  ).json()
  expect(
    data.map(({ type, amountMicros }: { type: string; amountMicros: string }) => `${type} ${amountMicros}`),
  ).toEqual(['topup 7000', 'topup 5'])
})

test('two accounts that take each other in at once lose nothing', async () => {
  const { db } = door.floor
  const [one, other] = [newWallet(), newWallet()]
  const [first, second] = [await signInBy(door.app, one), await signInBy(door.app, other)]
  await creditAccount(db, { accountId: first.accountId, amountMicros: 100n })
  await creditAccount(db, { accountId: second.accountId, amountMicros: 20n })
  const [signedOne, signedOther] = [await signChallenge(door.app, one), await signChallenge(door.app, other)]
  await Promise.all([link(first.token, signedOther), link(second.token, signedOne)])
  const [a, b] = [await readAccount(db, first.accountId), await readAccount(db, second.accountId)]
  expect(BigInt(a!.balanceMicros) + BigInt(b!.balanceMicros)).toBe(120n)
})

test('a wallet whose account more than it speaks for stays there, and test money stays test money', async () => {
  const { db } = door.floor
  const target = await signInBy(door.app, newWallet())
  const [pair, partner] = [newWallet(), newWallet()]
  const shared = await signInBy(door.app, pair)
  await link(shared.token, await signChallenge(door.app, partner))
  const refused = await link(target.token, await signChallenge(door.app, pair))
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'WALLET_TAKEN'])

  const play = newWallet()
  const { id } = await createAccount(db, { isTest: true })
  await creditAccount(db, { accountId: id, amountMicros: 1_000_000n })
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [play.address.toLowerCase(), id])
  expect((await link(target.token, await signChallenge(door.app, play))).json().code).toBe('WALLET_TAKEN')
  expect((await readAccount(db, target.accountId))!.balanceMicros).toBe('0')
})

test('a wallet with a job under way waits, and one of a suspended account stays', async () => {
  const { db } = door.floor
  const target = await signInBy(door.app, newWallet())
  const wallet = newWallet()
  const { token, accountId } = await signInBy(door.app, wallet)
  await creditAccount(db, { accountId, amountMicros: 5_000n })
  const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' }
  const { ticket } = (
    await door.app.inject({ method: 'POST', url: '/v1/text/slugify', payload: { text: 'a' }, headers })
  ).json()
  expect((await link(target.token, await signChallenge(door.app, wallet))).json().code).toBe('ACCOUNT_AT_WORK')
  await door.app.inject({ method: 'DELETE', url: `/v1/jobs/${ticket}`, headers: { authorization: `Bearer ${token}` } })
  await suspendAccount(db, accountId, true)
  expect((await link(target.token, await signChallenge(door.app, wallet))).json().code).toBe('ACCOUNT_SUSPENDED')
  await suspendAccount(db, accountId, false)
  expect((await link(target.token, await signChallenge(door.app, wallet))).json().movedMicros).toBe('5000')
  const job = await door.app.inject({ url: `/v1/jobs/${ticket}`, headers: { authorization: `Bearer ${target.token}` } })
  expect(job.statusCode).toBe(200)
})

test('tries to sign in are counted by address', async () => {
  await writeSetting(door.floor.db, 'rate.sign_in_per_minute', 2)
  await door.floor.settings.refresh()
  const ask = () =>
    door.app.inject({ url: `/v1/auth/challenge?wallet=${newWallet().address}`, remoteAddress: '192.0.2.7' })
  const codes = [await ask(), await ask(), await ask()].map(({ statusCode }) => statusCode)
  expect(codes).toEqual([200, 200, 429])
  await writeSetting(door.floor.db, 'rate.sign_in_per_minute', 100_000)
  await door.floor.settings.refresh()
})

test('a wallet is counted by itself, and with the keys of its account', async () => {
  const { db, settings, config } = door.floor
  const { token, accountId } = await signInBy(door.app, newWallet())
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const limit = async (name: 'rate.wallet_per_minute' | 'rate.account_per_minute', calls: number | null) => {
    await writeSetting(db, name, calls)
    await settings.refresh()
  }
  await limit('rate.wallet_per_minute', 2)
  const codes = [await whoIs(token), await whoIs(token), await whoIs(token), await whoIs(key)]
  expect(codes.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429, 200])
  expect(codes[2]!.headers['retry-after']).toMatch(/^\d+$/)
  await limit('rate.wallet_per_minute', null)
  await limit('rate.account_per_minute', 4)
  expect([await whoIs(key), await whoIs(token)].map(({ statusCode }) => statusCode)).toEqual([200, 429])
  await limit('rate.account_per_minute', null)
})

test('products are for accounts: x402 does not apply, and there is none to enrol in', async () => {
  const { token } = await signInBy(door.app, newWallet())
  const ask = (headers: Record<string, string>) => door.app.inject({ url: '/v1/account/products', headers })
  expect((await ask({})).json().code).toBe('MISSING_AUTH')
  const paid = await ask({ 'payment-signature': 'e30=' })
  expect([paid.statusCode, paid.json().code]).toEqual([400, 'X402_NOT_APPLICABLE'])
  expect((await ask({ authorization: `Bearer ${token}` })).json()).toEqual({ products: [] })
  const headers = { authorization: `Bearer ${token}` }
  const enable = await door.app.inject({ method: 'POST', url: '/v1/account/products/vectors/enable', headers })
  expect(enable.statusCode).toBe(404)
})
