import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../api/oauth/scopes.ts'
import { checkConnectorInvariants } from '../../../sql/connector/approvals.ts'
import { rows } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openOAuthClient, openVisitor, REDIRECT_URI } from '../../support/oauth/connection.ts'

let api: PaidApi
beforeAll(async () => {
  api = await openPaidApi()
  for (const name of ['rate.register_per_minute', 'rate.token_per_minute'])
    await writeSetting(api.context.db, name, 10_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkConnectorInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })
const readProfile = (token: string | undefined, url?: string) =>
  callTool(api.app, 'account_profile', {}, { headers: bearer(token), ...(url && { url }) })

test('a code works once, and its second use ends the tokens of the first', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const code = await client.approve(visitor)
  const { body, headers } = await client.redeem(code)
  expect(headers['cache-control']).toBe('no-store')
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'mcp:read mcp:write' })
  expect((await readProfile(body.access_token)).status).toBe(200)
  expect(await client.redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await readProfile(body.access_token)).status).toBe(401)
  expect(await client.refresh(body.refresh_token!)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('of fifty concurrent uses of a code one gets tokens', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const code = await client.approve(visitor)
  const replies = await Promise.all(Array.from({ length: 50 }, () => client.redeem(code)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
})

test.each([
  ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
  ['a short verifier', { code_verifier: 'short' }, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }, 'invalid_grant'],
  ['another client', { client_id: 'svc_client_other' }, 'invalid_grant'],
  ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
])('a code is not exchanged with %s', async (_name, changes, error) => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const code = await client.approve(visitor)
  expect(await client.redeem(code, changes)).toMatchObject({ status: 400, body: { error } })
  expect((await client.redeem(code)).status).toBe(200)
})

test('an expired code is refused', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const code = await client.approve(visitor)
  await rows(api.context.db, "update svc.oauth_code set expires_at = now() - interval '1 second'")
  expect(await client.redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('refresh tokens rotate; an old one ends all tokens of its approval', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const first = await client.connect(visitor)
  const { body: second } = await client.refresh(first.refresh_token!)
  expect(second.scope).toBe('mcp:read mcp:write')
  expect((await readProfile(second.access_token)).status).toBe(200)
  const { body: third } = await client.refresh(second.refresh_token!, { scope: 'mcp:read' })
  expect(third.scope).toBe('mcp:read')
  expect(await client.refresh(third.refresh_token!, { scope: 'admin' })).toMatchObject({
    body: { error: 'invalid_scope' },
  })
  expect(await client.refresh(first.refresh_token!)).toMatchObject({ body: { error: 'invalid_grant' } })
  for (const token of [first, second, third])
    expect((await readProfile(token.access_token)).status, token.scope).toBe(401)
  expect(await client.refresh(third.refresh_token!)).toMatchObject({ body: { error: 'invalid_grant' } })
})

test.each(['offline_access', ' offline_access ', ''])(
  'a refresh with the scope “%s” keeps what was granted',
  async scope => {
    const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
    const first = await client.connect(visitor)
    const { status, body } = await client.refresh(first.refresh_token!, { scope })
    expect([status, body.scope]).toEqual([200, 'mcp:read mcp:write'])
  },
)

test.each([
  ['no challenge', { code_challenge: undefined }],
  ['the plain method', { code_challenge_method: 'plain' }],
  ['no method, which would mean plain', { code_challenge_method: undefined }],
  ['an implicit grant', { response_type: 'token' }],
  ['an unknown scope', { scope: 'admin' }],
  ['a foreign resource', { resource: 'https://other.example/mcp' }],
  ['a resource that is only alike', { resource: 'http://127.0.0.1:8080/mcp/../mcp' }],
])('a request with %s gets no code and no redirect', async (_name, changes) => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const shown = await visitor.get(client.address(changes))
  expect([shown.statusCode, shown.headers.location]).toEqual([400, undefined])
  expect(shown.body).toContain('Return to client.example')
  const sent = await visitor.post(client.address(changes), { decision: 'approve', day: '' })
  expect([sent.statusCode, sent.headers.location]).toEqual([400, undefined])
})

