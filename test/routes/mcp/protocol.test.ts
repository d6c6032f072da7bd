import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { callTool, MODERN_META, sendLegacy, sendModern } from '../../support/mcp/client.ts'
import { openAccountKey } from '../../support/mcp/key.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const CLIENT = { capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const post = (payload: string | object, headers: Record<string, string> = {}, url = '/mcp') =>
  api.app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, payload })
const change = async (name: string, value: unknown) => {
  await writeSetting(api.context.db, name, value)
  await api.context.settings.refresh()
}

test.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2024-11-05', '2024-11-05'],
  ['1999-01-01', '2025-11-25'],
])('a client of %s is welcomed with %s', async (protocolVersion, expected) => {
  const { status, body } = await sendLegacy(api.app, 'initialize', { params: { protocolVersion, ...CLIENT } })
  expect([status, body.result.protocolVersion]).toEqual([200, expected])
  expect(body.result).toMatchObject({ serverInfo: { name: 'coinop' }, capabilities: { tools: {} } })
  expect(body.result.instructions).toContain('search_tools')
})

test('a bare JSON-RPC caller gets JSON whatever it accepts, and a notification nothing', async () => {
  for (const accept of ['*/*', 'application/json', 'text/event-stream']) {
    const answer = await post({ jsonrpc: '2.0', id: 'a', method: 'ping' }, { accept })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json()).toEqual({ jsonrpc: '2.0', id: 'a', result: {} })
  }
  const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([notified.statusCode, notified.payload]).toEqual([202, ''])
})

test('the modern era: discovery, and lists that may be kept', async () => {
  const { body } = await sendModern(api.app, 'server/discover')
  expect(body.result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: false }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'coinop' } },
  })
  for (const [method, name] of [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const) {
    const { result } = (await sendModern(api.app, method)).body
    expect(result).toMatchObject({ resultType: 'complete', [name]: expect.any(Array), cacheScope: 'public' })
    expect(result.ttlMs).toBeGreaterThan(0)
  }
})

test.each([
  ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }],
  ['another method in the header', { 'mcp-method': 'tools/call' }],
])('%s is a mismatch', async (_name, headers) => {
  const { status, body } = await sendModern(api.app, 'tools/list', { headers, id: 7 })
  expect([status, body.id, body.error.code]).toEqual([400, 7, -32020])
})

test('a missing header, a missing or another name are mismatches, and an encoded name is understood', async () => {
  const message = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const params = { name: 'search_tools', arguments: { q: 'merge' }, _meta: MODERN_META }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
  const codeOf = async (more: Record<string, string>) => (await post(message(params), more)).json().error?.code
  expect(await codeOf({})).toBe(-32020)
  expect(await codeOf(headers)).toBe(-32020)
  expect(await codeOf({ ...headers, 'mcp-name': 'pdf_merge' })).toBe(-32020)
  expect(await codeOf({ ...headers, 'mcp-name': '=?base64?c2VhcmNoX3Rvb2xz?=' })).toBe(undefined)
})

test.each([
  ['no _meta at all', {}],
  ['no version', { 'io.modelcontextprotocol/clientCapabilities': {} }],
])('with a modern header and %s, the missing keys are named', async (_name, _meta) => {
  const answer = await post(
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  )
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, -32602])
})

test('a version that is not served is answered with those that are', async () => {
  const _meta = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const { status, body } = await sendModern(api.app, 'tools/list', {
    headers: { 'mcp-protocol-version': '2099-01-01' },
    params: { _meta },
  })
  expect([status, body.error.code, body.error.data.requested]).toEqual([400, -32022, '2099-01-01'])
  expect(body.error.data.supported).toEqual(expect.arrayContaining(['2026-07-28', '2025-11-25', '2025-06-18']))
  expect(body.error.data.supported).toContain('2026-07-28')
})

test('an unknown method is 404 in the modern era, and an error of JSON-RPC alone before it', async () => {
  const modern = await sendModern(api.app, 'ping')
  const legacy = await sendLegacy(api.app, 'server/discover')
  expect([modern.status, modern.body.error.code]).toEqual([404, -32601])
  expect([legacy.status, legacy.body.error.code]).toEqual([200, -32601])
})

