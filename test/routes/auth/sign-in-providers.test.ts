import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { openView, sessionCookieOf, signInByLink } from '../../support/browser/sign-in.ts'
import {
  type IdentityProvider,
  openIdentityProvider,
  type TestIdentity,
} from '../../support/servers/identity-provider.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let provider: IdentityProvider
let api: InProcessApi
beforeAll(async () => {
  provider = await openIdentityProvider()
  api = await openInProcessApi(provider.env)
  await writeSetting(api.context.db, 'rate.sign_in_per_minute', 1_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

async function startSignIn(name: string, cookie = '') {
  const answer = await api.app.inject({ url: `/sign-in/${name}`, headers: { cookie } })
  const attempt = String([answer.headers['set-cookie']].flat()[0]).split(';')[0]!
  return { address: String(answer.headers.location), attempt }
}

function finishSignIn(name: string, query: URLSearchParams, cookie: string) {
  return api.app.inject({ url: `/sign-in/${name}/callback?${query}`, headers: { cookie } })
}

async function signInBy(name: string, person: TestIdentity, session = '') {
  const { address, attempt } = await startSignIn(name, session)
  return finishSignIn(name, provider.approve(address, person), [attempt, session].filter(Boolean).join('; '))
}

/** Finds the account of a session by creating a key with it. */
async function findAccountId(cookie: string): Promise<string> {
  const keys = await api.app.inject({ url: '/v1/account/api-keys', headers: { cookie } })
  const headers = { cookie, origin: api.context.config.publicUrl, 'x-csrf-token': String(keys.headers['x-csrf-token']) }
  const made = await api.app.inject({ method: 'POST', url: '/v1/account/api-keys/regenerate', headers, payload: {} })
  const authorization = `Bearer ${made.json().apiKey}`
  return (await api.app.inject({ url: '/v1/account', headers: { authorization } })).json().id
}

test.each(['github', 'google'])(
  '%s is called with state, nonce and PKCE, and the same person always gets the same account',
  async name => {
    const { address } = await startSignIn(name)
    const query = new URL(address).searchParams
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(query.get('redirect_uri')).toBe(`${api.context.config.publicUrl}/sign-in/${name}/callback`)
    for (const word of ['state', 'nonce', 'code_challenge']) expect(query.get(word)!.length).toBeGreaterThan(20)
    const first = await signInBy(name, { id: 1, email: 'ada@example.com' })
    expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard?signed-in=first'])
    const again = await signInBy(name, { id: 1, email: 'moved@example.com' })
    const other = await signInBy(name, { id: 2, email: 'ada@example.com' })
    const accounts = [
      await findAccountId(sessionCookieOf(first)),
      await findAccountId(sessionCookieOf(again)),
      await findAccountId(sessionCookieOf(other)),
    ]
    expect(accounts[1]).toBe(accounts[0])
    expect(accounts[2]).not.toBe(accounts[0])
  },
)

test.each(['github', 'google'])(
  '%s: another state, no attempt, or an attempt of another provider does not sign in',
  async name => {
    const person = { id: 3, email: 'eve@example.com' }
    const [one, other] = [await startSignIn(name), await startSignIn(name)]
    const query = provider.approve(one.address, person)
    const elsewhere = await startSignIn(name === 'github' ? 'google' : 'github')
    const answers = [
      await finishSignIn(name, query, other.attempt),
      await finishSignIn(name, query, ''),
      await finishSignIn(name, query, elsewhere.attempt),
      await finishSignIn(name, query, `${one.attempt}x`),
      await finishSignIn(name, new URLSearchParams({ code: 'guessed', state: query.get('state')! }), one.attempt),
      await finishSignIn(
        name,
        new URLSearchParams({ error: 'access_denied', state: query.get('state')! }),
        one.attempt,
      ),
    ]
    expect(answers.map(answer => [answer.statusCode, sessionCookieOf(answer)])).toEqual(Array(6).fill([401, '']))
  },
)

test('a code can be used once', async () => {
  const { address, attempt } = await startSignIn('google')
  const query = provider.approve(address, { id: 4, email: 'once@example.com' })
  expect((await finishSignIn('google', query, attempt)).statusCode).toBe(303)
  expect((await finishSignIn('google', query, attempt)).statusCode).toBe(401)
})

test('an OpenID token with another nonce does not sign in', async () => {
  const answer = await signInBy('google', { id: 5, email: 'nonce@example.com', nonce: 'another' })
  expect([answer.statusCode, sessionCookieOf(answer)]).toEqual([401, ''])
})

test('a new identity is linked to the signed-in account only with a verified email address', async () => {
  const { cookie } = await signInByLink(api, 'home@example.com')
  const accountId = await findAccountId(cookie)
  const linked = await signInBy('github', { id: 10, email: 'home@example.com' }, cookie)
  expect(await findAccountId(sessionCookieOf(linked))).toBe(accountId)
  const second = await signInByLink(api, 'home@example.com')
  const separate = await signInBy('google', { id: 11, email: 'home@example.com', isVerified: false }, second.cookie)
  expect(await findAccountId(sessionCookieOf(separate))).not.toBe(accountId)
})

test('an operator who sees the pages of an account does not join it by signing in', async () => {
  const customer = await signInByLink(api, 'seen@example.com')
  const accountId = await findAccountId(customer.cookie)
  const view = await openView(api, accountId)
  const signedIn = await signInBy('github', { id: 12, email: 'olga@example.com' }, view)
  expect(await findAccountId(sessionCookieOf(signedIn))).not.toBe(accountId)
})

test('a provider that is not configured is not found, and the page offers the configured ones', async () => {
  expect((await api.app.inject({ url: '/sign-in/gitlab' })).statusCode).toBe(404)
  const page = (await api.app.inject({ url: '/sign-in' })).payload
  expect([page.includes('Continue with GitHub'), page.includes('Continue with Google')]).toEqual([true, true])
})

test('a provider that does not answer is a 503, not a failed sign-in', async () => {
  const closed = await openIdentityProvider()
  await closed[Symbol.asyncDispose]()
  await using unreachableApi = await openInProcessApi(closed.env)
  expect((await unreachableApi.app.inject({ url: '/sign-in/google' })).statusCode).toBe(503)
})