test.each([
  'https://evil.example/callback',
  'https://client.example/callback/../other',
  'https://client.example/callback?next=https://evil.example',
  'https://client.example.evil.example/callback',
  'https://CLIENT.example/callback',
  '//evil.example',
  'javascript:alert(1)',
  'not an address',
])('a redirect to %s is refused on a page that leads nowhere', async redirect => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  for (const send of [
    visitor.get(client.address({ redirect_uri: redirect })),
    visitor.post(client.address({ redirect_uri: redirect }), { decision: 'deny' }),
  ]) {
    const reply = await send
    expect([reply.statusCode, reply.headers.location]).toEqual([400, undefined])
    expect(reply.body).not.toContain('evil')
  }
  expect((await visitor.get(client.address({ client_id: 'svc_client_unknown' }))).statusCode).toBe(400)
  expect((await visitor.get(`${client.address()}&redirect_uri=https%3A%2F%2Fevil.example`)).statusCode).toBe(400)
})

test('on the own machine any port will do, and nothing else may differ', async () => {
  const visitor = await openVisitor(api)
  const client = await openOAuthClient(api, 'http://127.0.0.1:1234/callback')
  const status = async (redirect: string) => (await visitor.get(client.address({ redirect_uri: redirect }))).statusCode
  expect(await status('http://127.0.0.1:65000/callback')).toBe(200)
  expect(await status('http://127.0.0.1/callback')).toBe(200)
  for (const other of [
    'http://127.0.0.1:65000/other',
    'http://127.0.0.1.evil.example:1/callback',
    'http://127.0.0.1:1@evil.example/callback',
    'http://10.0.0.1:1234/callback',
  ])
    expect(await status(other), other).toBe(400)
})

test('consent needs the token and the origin of our own page, and cannot be framed', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const page = await visitor.get(client.address())
  expect(page.headers['x-frame-options']).toBe('DENY')
  expect(page.headers['content-security-policy']).toMatch(
    /form-action 'self' https:\/\/client\.example;.*frame-ancestors 'none'/,
  )
  for (const [fields, headers] of [
    [{ csrf: 'wrong' }, {}],
    [{}, { origin: 'https://evil.example' }],
    [{}, { origin: 'null' }],
  ] as const) {
    const reply = await visitor.post(client.address(), { decision: 'approve', day: '', ...fields }, headers)
    expect([reply.statusCode, reply.headers.location]).toEqual([403, undefined])
  }
  const wrong = await visitor.post(client.address(), { decision: 'approve', day: 'much' })
  expect([wrong.statusCode, wrong.body.includes('Enter an amount')]).toEqual([400, true])
  const denied = await visitor.post(client.address(), { decision: 'deny' })
  expect(denied.headers.location).toMatch(
    /^https:\/\/client\.example\/callback\?error=access_denied&.*state=a\+state&iss=http/,
  )
})

test('a token is good for its own resource, in the header, and nowhere else', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const { access_token: token, refresh_token: other } = await client.connect(visitor)
  expect((await readProfile(token, '/mcp/full')).status).toBe(200)
  expect((await readProfile(other)).status).toBe(401)
  const { status, headers } = await callTool(api.app, 'account_profile', {}, { url: `/mcp?key=${token}` })
  expect(status).toBe(401)
  expect(headers['www-authenticate']).toMatch(/error="invalid_token"/)
  for (const url of ['/v1/account', '/v1/jobs', '/v1/webhooks', '/v1/utils/hash', '/v1/account/api-keys']) {
    const reply = await api.app.inject({
      method: url.endsWith('hash') ? 'POST' : 'GET',
      url,
      headers: bearer(token),
      payload: url.endsWith('hash') ? { text: 'abc' } : undefined,
    })
    expect([url, reply.statusCode]).toEqual([url, 401])
    expect(reply.json()).toMatchObject({ code: 'UNAUTHENTICATED', resource: client.resource })
  }
  const full = await client.connect(visitor, { resource: `${client.resource}/full` })
  expect((await readProfile(full.access_token, '/mcp/full')).status).toBe(200)
  expect((await readProfile(full.access_token)).status).toBe(401)
})

test('a connector manages neither webhooks nor keys nor money, and reads only what it was approved for', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const { access_token: token } = await client.connect(visitor)
  const headers = bearer(token)
  const url = '/mcp/full'
  for (const [name, args] of [
    ['webhooks_register', { url: 'https://93.184.216.34/x', events: ['job.completed'] }],
    ['webhooks_list', {}],
    ['account_link_wallet', { message: 'x', signature: '0x00' }],
    ['account_ledger', {}],
    ['auth_revoke', {}],
    ['billing_crypto_checkout', { amountUsd: '5' }],
  ] as const) {
    const { body } = await callTool(api.app, name, args, { headers, url })
    expect([name, body.result.structuredContent.code]).toEqual([name, 'FORBIDDEN'])
  }
  const reader = await client.connect(visitor, { scope: 'mcp:read' })
  expect((await readProfile(reader.access_token)).status).toBe(200)
  const refused = await callTool(api.app, 'utils_hash', { text: 'abc' }, { headers: bearer(reader.access_token) })
  expect(refused.status).toBe(403)
  expect(refused.headers['www-authenticate']).toBe(
    `Bearer error="insufficient_scope", resource_metadata="${api.context.config.publicUrl}/.well-known/oauth-protected-resource/mcp", scope="${SCOPES.join(' ')}"`,
  )
})

