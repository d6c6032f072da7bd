import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashWord } from '../../ops/secrets.ts'
import { newLink } from '../../ops/sign-in/link.ts'
import { createAccount, suspendAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { accountOf, offerLink } from '../../sql/session.ts'
import { writeSetting } from '../../sql/setting.ts'
import { type FrontDoor, openFrontDoor } from '../support/front-door.ts'
import { mailIn } from '../support/outbox.ts'
import { cookieOf, signedIn } from '../support/signed-in.ts'

let door: FrontDoor
beforeAll(async () => {
  door = await openFrontDoor({ TEST_CHECKOUT: 'true' })
  for (const name of ['rate.sign_in_per_minute', 'rate.mail_per_minute']) await writeSetting(door.floor.db, name, 1_000)
  await door.floor.settings.refresh()
})
afterAll(() => door[Symbol.asyncDispose]())

const form = () => ({ 'content-type': 'application/x-www-form-urlencoded', origin: door.floor.config.publicUrl })
const keysOf = (cookie: string) => door.app.inject({ url: '/v1/account/api-keys', headers: { cookie } })

test('a link signs in once; its cookie is for HTTP alone and for this site', async () => {
  const { first, cookie, link } = await signedIn(door)
  expect([first.statusCode, first.headers.location]).toEqual([303, '/dashboard'])
  const line = [first.headers['set-cookie']].flat().find(text => text?.startsWith('svc_session='))
  expect(line).toMatch(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await keysOf(cookie)).statusCode).toBe(200)
  const again = await door.app.inject({ method: 'POST', url: link, headers: form(), payload: '' })
  expect([again.statusCode, cookieOf(again)]).toEqual([401, ''])
})

test('looking at a link does not use it up, and of fifty uses at once one signs in', async () => {
  await door.app.inject({ method: 'POST', url: '/sign-in', headers: form(), payload: 'email=fifty%40example.com' })
  const text = (await mailIn(door.floor.config.dataDir)).findLast(({ to }) => to === 'fifty@example.com')!.text
  const url = /\/sign-in\/link\/[\w-]+/.exec(text)![0]
  for (let looks = 0; looks < 3; looks++) expect((await door.app.inject({ url })).statusCode).toBe(200)
  const uses = Array.from({ length: 50 }, () => door.app.inject({ method: 'POST', url, headers: form(), payload: '' }))
  const codes = (await Promise.all(uses)).map(({ statusCode }) => statusCode)
  expect(codes.filter(code => code === 303)).toHaveLength(1)
  expect((await door.app.inject({ url })).statusCode).toBe(401)
})

test('a link older than fifteen minutes is none, and only its hash was kept', async () => {
  const { db, config } = door.floor
  const hash = hashWord(config.secret, 'sign-in link', 'a'.repeat(43))
  await offerLink(db, { hash, email: 'late@example.com', minutes: 15 })
  const [kept] = await rows<{ minutes: number }>(
    db,
    'select extract(epoch from expires_at - now())::float8 / 60 as minutes from svc.sign_in_link where hash = $1',
    [hash],
  )
  expect(kept!.minutes).toBeGreaterThan(14)
  expect(kept!.minutes).toBeLessThanOrEqual(15)
  await rows(db, "update svc.sign_in_link set expires_at = now() - interval '1 second' where hash = $1", [hash])
  const url = `/sign-in/link/${'a'.repeat(43)}`
  expect((await door.app.inject({ url })).statusCode).toBe(401)
  expect((await door.app.inject({ method: 'POST', url, headers: form(), payload: '' })).statusCode).toBe(401)
})

