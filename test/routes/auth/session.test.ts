import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../../ops/providers/sign-in/link.ts'
import { hashToken } from '../../../ops/secrets.ts'
import { awaitOwner, createAccount, suspendAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createLink, findOrCreateAccount } from '../../../sql/session.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { sessionCookieOf, signInByLink } from '../../support/browser/sign-in.ts'
import { readOutbox } from '../../support/servers/outbox.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ TEST_CHECKOUT: 'true' })
  for (const name of ['rate.sign_in_per_minute', 'rate.mail_per_minute'])
    await writeSetting(api.context.db, name, 1_000)
  await api.context.settings.refresh()
})
afterAll(() => api[Symbol.asyncDispose]())

const formHeaders = () => ({
  'content-type': 'application/x-www-form-urlencoded',
  origin: api.context.config.publicUrl,
})
const listKeys = (cookie: string) => api.app.inject({ url: '/v1/account/api-keys', headers: { cookie } })

test('a link signs in once, and its cookie is HttpOnly and SameSite', async () => {
  const { response: first, cookie, link } = await signInByLink(api)
  expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard?signed-in=first'])
  const line = [first.headers['set-cookie']].flat().find(text => text?.startsWith('svc_session='))
  expect(line).toMatch(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await listKeys(cookie)).statusCode).toBe(200)
  const again = await api.app.inject({ method: 'POST', url: link, headers: formHeaders(), payload: '' })
  expect([again.statusCode, sessionCookieOf(again)]).toEqual([401, ''])
})

test('opening a link does not use it up, and of fifty concurrent uses one signs in', async () => {
  await api.app.inject({
    method: 'POST',
    url: '/sign-in',
    headers: formHeaders(),
    payload: 'email=fifty%40example.com',
  })
  const text = (await readOutbox(api.context.config.dataDir)).findLast(({ to }) => to === 'fifty@example.com')!.text
  const url = /\/sign-in\/link\/[\w-]+/.exec(text)![0]
  for (let views = 0; views < 3; views++) expect((await api.app.inject({ url })).statusCode).toBe(200)
  const uses = Array.from({ length: 50 }, () =>
    api.app.inject({ method: 'POST', url, headers: formHeaders(), payload: '' }),
  )
  const codes = (await Promise.all(uses)).map(({ statusCode }) => statusCode)
  expect(codes.filter(code => code === 303)).toHaveLength(1)
  expect((await api.app.inject({ url })).statusCode).toBe(401)
})

test('a link expires after fifteen minutes, and only its hash is stored', async () => {
  const { db, config } = api.context
  const hash = hashToken(config.secret, 'sign-in link', 'a'.repeat(43))
  await createLink(db, { hash, email: 'late@example.com', minutes: 15 })
  const [kept] = await rows<{ minutes: number }>(
    db,
    'select extract(epoch from expires_at - now())::float8 / 60 as minutes from svc.sign_in_link where hash = $1',
    [hash],
  )
  expect(kept!.minutes).toBeGreaterThan(14)
  expect(kept!.minutes).toBeLessThanOrEqual(15)
  await rows(db, "update svc.sign_in_link set expires_at = now() - interval '1 second' where hash = $1", [hash])
  const url = `/sign-in/link/${'a'.repeat(43)}`
  expect((await api.app.inject({ url })).statusCode).toBe(401)
  expect((await api.app.inject({ method: 'POST', url, headers: formHeaders(), payload: '' })).statusCode).toBe(401)
})

test('every sign-in creates a new session token, and a planted one is useless', async () => {
  const planted = `svc_session=${'p'.repeat(43)}`
  await api.app.inject({ method: 'POST', url: '/sign-in', headers: formHeaders(), payload: 'email=eve%40example.com' })
  const text = (await readOutbox(api.context.config.dataDir)).findLast(({ to }) => to === 'eve@example.com')!.text
  const url = /\/sign-in\/link\/[\w-]+/.exec(text)![0]
  const answer = await api.app.inject({
    method: 'POST',
    url,
    headers: { ...formHeaders(), cookie: planted },
    payload: '',
  })
  expect(sessionCookieOf(answer)).not.toBe(planted)
  expect((await listKeys(planted)).statusCode).toBe(401)
  const { cookie } = await signInByLink(api, 'twice@example.com')
  const second = await signInByLink(api, 'twice@example.com')
  expect(second.cookie).not.toBe(cookie)
})