test('lists are paged: every tool comes once, in the same order, and a made-up cursor is refused', async () => {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const { result } = (await sendLegacy(api.app, 'tools/list', { url: '/mcp/full', params: { cursor } })).body
    expect(result.tools.length).toBeLessThanOrEqual(50)
    names.push(...result.tools.map(({ name }: { name: string }) => name))
    cursor = result.nextCursor
  } while (cursor)
  const whole = (await api.app.inject('/mcp/full')).json().tools
  expect(names).toEqual(whole.map(({ name }: { name: string }) => name))
  expect(new Set(names).size).toBe(names.length)
  for (const bad of ['x', 'dG9vbHM6MQ', 'dG9vbHM6OTk5OTAw', '', 7, null, {}]) {
    const { status, body } = await sendLegacy(api.app, 'tools/list', { url: '/mcp/full', params: { cursor: bad } })
    expect([status, body.error.code], String(bad)).toEqual([200, -32602])
  }
})

test('an agent of 8,000 tokens finds and calls a tool at the shortest list, all that it reads counted', async () => {
  const { result } = (await sendLegacy(api.app, 'tools/list', { url: '/mcp/few' })).body
  const { key } = await openAccountKey(api.context, 10_000n)
  const options = { url: '/mcp/few', headers: { authorization: `Bearer ${key}` } }
  const read = async (name: string, args: object) =>
    (await callTool(api.app, name, args, options)).body.result.content[0].text as string
  const found = await read('search_tools', { q: 'checksum of a text' })
  expect(await read('search_tools', { query: 'checksum of a text' })).toEqual(found)
  const { tool } = JSON.parse(found).results[0]
  const described = await read('describe_tool', { name: tool })
  const called = await read('call_tool', { name: tool, arguments: { text: 'abc', algorithms: ['sha256'] } })
  expect(called).toContain('ba7816bf')
  const tokens = [JSON.stringify(result), found, described, called].map(text => countTokens(text))
  expect(tokens.reduce((sum, each) => sum + each)).toBeLessThan(4_000)
  expect(result.tools).toHaveLength(5)
})

test('other sites are refused by their origin, this service, local pages and listed ones are not', async () => {
  const statusFrom = async (origin: string) =>
    (await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin })).statusCode
  expect(await statusFrom('https://evil.example')).toBe(403)
  expect(await statusFrom('null')).toBe(403)
  expect(await statusFrom('http://localhost:6274')).toBe(200)
  expect(await statusFrom(api.context.config.publicUrl)).toBe(200)
  await change('mcp.origins', ['https://tools.example'])
  expect(await statusFrom('https://tools.example')).toBe(200)
})

test('a browser may send the headers of the protocol', async () => {
  const headers = { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' }
  const answer = await api.app.inject({ method: 'OPTIONS', url: '/mcp', headers })
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'authorization']) {
    expect(answer.headers['access-control-allow-headers']).toContain(name)
  }
})

test('switched off, MCP is unavailable and cannot be discovered', async () => {
  await change('mcp.enabled', false)
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect([answer.statusCode, answer.json().error.data.code]).toEqual([503, 'MCP_DISABLED'])
  const statuses = ['/mcp/full', '/mcp/server-card', '/.well-known/mcp.json'].map(async url => {
    const reply = await api.app.inject(url)
    return [reply.statusCode, reply.json().code]
  })
  expect(await Promise.all(statuses)).toEqual([
    [503, 'MCP_DISABLED'],
    [503, 'MCP_DISABLED'],
    [404, 'NOT_FOUND'],
  ])
  await change('mcp.enabled', true)
})

