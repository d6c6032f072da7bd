import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../api/oauth/scopes.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openOAuthClient, openVisitor, type Visitor } from '../../support/oauth/connection.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let visitor: Visitor
beforeAll(async () => {
  api = await openInProcessApi()
  for (const name of ['rate.register_per_minute', 'rate.token_per_minute'])
    await writeSetting(api.context.db, name, 10_000)
  await api.context.settings.refresh()
  visitor = await openVisitor(api)
})
afterAll(() => api[Symbol.asyncDispose]())

/** A connector of the visitor that was approved for these scopes. */
async function connect(scope: string) {
  const client = await openOAuthClient(api)
  const { access_token: token, scope: granted } = await client.connect(visitor, { scope })
  const call = async (name: string, args: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await callTool(api.app, name, args as Record<string, unknown>, { headers, url: '/mcp/full' })
    const result = answer.body.result?.structuredContent ?? answer.body.error?.data
    return { ...answer, result: result as Record<string, string>, code: result?.code as string | undefined }
  }
  return { call, granted, client }
}

const LOG = { preset: 'scratchpad', tier: 'femto', content: 'hello' }

test('a connector without the scopes of batons and leases is told to ask for them', async () => {
  const { call: owner } = await connect(SCOPES.join(' '))
  const { result: baton } = await owner('baton_create', LOG)
  expect(baton.id).toMatch(/^[0-9a-f-]{36}$/)
  const { call, granted } = await connect('mcp:read mcp:write')
  expect(granted).toBe('mcp:read mcp:write')
  for (const [name, args, scope] of [
    ['baton_create', LOG, 'batons:write'],
    ['baton_read', { id: baton.id }, 'batons:read'],
    ['baton_entries', { id: baton.id }, 'batons:read'],
    ['baton_verify_chain', { id: baton.id }, 'batons:read'],
    ['storage_drop', { tier: 'femto', content: 'x' }, 'batons:write'],
    ['leases_list_storage', {}, 'leases:read'],
    ['leases_write_checkpoint', { workflow_id: 'a', data: {} }, 'leases:write'],
    // No way around: what a call takes from a baton, and what it writes to one.
    ['utils_hash', { file: { batonId: baton.id, entryRef: 1 } }, 'batons:read'],
    ['utils_hash', { text: 'abc', deliver: { batonId: baton.id } }, 'batons:write'],
    ['utils_hash', { text: 'abc', deliver: { new: { preset: 'drop' } } }, 'batons:write'],
  ] as const) {
    const { status, headers, code, result } = await call(name, args)
    expect([name, status, code, result.scope]).toEqual([name, 403, 'INSUFFICIENT_SCOPE', scope])
    expect(headers['www-authenticate']).toContain(`error="insufficient_scope"`)
    expect(headers['www-authenticate']).toContain(`scope="${SCOPES.join(' ')}"`)
  }
})

test('over REST too, a connector without the scope of a call is told to ask for it', async () => {
  const { client } = await connect('mcp:read')
  const { access_token: token } = await client.connect(visitor, { scope: 'mcp:read' })
  for (const [method, url, scope] of [
    ['POST', '/v1/utils/hash', 'mcp:write'],
    ['GET', '/v1/baton/00000000-0000-7000-8000-000000000000/meta', 'batons:read'],
    ['POST', '/v1/baton', 'batons:write'],
    ['PUT', '/v1/pipelines/x', 'mcp:write'],
  ] as const) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await api.app.inject({ method, url, headers, ...(method !== 'GET' && { payload: {} }) })
    expect([url, answer.statusCode, answer.json().code]).toEqual([url, 403, 'INSUFFICIENT_SCOPE'])
    expect(answer.json().scope).toBe(scope)
    const { publicUrl } = api.context.config
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource", scope="${SCOPES.join(' ')}"`,
    )
  }
})

test('each area has a scope to read and one to write, which includes to read', async () => {
  const { call: write } = await connect('batons:write leases:write')
  const { result: baton } = await write('baton_create', LOG)
  expect((await write('baton_entries', { id: baton.id })).code).toBe(undefined)
  expect((await write('utils_hash', { text: 'abc' })).code).toBe('INSUFFICIENT_SCOPE')
  const { call: read } = await connect('batons:read leases:read')
  expect((await read('baton_entries', { id: baton.id })).code).toBe(undefined)
  expect((await read('leases_list_storage', {})).code).toBe(undefined)
  expect((await read('baton_write', { id: baton.id, content: 'x' })).code).toBe('INSUFFICIENT_SCOPE')
  // What everybody may do needs no scope.
  expect((await read('baton_quote', { preset: 'drop', tier: 'femto' })).code).toBe(undefined)
})

test('calls that only spend need the scope of tools, saved pipelines too', async () => {
  const { call } = await connect('mcp:read mcp:write')
  expect((await call('location_geocode', { query: 'Berlin', dryRun: true })).code).toBe(undefined)
  expect((await call('pipeline_list', {})).code).toBe(undefined)
  const { call: read } = await connect('mcp:read')
  expect((await read('pipeline_list', {})).code).toBe(undefined)
  expect((await read('pipeline_delete', { name: 'x' })).code).toBe('INSUFFICIENT_SCOPE')
  expect((await read('location_geocode', { query: 'Berlin' })).code).toBe('INSUFFICIENT_SCOPE')
})

test('the consent page and the list of connectors say what is asked for', async () => {
  const { client } = await connect('leases:write')
  const asked = await visitor.get(client.address({ scope: 'batons:read leases:write' }))
  expect(asked.body).toMatch(/Read your batons.*Read your checkpoints.*Create, change, hand over.*Limit per day/s)
  expect(asked.body).not.toContain('Call tools')
  expect((await visitor.get(client.address({ scope: 'batons:read' }))).body).not.toContain('Limit per day')
  expect((await visitor.get('/dashboard/connectors')).body).toContain('Create, write, share and delete batons')
})