test('a session ends after twelve idle hours, or by signing out', async () => {
  const one = await signInByLink(api, 'idle@example.com')
  const hash = hashToken(api.context.config.secret, 'session', one.cookie.split('=')[1]!)
  await rows(api.context.db, "update svc.session set seen_at = now() - interval '11 hours' where hash = $1", [hash])
  expect((await listKeys(one.cookie)).statusCode).toBe(200)
  await rows(api.context.db, "update svc.session set seen_at = now() - interval '12 hours' where hash = $1", [hash])
  expect((await listKeys(one.cookie)).statusCode).toBe(401)
  const other = await signInByLink(api, 'leaving@example.com')
  const headers = { ...formHeaders(), cookie: other.cookie }
  const signedOut = await api.app.inject({ method: 'POST', url: '/sign-out', headers, payload: `csrf=${other.csrf}` })
  expect(signedOut.statusCode).toBe(303)
  expect((await listKeys(other.cookie)).statusCode).toBe(401)
})

test('a stolen cookie can change nothing without the CSRF token and our origin', async () => {
  const { post, cookie, csrf, origin } = await signInByLink(api, 'stolen@example.com')
  const other = await signInByLink(api, 'thief@example.com')
  const regenerate = (headers: Record<string, string>) => post('/v1/account/api-keys/regenerate', {}, headers)
  const refused = [
    await regenerate({ 'x-csrf-token': '' }),
    await regenerate({ 'x-csrf-token': other.csrf }),
    await regenerate({ 'x-csrf-token': `${csrf}x` }),
    await regenerate({ origin: 'https://evil.example' }),
    await regenerate({ origin: 'null' }),
    await api.app.inject({
      method: 'POST',
      url: '/v1/billing/checkout',
      headers: { cookie, 'x-csrf-token': csrf },
      payload: { pack: '5' },
    }),
    await api.app.inject({ method: 'DELETE', url: '/v1/account/api-keys/x', headers: { cookie, origin } }),
  ]
  expect(refused.map(answer => [answer.statusCode, answer.json().code])).toEqual(Array(7).fill([403, 'CSRF_REJECTED']))
  for (const url of [
    '/dashboard/keys/new',
    '/dashboard/keys/revoke',
    '/dashboard/keys/change',
    '/dashboard/billing',
    '/sign-out',
  ]) {
    const headers = { ...formHeaders(), cookie }
    const bare = await api.app.inject({ method: 'POST', url, headers, payload: 'prefix=x&amount=5' })
    const foreign = await api.app.inject({
      method: 'POST',
      url,
      headers: { ...headers, origin: 'https://evil.example' },
      payload: `csrf=${csrf}&amount=5`,
    })
    expect([url, bare.statusCode, foreign.statusCode]).toEqual([url, 403, 403])
  }
  expect((await listKeys(cookie)).json().data).toEqual([])
  expect((await regenerate({})).statusCode).toBe(201)
})

test('session routes refuse a bearer token, and other routes ignore a cookie', async () => {
  const { post, cookie, origin, csrf } = await signInByLink(api, 'modes@example.com')
  const { apiKey } = (await post('/v1/account/api-keys/regenerate', {})).json()
  const bearer = { authorization: `Bearer ${apiKey}` }
  const onlyBearer = await api.app.inject({ url: '/v1/account/api-keys', headers: bearer })
  const both = await api.app.inject({ url: '/v1/account/api-keys', headers: { ...bearer, cookie } })
  expect([onlyBearer.statusCode, both.statusCode]).toEqual([401, 401])
  const rotated = await api.app.inject({
    method: 'POST',
    url: '/v1/account/api-keys/regenerate',
    headers: { ...bearer, origin, 'x-csrf-token': csrf },
    payload: {},
  })
  expect(rotated.statusCode).toBe(401)
  for (const url of ['/v1/account', '/v1/account/ledger', '/v1/jobs', '/v1/account/products']) {
    expect([url, (await api.app.inject({ url, headers: { cookie } })).statusCode]).toEqual([url, 401])
  }
  const call = await api.app.inject({ method: 'POST', url: '/v1/utils/uuid', headers: { cookie }, payload: {} })
  expect(call.statusCode).toBe(402)
  expect((await api.app.inject({ url: '/dashboard', headers: bearer })).headers.location).toBe('/sign-in')
})

test('an invalid cookie is no session, and neither is one of a suspended account', async () => {
  for (const cookie of ['svc_session=', 'svc_session=x', `svc_session=${'a'.repeat(43)}`, "svc_session=' or 1=1"]) {
    expect((await listKeys(cookie)).statusCode).toBe(401)
  }
  const { cookie } = await signInByLink(api, 'shut@example.com')
  const accountId = await findOrCreateAccount(api.context.db, {
    provider: 'email',
    subject: 'shut@example.com',
    isTest: true,
  })
  await suspendAccount(api.context.db, accountId, true)
  expect((await listKeys(cookie)).json().code).toBe('ACCOUNT_SUSPENDED')
  expect((await api.app.inject({ url: '/dashboard', headers: { cookie } })).statusCode).toBe(403)
})