test('the word of a session changes with every sign-in, and the planted one is worth nothing', async () => {
  const planted = `svc_session=${'p'.repeat(43)}`
  await door.app.inject({ method: 'POST', url: '/sign-in', headers: form(), payload: 'email=eve%40example.com' })
  const text = (await mailIn(door.floor.config.dataDir)).findLast(({ to }) => to === 'eve@example.com')!.text
  const url = /\/sign-in\/link\/[\w-]+/.exec(text)![0]
  const answer = await door.app.inject({ method: 'POST', url, headers: { ...form(), cookie: planted }, payload: '' })
  expect(cookieOf(answer)).not.toBe(planted)
  expect((await keysOf(planted)).statusCode).toBe(401)
  const { cookie } = await signedIn(door, 'twice@example.com')
  const second = await signedIn(door, 'twice@example.com')
  expect(second.cookie).not.toBe(cookie)
})

test('twelve idle hours end a session, and so does signing out', async () => {
  const one = await signedIn(door, 'idle@example.com')
  const hash = hashWord(door.floor.config.secret, 'session', one.cookie.split('=')[1]!)
  await rows(door.floor.db, "update svc.session set seen_at = now() - interval '11 hours' where hash = $1", [hash])
  expect((await keysOf(one.cookie)).statusCode).toBe(200)
  await rows(door.floor.db, "update svc.session set seen_at = now() - interval '12 hours' where hash = $1", [hash])
  expect((await keysOf(one.cookie)).statusCode).toBe(401)
  const other = await signedIn(door, 'leaving@example.com')
  const headers = { ...form(), cookie: other.cookie }
  const left = await door.app.inject({ method: 'POST', url: '/sign-out', headers, payload: `csrf=${other.csrf}` })
  expect(left.statusCode).toBe(303)
  expect((await keysOf(other.cookie)).statusCode).toBe(401)
})

test('a stolen cookie changes nothing without the token and the origin of our own pages', async () => {
  const { post, cookie, csrf, origin } = await signedIn(door, 'stolen@example.com')
  const other = await signedIn(door, 'thief@example.com')
  const regenerate = (headers: Record<string, string>) => post('/v1/account/api-keys/regenerate', {}, headers)
  const refused = [
    await regenerate({ 'x-csrf-token': '' }),
    await regenerate({ 'x-csrf-token': other.csrf }),
    await regenerate({ 'x-csrf-token': `${csrf}x` }),
    await regenerate({ origin: 'https://evil.example' }),
    await regenerate({ origin: 'null' }),
    await door.app.inject({
      method: 'POST',
      url: '/v1/billing/checkout',
      headers: { cookie, 'x-csrf-token': csrf },
      payload: { pack: '5' },
    }),
    await door.app.inject({ method: 'DELETE', url: '/v1/account/api-keys/x', headers: { cookie, origin } }),
  ]
  expect(refused.map(answer => [answer.statusCode, answer.json().code])).toEqual(Array(7).fill([403, 'CSRF_REJECTED']))
  for (const url of [
    '/dashboard/keys/new',
    '/dashboard/keys/revoke',
    '/dashboard/keys/limits',
    '/dashboard/billing',
    '/sign-out',
  ]) {
    const headers = { ...form(), cookie }
    const bare = await door.app.inject({ method: 'POST', url, headers, payload: 'prefix=x&amount=5' })
    const foreign = await door.app.inject({
      method: 'POST',
      url,
      headers: { ...headers, origin: 'https://evil.example' },
      payload: `csrf=${csrf}&amount=5`,
    })
    expect([url, bare.statusCode, foreign.statusCode]).toEqual([url, 403, 403])
  }
  expect((await keysOf(cookie)).json().data).toEqual([])
  expect((await regenerate({})).statusCode).toBe(201)
})

