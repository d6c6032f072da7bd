import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../api/oauth/scopes.ts'
import { checkConnectorInvariants, forgetExpiredConnections } from '../../../sql/connector/approvals.ts'
import { rows } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import forgetConnections from '../../../tasks/products/connector/chores/forget.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openOAuthClient, openVisitor, type Visitor } from '../../support/oauth/connection.ts'
import { openLocalServer } from '../../support/servers/local.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ CLIENT_NETWORKS: '127.0.0.1' })
  for (const name of ['rate.register_per_minute', 'rate.token_per_minute'])
    await writeSetting(api.context.db, name, 10_000)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkConnectorInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const HASH = { text: 'abc', algorithms: ['sha256'] }
const hash = (token: string | undefined) =>
  callTool(api.app, 'utils_hash', HASH, { headers: { authorization: `Bearer ${token}` } })

interface Listed {
  id: string
  name: string
  spentTodayMicros: string
  dailyCapMicros: string | null
  keyPrefix: string
  scopes: string[]
}
const list = async (visitor: Visitor) => (await visitor.get('/v1/account/connectors')).json<{ data: Listed[] }>().data
const change = (visitor: Visitor, method: 'PUT' | 'DELETE', id: string, payload?: object, csrf = visitor.csrf) =>
  api.app.inject({
    method,
    url: `/v1/account/connectors/${id}`,
    headers: { cookie: visitor.cookie, origin: api.context.config.publicUrl, 'x-csrf-token': csrf },
    payload,
  })

test.each([
  ['/.well-known/oauth-protected-resource', '/mcp'],
  ['/.well-known/oauth-protected-resource/mcp', '/mcp'],
  ['/.well-known/oauth-protected-resource/mcp/full', '/mcp/full'],
])('%s describes the resource %s', async (url, path) => {
  const { publicUrl } = api.context.config
  const reply = await api.app.inject({ url })
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.json()).toMatchObject({
    resource: publicUrl + path,
    authorization_servers: [publicUrl],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
  })
})

test('the metadata of the authorization server says what it can do, and nothing is there while MCP is off', async () => {
  const { publicUrl } = api.context.config
  const url = '/.well-known/oauth-authorization-server'
  expect((await api.app.inject({ url })).json()).toMatchObject({
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  expect((await api.app.inject({ url: '/.well-known/oauth-protected-resource/other' })).statusCode).toBe(404)
  await writeSetting(api.context.db, 'mcp.enabled', false)
  await api.context.settings.refresh()
  for (const address of [
    url,
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/authorize',
  ])
    expect([address, (await api.app.inject({ url: address })).statusCode]).toEqual([address, 404])
  for (const address of ['/oauth/token', '/oauth/register', '/oauth/revoke'])
    expect((await api.app.inject({ method: 'POST', url: address, payload: {} })).statusCode).toBe(404)
  await writeSetting(api.context.db, 'mcp.enabled', null)
  await api.context.settings.refresh()
})

test('a connector spends from the account within its limit, and the ledger names it', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const { access_token: token } = await client.connect(visitor, {}, '0.002')
  expect((await hash(token)).body.result.isError).toBe(false)
  expect((await hash(token)).body.result.isError).toBe(false)
  expect((await hash(token)).body.result.structuredContent).toMatchObject({ code: 'SPEND_LIMIT_REACHED', limit: 'day' })
  const [connector] = await list(visitor)
  expect(connector).toMatchObject({
    name: 'Test client',
    spentTodayMicros: '2000',
    dailyCapMicros: '2000',
    redirectHost: 'client.example',
  })
  expect((await visitor.get('/v1/account/api-keys')).json()).toEqual({ data: [] })
  const ledger = await visitor.get(`/dashboard/ledger?key=${connector!.keyPrefix}`)
  expect(ledger.body).toContain('Test client')
  expect((await change(visitor, 'PUT', connector!.id, { dailyCapUsd: '1' })).statusCode).toBe(204)
  expect((await hash(token)).body.result.isError).toBe(false)
})

test('another approval of the same client keeps what it has spent', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const first = await client.connect(visitor, {}, '0.001')
  await hash(first.access_token)
  const second = await client.connect(visitor, {}, '0.001')
  expect((await hash(second.access_token)).body.result.structuredContent.code).toBe('SPEND_LIMIT_REACHED')
  expect(await list(visitor)).toHaveLength(1)
})

test('an approval of less hides nothing that an earlier one still allows', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const { access_token: wide, refresh_token: refresh } = await client.connect(visitor, { scope: 'mcp:write' })
  await client.connect(visitor, { scope: 'mcp:read' })
  expect((await hash(wide)).body.result.isError).toBe(false)
  expect((await list(visitor))[0]!.scopes).toEqual(['mcp:read', 'mcp:write'])
  await client.revoke(refresh!)
  expect((await list(visitor))[0]!.scopes).toEqual(['mcp:read'])
})

test('a revoked connector is refused, and nobody else can revoke or change it', async () => {
  const [visitor, other, client] = [await openVisitor(api), await openVisitor(api), await openOAuthClient(api)]
  const { access_token: token, refresh_token: refresh } = await client.connect(visitor)
  const { id } = (await list(visitor))[0]!
  expect((await change(other, 'DELETE', id)).statusCode).toBe(404)
  expect((await change(other, 'PUT', id, { dailyCapUsd: null })).statusCode).toBe(404)
  expect((await change(visitor, 'DELETE', id, undefined, 'wrong')).statusCode).toBe(403)
  expect((await change(visitor, 'DELETE', 'no-id')).statusCode).toBe(404)
  expect((await hash(token)).status).toBe(200)
  expect((await change(visitor, 'DELETE', id)).statusCode).toBe(204)
  expect((await hash(token)).status).toBe(401)
  expect((await client.refresh(refresh!)).body.error).toBe('invalid_grant')
  expect(await list(visitor)).toEqual([])
})