test('the server card is the same document at both addresses', async () => {
  const [card, wellKnown] = await Promise.all(
    ['/mcp/server-card', '/.well-known/mcp.json'].map(url =>
      api.app.inject({ url, headers: { origin: 'https://a.example' } }),
    ),
  )
  expect(card!.payload).toBe(wellKnown!.payload)
  expect(card!.headers).toMatchObject({
    'content-type': 'application/mcp-server-card+json',
    'access-control-allow-origin': '*',
    etag: expect.any(String),
    'cache-control': expect.stringContaining('max-age'),
  })
  const { publicUrl } = api.context.config
  expect(card!.json()).toMatchObject({
    title: 'coinop',
    remotes: ['/mcp', '/mcp/full', '/mcp/few'].map(path => ({ type: 'streamable-http', url: publicUrl + path })),
  })
  expect(card!.json().description.length).toBeLessThanOrEqual(100)
})

test('there is no stream: GET and DELETE are not allowed, and neither is a stream of the full list', async () => {
  for (const method of ['GET', 'DELETE'] as const) {
    const answer = await api.app.inject({ method, url: '/mcp' })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST'])
  }
  const stream = await api.app.inject({ url: '/mcp/full', headers: { accept: 'text/event-stream' } })
  expect([stream.statusCode, stream.headers.allow]).toEqual([405, 'POST'])
})

test.each([
  ['no JSON', '{"jsonrpc":', 400, -32700],
  ['an empty body', '', 400, -32600],
  ['a number', '7', 400, -32600],
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
  ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32602],
  ['a prototype', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', 400, -32700],
  ['an empty batch', '[]', 400, -32600],
  ['a method of Object', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', 200, -32601],
])('%s is answered with the error of the protocol', async (_name, payload, status, code) => {
  const answer = await post(payload)
  expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
})

test('a body that is too large, or of another type, is refused', async () => {
  const large = await post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'a'.repeat(13 * 2 ** 20)}"}}`)
  expect([large.statusCode, large.json().error.code]).toEqual([413, -32600])
  const other = await post('<ping/>', { 'content-type': 'text/xml' })
  expect([other.statusCode, other.json().error.code]).toEqual([415, -32600])
})

test('only the revision that had batches has them, with a limit', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const answers = await post([ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, { id: 2 }])
  expect(answers.json()).toMatchObject([
    { id: 1, result: {} },
    { id: 2, error: { code: -32600 } },
  ])
  expect((await post([ping(1)], { 'mcp-protocol-version': '2025-11-25' })).statusCode).toBe(400)
  expect((await post(Array.from({ length: 21 }, (_, id) => ping(id)))).statusCode).toBe(400)
})

test('too many calls are refused by HTTP 429, and the messages of a batch count one by one', async () => {
  const { key } = await openAccountKey(api.context, 0n)
  const batch = Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
  const headers = { authorization: `Bearer ${key}` }
  expect((await post(batch, headers)).statusCode).toBe(200)
  await change('rate.key_per_minute', 3)
  const refused = await post(batch, headers)
  expect([refused.statusCode, refused.json().error.data.code]).toEqual([429, 'RATE_LIMITED'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const { key: other } = await openAccountKey(api.context, 0n)
  expect((await post(batch, { authorization: `Bearer ${other}` })).statusCode).toBe(429)
  await change('rate.key_per_minute', 60_000)
})

test.each([
  ['an unknown tool', 'no_such_tool', {}],
  ['no name', undefined, {}],
  ['a name of Object', 'constructor', {}],
  ['arguments that are a list', 'utils_hash', []],
  ['arguments that are a text', 'utils_hash', 'abc'],
])('%s is an error of the protocol', async (_name, name, args) => {
  const { status, body } = await callTool(api.app, name as string, args)
  expect([status, body.error.code]).toEqual([200, -32602])
})

test('an unknown tool is told from the one that was meant', async () => {
  const { body } = await callTool(api.app, 'pdf_merg', {})
  expect(body.error.data).toEqual({ didYouMean: 'pdf_merge', findWith: 'search_tools' })
  // Clients show their model the message alone.
  const turned = (await callTool(api.app, 'merge-pdf', {})).body
  expect(turned.error.message).toBe('Unknown tool: merge-pdf. Did you mean pdf_merge? search_tools finds tools.')
})
