import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi

beforeAll(async () => {
  api = await openInProcessApi({ PUBLIC_URL: 'https://api.coinop.example' })
})
afterAll(() => api[Symbol.asyncDispose]())

const read = async (path: string) => (await api.app.inject(path)).json()

test.each([
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  ['/.well-known/mcp.json', 'application/mcp-server-card+json'],
  ['/mcp/server-card', 'application/mcp-server-card+json'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/openapi.json?family=pdf', 'application/json; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/llms-full.txt', 'text/plain; charset=utf-8'],
  ['/llms/pdf.txt', 'text/plain; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/pdf/merge', 'text/html; charset=utf-8'],
])('%s can be cached and is read by pages of every origin', async (url, contentType) => {
  const whole = await api.app.inject(url)
  expect(whole.headers).toMatchObject({
    'content-type': contentType,
    'cache-control': expect.stringMatching(/^public, max-age=[1-9]/),
    'access-control-allow-origin': '*',
    vary: 'Accept-Encoding',
  })
  const again = await api.app.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })
  expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', whole.headers.etag])
  const head = await api.app.inject({ method: 'HEAD', url })
  expect([head.statusCode, head.headers.etag]).toEqual([200, whole.headers.etag])
})

test('the AI catalog names the MCP server and the REST API by one address each', async () => {
  const { specVersion, host, entries } = await read('/.well-known/ai-catalog.json')
  expect([specVersion, host.identifier]).toEqual(['1.0', 'api.coinop.example'])
  expect(entries.map(({ identifier, type, url }: Record<string, string>) => [identifier, type, url])).toEqual([
    [
      'urn:air:api.coinop.example:svc:mcp',
      'application/mcp-server-card+json',
      'https://api.coinop.example/mcp/server-card',
    ],
    ['urn:air:api.coinop.example:svc:openapi', 'application/openapi+json', 'https://api.coinop.example/openapi.json'],
  ])
  expect(entries.filter((entry: object) => 'data' in entry || 'mediaType' in entry)).toEqual([])
})

test('every address in the catalogs answers', async () => {
  const catalogs = await Promise.all(['/.well-known/ai-catalog.json', '/.well-known/api-catalog'].map(read))
  const addresses = new Set(JSON.stringify(catalogs).match(/https:\/\/api\.coinop\.example\/[^"]+/g))
  addresses.delete('https://api.coinop.example/mcp')
  expect(addresses.size).toBeGreaterThanOrEqual(6)
  for (const address of addresses) {
    expect((await api.app.inject(new URL(address).pathname)).statusCode, address).toBe(200)
  }
})

test('the API catalog is a set of links by RFC 9727, and says so to HEAD', async () => {
  const { linkset } = await read('/.well-known/api-catalog')
  expect(linkset.map(({ anchor }: { anchor: string }) => anchor)).toEqual([
    'https://api.coinop.example/',
    'https://api.coinop.example/mcp',
  ])
  const head = await api.app.inject({ method: 'HEAD', url: '/.well-known/api-catalog' })
  expect(head.headers.link).toBe('</.well-known/api-catalog>; rel="api-catalog"')
})

test('switched off, MCP is in no catalog', async () => {
  const change = async (value: boolean) => {
    await writeSetting(api.context.db, 'mcp.enabled', value)
    await api.context.settings.refresh()
  }
  await change(false)
  const pages = ['/.well-known/ai-catalog.json', '/.well-known/api-catalog']
  for (const page of pages) expect((await api.app.inject(page)).payload).not.toContain('/mcp')
  expect((await api.app.inject('/.well-known/mcp.json')).statusCode).toBe(404)
  await change(true)
  for (const page of pages) expect((await api.app.inject(page)).payload).toContain('/mcp')
})

test('every part of the OpenAPI document is valid', async () => {
  const families = new Set(api.context.catalog.entries.map(({ family }) => family))
  for (const family of families) {
    const { valid, errors } = await new Validator().validate(await read(`/openapi.json?family=${family}`))
    expect([family, valid, errors]).toEqual([family, true, undefined])
  }
})