test('the dashboard lists, limits and revokes connectors', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  expect((await visitor.get('/dashboard/connectors')).body).toContain('No application is connected.')
  await client.connect(visitor, { scope: 'mcp:read' })
  const page = (await visitor.get('/dashboard/connectors')).body
  expect(page).toContain('Test client')
  expect(page).not.toContain('Call tools, which spends')
  const { id } = (await list(visitor))[0]!
  expect((await visitor.post('/dashboard/connectors/limit', { id, day: 'x' })).statusCode).toBe(400)
  expect((await visitor.post('/dashboard/connectors/limit', { id, day: '' })).statusCode).toBe(303)
  expect((await list(visitor))[0]).toMatchObject({ dailyCapMicros: null })
  expect((await visitor.post('/dashboard/connectors/revoke', { id: 'x' })).statusCode).toBe(404)
  expect((await visitor.post('/dashboard/connectors/revoke', { id })).headers.location).toBe(
    '/dashboard/connectors?done=revoked',
  )
})

test('who is not signed in signs in first and comes back', async () => {
  const [visitor, client] = [await openVisitor(api), await openOAuthClient(api)]
  const reply = await api.app.inject({ url: client.address() })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/sign-in'])
  expect(String(reply.headers['set-cookie'])).toMatch(/^svc_return=.*HttpOnly; SameSite=Lax/)
  const sent = await api.app.inject({
    method: 'POST',
    url: client.address(),
    headers: { origin: api.context.config.publicUrl },
  })
  expect([sent.statusCode, sent.headers.location]).toEqual([303, '/sign-in?ended=form'])
  expect(
    (await api.app.inject({ url: client.address({ state: 'x'.repeat(2_000), scope: 'mcp:read '.repeat(200) }) }))
      .statusCode,
  ).toBe(400)
  expect((await visitor.get(client.address())).statusCode).toBe(200)
})

test('a client that is described at its own address is fetched once, for visitors that are signed in', async () => {
  const asked: string[] = []
  const documents: Record<string, object> = {}
  await using server = await openLocalServer(({ path }) => {
    asked.push(path)
    return documents[path]
  })
  const id = `${server.url}/client.json`
  const uris = { redirect_uris: ['https://app.example/callback'] }
  documents['/client.json'] = {
    client_id: id,
    client_name: 'Published client',
    ...uris,
    token_endpoint_auth_method: 'none',
  }
  documents['/other.json'] = { ...documents['/client.json'] }
  documents['/secret.json'] = {
    client_id: `${server.url}/secret.json`,
    ...uris,
    token_endpoint_auth_method: 'client_secret_post',
  }
  documents['/moved.json'] = { status: 302 }
  documents['/large.json'] = { client_id: `${server.url}/large.json`, ...uris, client_name: 'x'.repeat(20_000) }
  const client = await openOAuthClient(api)
  const visitor = await openVisitor(api)
  const address = (client_id: string) => client.address({ client_id, redirect_uri: 'https://app.example/callback' })
  expect((await api.app.inject({ url: address(id) })).headers.location).toBe('/sign-in')
  expect(asked).toEqual([])
  const page = await visitor.get(address(id))
  expect(page.body).toContain('Published client')
  expect(page.body).toContain(new URL(server.url).host)
  const code = await client.approve(visitor, { client_id: id, redirect_uri: 'https://app.example/callback' })
  expect(asked).toEqual(['/client.json'])
  const redeemed = await client.redeem(code, { client_id: id, redirect_uri: 'https://app.example/callback' })
  expect((await hash(redeemed.body.access_token)).body.result.isError).toBe(false)
  expect((await client.refresh(redeemed.body.refresh_token!, { client_id: id })).status).toBe(200)
  for (const name of ['other', 'secret', 'moved', 'large', 'missing'])
    expect([name, (await visitor.get(address(`${server.url}/${name}.json`))).statusCode]).toEqual([name, 400])
  for (const forbidden of [
    'http://10.0.0.1/client.json',
    'https://localhost.:1/x',
    'https://169.254.169.254/latest',
    'https://[::1]/x',
  ])
    expect([forbidden, (await visitor.get(address(forbidden))).statusCode]).toEqual([forbidden, 400])
})

test('the chore deletes what has expired, and nothing else', async () => {
  const { db } = api.context
  const [visitor, client, waiting] = [await openVisitor(api), await openOAuthClient(api), await openOAuthClient(api)]
  const { access_token: token } = await client.connect(visitor)
  const forget = () =>
    forgetConnections.run({
      sql: { forgetExpiredConnections: (limit: number) => forgetExpiredConnections(db, limit) },
      log: () => undefined,
    } as never)
  await forget()
  expect((await hash(token)).status).toBe(200)
  await rows(db, "update svc.oauth_client set used_at = now() - interval '8 days' where id in ($1, $2)", [
    client.clientId,
    waiting.clientId,
  ])
  await rows(db, "update svc.oauth_token set expires_at = now() - interval '1 second' where kind = 'access'")
  await rows(db, "update svc.oauth_code set expires_at = now() - interval '25 hours'")
  await forget()
  const left = await rows(
    db,
    "select (select count(*) from svc.oauth_token where kind = 'access')::int as tokens, (select count(*) from svc.oauth_code)::int as codes, array(select id from svc.oauth_client where id in ($1, $2)) as clients",
    [client.clientId, waiting.clientId],
  )
  expect(left).toEqual([{ tokens: 0, codes: 0, clients: [client.clientId] }])
})