test('the browser of a suspended account still sees the public pages, and can sign in to another account only', async () => {
  const { cookie } = await signInByLink(api, 'closed@example.com')
  const { db, config } = api.context
  const closed = { provider: 'email', subject: 'closed@example.com', isTest: true } as const
  await suspendAccount(db, await findOrCreateAccount(db, closed), true)
  for (const url of ['/', '/sign-in']) {
    expect((await api.app.inject({ url, headers: { cookie } })).statusCode).toBe(200)
  }
  const signIn = async (email: string) => {
    const { url, hash } = createSignInLink(config)
    await createLink(db, { hash, email, minutes: 15 })
    const headers = { ...formHeaders(), cookie }
    return (await api.app.inject({ method: 'POST', url: new URL(url).pathname, headers, payload: '' })).statusCode
  }
  expect([await signIn('open@example.com'), await signIn('closed@example.com')]).toEqual([303, 403])
})

test('pages load nothing from other origins, cannot be framed, and are not cached', async () => {
  const { cookie } = await signInByLink(api, 'frame@example.com')
  for (const url of [
    '/',
    '/sign-in',
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/billing',
    '/dashboard/jobs/nothing',
  ]) {
    const { headers, payload } = await api.app.inject({ url, headers: { cookie, origin: 'https://evil.example' } })
    if (headers.location) continue
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(payload).not.toMatch(/ style="|<script>| on\w+="/)
  }
})

test('the cookie is Secure if the public address is https', async () => {
  await using remoteApi = await openInProcessApi({ PUBLIC_URL: 'https://api.example' })
  const { response: first } = await signInByLink(remoteApi)
  expect(String(first.headers['set-cookie'])).toMatch(/; Secure(;|$)/)
  const page = await remoteApi.app.inject({ url: '/' })
  expect(page.headers['strict-transport-security']).toBe('max-age=31536000')
})

test.each([
  '',
  'ada',
  'ada@',
  '@example.com',
  'a b@example.com',
  'ada@example.com,eve@example.com',
  'ada@example.com\r\nBcc: x@y.z',
])('no link is sent to %j', async email => {
  const before = (await readOutbox(api.context.config.dataDir)).length
  const payload = new URLSearchParams({ email }).toString()
  const answer = await api.app.inject({ method: 'POST', url: '/sign-in', headers: formHeaders(), payload })
  expect([answer.statusCode, (await readOutbox(api.context.config.dataDir)).length]).toEqual([400, before])
})

test('the links to one address are limited per minute, and the form must come from our origin', async () => {
  await writeSetting(api.context.db, 'rate.mail_per_minute', 2)
  await api.context.settings.refresh()
  const requestLink = (headers: Record<string, string>) =>
    api.app.inject({ method: 'POST', url: '/sign-in', headers, payload: 'email=flood%40example.com' })
  expect((await requestLink({ ...formHeaders(), origin: 'https://evil.example' })).statusCode).toBe(403)
  const codes = [
    await requestLink(formHeaders()),
    await requestLink(formHeaders()),
    await requestLink(formHeaders()),
  ].map(({ statusCode }) => statusCode)
  expect(codes).toEqual([200, 200, 429])
})

test('a form with a NUL character is refused', async () => {
  const send = (payload: string) => api.app.inject({ method: 'POST', url: '/sign-in', headers: formHeaders(), payload })
  expect((await send('email=a%00b@example.com')).statusCode).toBe(400)
})

test('an operator can create a sign-in link for an account without an email address', async () => {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db, { isTest: true })
  const { url, hash } = createSignInLink(config)
  await createLink(db, { hash, accountId, minutes: 15 })
  const { pathname } = new URL(url)
  const cookie = sessionCookieOf(
    await api.app.inject({ method: 'POST', url: pathname, headers: formHeaders(), payload: '' }),
  )
  expect((await api.app.inject({ url: '/dashboard', headers: { cookie } })).payload).toContain('Test account.')
})

test('the first new sign-in becomes the owner of the account that awaits one', async () => {
  const { db } = api.context
  const { id: accountId } = await createAccount(db, { isTest: true })
  await awaitOwner(db, accountId, true)
  const find = (email: string, isTest: boolean) =>
    findOrCreateAccount(db, { provider: 'email', subject: email, email, isTest })
  expect(await find('live@example.com', false)).not.toBe(accountId)
  const owners = await Promise.all(['one@example.com', 'two@example.com'].map(email => find(email, true)))
  expect(owners.filter(owner => owner === accountId)).toHaveLength(1)
  await awaitOwner(db, accountId, true)
  expect(await find('three@example.com', true)).not.toBe(accountId)
})