test('revoked tokens end, but not those that another client names', async () => {
  const [visitor, client, other] = [await openVisitor(api), await openOAuthClient(api), await openOAuthClient(api)]
  const tokens = await client.connect(visitor)
  expect((await other.revoke(tokens.refresh_token!)).status).toBe(200)
  expect((await readProfile(tokens.access_token)).status).toBe(200)
  expect((await client.revoke(tokens.access_token!)).status).toBe(200)
  expect((await readProfile(tokens.access_token)).status).toBe(401)
  const { body } = await client.refresh(tokens.refresh_token!)
  expect((await client.revoke(body.refresh_token!)).status).toBe(200)
  expect((await readProfile(body.access_token)).status).toBe(401)
  expect(await client.revoke('unknown')).toMatchObject({ status: 200, body: {} })
})

test.each([
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['http://client.example/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['https://client.example/#part'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: Array.from({ length: 11 }, () => REDIRECT_URI) }, 'invalid_redirect_uri'],
  [{ redirect_uris: [REDIRECT_URI], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  [[], 'invalid_client_metadata'],
])('a registration of %j is refused', async (payload, error) => {
  const reply = await api.app.inject({ method: 'POST', url: '/oauth/register', payload })
  expect([reply.statusCode, reply.json().error]).toEqual([400, error])
})

test('no input of an endpoint is a fault of ours', async () => {
  for (const [url, type, payload] of [
    ['/oauth/token', 'application/json', '{"grant_type":"authorization_code"}'],
    ['/oauth/token', 'application/x-www-form-urlencoded', 'grant_type=authorization_code&grant_type=x'],
    ['/oauth/token', 'application/x-www-form-urlencoded', '%ff%00=%00'],
    [
      '/oauth/token',
      'application/x-www-form-urlencoded',
      `grant_type=refresh_token&client_id=a%00b&refresh_token=${'x'.repeat(9_000)}`,
    ],
    ['/oauth/token', 'application/x-www-form-urlencoded', 'grant_type=refresh_token&client_id=%00&refresh_token=%00'],
    ['/oauth/token', 'application/x-www-form-urlencoded', 'x'.repeat(20_000)],
    ['/oauth/register', 'application/json', '{'],
    ['/oauth/register', 'application/json', '{"redirect_uris":["https://a.example/"],"client_name":"\\u0000\\ud800"}'],
    ['/oauth/revoke', 'text/plain', 'x'],
  ] as const) {
    const reply = await api.app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    expect([url, payload.slice(0, 60), reply.statusCode < 500]).toEqual([url, payload.slice(0, 60), true])
  }
  const visitor = await openVisitor(api)
  for (const id of ['%00', 'https://', 'https://x/%00', 'http://127.0.0.1:1/client.json', 'x'.repeat(5_000)]) {
    const reply = await visitor.get(`/oauth/authorize?client_id=${id}`)
    expect([id.slice(0, 40), reply.statusCode]).toEqual([id.slice(0, 40), 400])
  }
})

test('registrations are limited per address, and of too many the oldest that wait give way', async () => {
  const [approved, waiting] = [await openOAuthClient(api), await openOAuthClient(api)]
  const visitor = await openVisitor(api)
  await approved.connect(visitor)
  await writeSetting(api.context.db, 'mcp.max_waiting_clients', 1)
  await api.context.settings.refresh()
  const newest = await openOAuthClient(api)
  const status = async (client: typeof newest) => (await visitor.get(client.address())).statusCode
  expect([await status(approved), await status(waiting), await status(newest)]).toEqual([200, 400, 200])
  await writeSetting(api.context.db, 'mcp.max_waiting_clients', null)
  await writeSetting(api.context.db, 'rate.register_per_minute', 1)
  await api.context.settings.refresh()
  const refused = (await openOAuthClient(api)).registered
  expect([refused.statusCode, refused.json().error]).toEqual([429, 'temporarily_unavailable'])
  await writeSetting(api.context.db, 'rate.register_per_minute', 10_000)
  await api.context.settings.refresh()
})
