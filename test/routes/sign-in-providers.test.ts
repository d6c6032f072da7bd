import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../sql/setting.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { type IdentityProvider, openIdentityProvider, type Person } from '../support/identity-provider.ts'
import { cookieOf, signedIn } from '../support/signed-in.ts'

let provider: IdentityProvider
let door: FrontDoor
beforeAll(async () => {
  provider = await openIdentityProvider()
  door = await openFrontDoor(provider.env)
  await writeSetting(door.floor.db, 'rate.sign_in_per_minute', 1_000)
  await door.floor.settings.refresh()
})
afterAll(async () => {
  await door[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

async function begin(name: string, cookie = '') {
  const answer = await door.app.inject({ url: `/sign-in/${name}`, headers: { cookie } })
  const attempt = String([answer.headers['set-cookie']].flat()[0]).split(';')[0]!
  return { address: String(answer.headers.location), attempt }
}

function comeBack(name: string, query: URLSearchParams, cookie: string) {
  return door.app.inject({ url: `/sign-in/${name}/callback?${query}`, headers: { cookie } })
}

async function signInBy(name: string, person: Person, session = '') {
  const { address, attempt } = await begin(name, session)
  return comeBack(name, provider.agree(address, person), [attempt, session].filter(Boolean).join('; '))
}

/** The account behind a cookie, told by a key it makes. */
async function accountOf(cookie: string): Promise<string> {
  const keys = await door.app.inject({ url: '/v1/account/api-keys', headers: { cookie } })
  const headers = { cookie, origin: door.floor.config.publicUrl, 'x-csrf-token': String(keys.headers['x-csrf-token']) }
  const made = await door.app.inject({ method: 'POST', url: '/v1/account/api-keys/regenerate', headers, payload: {} })
  const authorization = `Bearer ${made.json().apiKey}`
  return (await door.app.inject({ url: '/v1/account', headers: { authorization } })).json().id
}

test.each(['github', 'google'])(
  '%s is asked with state, nonce and PKCE, and lets the same person into one account',
  async name => {
    const { address } = await begin(name)
    const asked = new URL(address).searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('redirect_uri')).toBe(`${door.floor.config.publicUrl}/sign-in/${name}/callback`)
    for (const word of ['state', 'nonce', 'code_challenge']) expect(asked.get(word)!.length).toBeGreaterThan(20)
    const first = await signInBy(name, { id: 1, email: 'ada@example.com' })
    expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard'])
    const again = await signInBy(name, { id: 1, email: 'moved@example.com' })
    const other = await signInBy(name, { id: 2, email: 'ada@example.com' })
    const accounts = [
      await accountOf(cookieOf(first)),
      await accountOf(cookieOf(again)),
      await accountOf(cookieOf(other)),
    ]
    expect(accounts[1]).toBe(accounts[0])
    expect(accounts[2]).not.toBe(accounts[0])
  },
)

test.each(['github', 'google'])(
  '%s: another state, no attempt, and an attempt of another provider sign nobody in',
  async name => {
    const person = { id: 3, email: 'eve@example.com' }
    const [one, other] = [await begin(name), await begin(name)]
    const query = provider.agree(one.address, person)
    const elsewhere = await begin(name === 'github' ? 'google' : 'github')
    const answers = [
      await comeBack(name, query, other.attempt),
      await comeBack(name, query, ''),
      await comeBack(name, query, elsewhere.attempt),
      await comeBack(name, query, `${one.attempt}x`),
      await comeBack(name, new URLSearchParams({ code: 'guessed', state: query.get('state')! }), one.attempt),
      await comeBack(name, new URLSearchParams({ error: 'access_denied', state: query.get('state')! }), one.attempt),
    ]
    expect(answers.map(answer => [answer.statusCode, cookieOf(answer)])).toEqual(Array(6).fill([401, '']))
  },
)

test('a code serves once', async () => {
  const { address, attempt } = await begin('google')
  const query = provider.agree(address, { id: 4, email: 'once@example.com' })
  expect((await comeBack('google', query, attempt)).statusCode).toBe(303)
  expect((await comeBack('google', query, attempt)).statusCode).toBe(401)
})

test('an OpenID token with another nonce signs nobody in', async () => {
  const answer = await signInBy('google', { id: 5, email: 'nonce@example.com', nonce: 'another' })
  expect([answer.statusCode, cookieOf(answer)]).toEqual([401, ''])
})

test('a new identity joins the account that is signed in only with an address its provider has verified', async () => {
  const { cookie } = await signedIn(door, 'home@example.com')
  const home = await accountOf(cookie)
  const joined = await signInBy('github', { id: 10, email: 'home@example.com' }, cookie)
  expect(await accountOf(cookieOf(joined))).toBe(home)
  const second = await signedIn(door, 'home@example.com')
  const apart = await signInBy('google', { id: 11, email: 'home@example.com', isVerified: false }, second.cookie)
  expect(await accountOf(cookieOf(apart))).not.toBe(home)
})

test('a provider that is not configured is not there, and the page offers those that are', async () => {
  expect((await door.app.inject({ url: '/sign-in/gitlab' })).statusCode).toBe(404)
  const page = (await door.app.inject({ url: '/sign-in' })).payload
  expect([page.includes('Continue with GitHub'), page.includes('Continue with Google')]).toEqual([true, true])
})

test('a provider that does not answer is told apart from a person who may not', async () => {
  const closed = await openIdentityProvider()
  await closed[Symbol.asyncDispose]()
  await using far = await openFrontDoor(closed.env)
  expect((await far.app.inject({ url: '/sign-in/google' })).statusCode).toBe(503)
})