test('a bearer is not taken where a cookie is, nor a cookie where a bearer is', async () => {
  const { post, cookie, origin, csrf } = await signedIn(door, 'modes@example.com')
  const { apiKey } = (await post('/v1/account/api-keys/regenerate', {})).json()
  const bearer = { authorization: `Bearer ${apiKey}` }
  const onlyBearer = await door.app.inject({ url: '/v1/account/api-keys', headers: bearer })
  const both = await door.app.inject({ url: '/v1/account/api-keys', headers: { ...bearer, cookie } })
  expect([onlyBearer.statusCode, both.statusCode]).toEqual([401, 401])
  const rotated = await door.app.inject({
    method: 'POST',
    url: '/v1/account/api-keys/regenerate',
    headers: { ...bearer, origin, 'x-csrf-token': csrf },
    payload: {},
  })
  expect(rotated.statusCode).toBe(401)
  for (const url of ['/v1/account', '/v1/account/ledger', '/v1/jobs', '/v1/account/products']) {
    expect([url, (await door.app.inject({ url, headers: { cookie } })).statusCode]).toEqual([url, 401])
  }
  const call = await door.app.inject({ method: 'POST', url: '/v1/utils/uuid', headers: { cookie }, payload: {} })
  expect(call.statusCode).toBe(402)
  expect((await door.app.inject({ url: '/dashboard', headers: bearer })).headers.location).toBe('/sign-in')
})

test('a cookie that is none is no session, and of a suspended account none works', async () => {
  for (const cookie of ['svc_session=', 'svc_session=x', `svc_session=${'a'.repeat(43)}`, "svc_session=' or 1=1"]) {
    expect((await keysOf(cookie)).statusCode).toBe(401)
  }
  const { cookie } = await signedIn(door, 'shut@example.com')
  const accountId = await accountOf(door.floor.db, { provider: 'email', subject: 'shut@example.com', isTest: true })
  await suspendAccount(door.floor.db, accountId, true)
  expect((await keysOf(cookie)).json().code).toBe('ACCOUNT_SUSPENDED')
  expect((await door.app.inject({ url: '/dashboard', headers: { cookie } })).statusCode).toBe(403)
})

test('pages allow nothing from elsewhere, lie in no frame and are kept by nobody', async () => {
  const { cookie } = await signedIn(door, 'frame@example.com')
  for (const url of [
    '/',
    '/sign-in',
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/billing',
    '/dashboard/jobs/nothing',
  ]) {
    const { headers, payload } = await door.app.inject({ url, headers: { cookie, origin: 'https://evil.example' } })
    if (headers.location) continue
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(payload).not.toMatch(/ style="|<script>| on\w+="/)
  }
})

test('the cookie is Secure wherever the house is not this machine', async () => {
  await using far = await openFrontDoor({ PUBLIC_URL: 'https://api.example' })
  const { first } = await signedIn(far)
  expect(String(first.headers['set-cookie'])).toMatch(/; Secure$/)
  const page = await far.app.inject({ url: '/' })
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
  const before = (await mailIn(door.floor.config.dataDir)).length
  const payload = new URLSearchParams({ email }).toString()
  const answer = await door.app.inject({ method: 'POST', url: '/sign-in', headers: form(), payload })
  expect([answer.statusCode, (await mailIn(door.floor.config.dataDir)).length]).toEqual([400, before])
})

test('one address is sent so many links a minute, and the form must come from here', async () => {
  await writeSetting(door.floor.db, 'rate.mail_per_minute', 2)
  await door.floor.settings.refresh()
  const ask = (headers: Record<string, string>) =>
    door.app.inject({ method: 'POST', url: '/sign-in', headers, payload: 'email=flood%40example.com' })
  expect((await ask({ ...form(), origin: 'https://evil.example' })).statusCode).toBe(403)
  const codes = [await ask(form()), await ask(form()), await ask(form())].map(({ statusCode }) => statusCode)
  expect(codes).toEqual([200, 200, 429])
})

test('an operator opens the door to an account that has no address', async () => {
  const { db, config } = door.floor
  const { id: accountId } = await createAccount(db, { isTest: true })
  const { url, hash } = newLink(config)
  await offerLink(db, { hash, accountId, minutes: 15 })
  const { pathname } = new URL(url)
  const cookie = cookieOf(await door.app.inject({ method: 'POST', url: pathname, headers: form(), payload: '' }))
  expect((await door.app.inject({ url: '/dashboard', headers: { cookie } })).payload).toContain('Test account.')
})
