import { gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'
import { writePrice } from '../../../sql/setting.ts'
import { joinWorkers } from '../../../sql/worker.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test('documents are sent plain, compressed, or as 304', async () => {
  await using api = await openInProcessApi()
  for (const url of [
    '/openapi.json',
    '/llms.txt',
    '/llms-full.txt',
    '/v1/prices',
    '/docs',
    '/docs/docs.js',
    '/docs/pdf/merge',
    '/llms/pdf.txt',
    '/llms/pdf.merge.txt',
    '/openapi.json?family=pdf',
    '/v1/changelog',
  ]) {
    const whole = await api.app.inject(url)
    expect(whole.statusCode, url).toBe(200)
    expect(whole.headers['cache-control']).toMatch(/^public, max-age=\d+$/)
    const compressed = await api.app.inject({ url, headers: { 'accept-encoding': 'br, gzip;q=0.8' } })
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(compressed.rawPayload).equals(whole.rawPayload)).toBe(true)
    const again = await api.app.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })
    expect(again.statusCode).toBe(304)
    expect(again.payload).toBe('')
  }
})

test('where nothing is fetched from the web, no document offers it, and a call says what would allow it', async () => {
  await using api = await openInProcessApi()
  const { schemas } = (await api.app.inject('/openapi.json')).json().components
  expect(Object.keys(schemas.Source.properties)).toEqual(['inline', 'inputKey', 'text', 'batonId', 'entryRef'])
  expect((await api.app.inject('/v1/capabilities')).json().sources).toEqual({
    url: { available: false, set: 'OUTBOUND=public' },
  })
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  const hash = (key: string) => hashApiKey(config.secret, key)
  const authorization = `Bearer ${await createKey(db, { accountId, mode: 'test', hash })}`
  const answer = await api.app.inject({
    method: 'POST',
    url: '/v1/pdf/rotate',
    headers: { authorization },
    payload: { file: { url: 'https://a.example/a.pdf' }, degrees: '90' },
  })
  expect([answer.statusCode, answer.json()]).toMatchObject([403, { code: 'MODE_DISABLED', set: 'OUTBOUND=public' }])
})

test('each document has its own type', async () => {
  await using api = await openInProcessApi()
  const typeOf = async (url: string) => (await api.app.inject(url)).headers['content-type']
  expect(await typeOf('/openapi.json')).toBe('application/json; charset=utf-8')
  expect(await typeOf('/llms.txt')).toBe('text/plain; charset=utf-8')
  expect(await typeOf('/llms-full.txt')).toBe('text/plain; charset=utf-8')
  expect(await typeOf('/docs')).toBe('text/html; charset=utf-8')
  expect(await typeOf('/docs/docs.css')).toBe('text/css; charset=utf-8')
})

test('the reference page has a strict policy, and only the listed assets are served', async () => {
  await using api = await openInProcessApi()
  const page = await api.app.inject('/docs')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.payload).not.toMatch(/<script>|<style|\son[a-z]+=|\sstyle=/)
  expect((await api.app.inject('/docs/')).statusCode).toBe(200)
  for (const url of ['/docs/package.json', '/docs/..%2f..%2fpackage.json', '/docs/constructor']) {
    expect((await api.app.inject(url)).json(), url).toMatchObject({ code: 'NOT_FOUND' })
  }
})

test('a price set by the operator is in every document at once', async () => {
  await using api = await openInProcessApi()
  const rate = async () => (await api.app.inject('/v1/prices')).json().operations['utils.uuid'].rateMicros
  const before = await rate()
  await writePrice(api.context.db, 'utils.uuid', { rateMicros: 7_777n })
  await api.context.settings.refresh()
  expect([before, await rate()]).toEqual([expect.not.stringMatching('7777'), '7777'])
  const { paths } = (await api.app.inject('/openapi.json')).json()
  expect(paths['/v1/utils/uuid'].post['x-svc-price'].rateMicros).toBe('7777')
  expect((await api.app.inject('/llms/utils.uuid.txt')).payload).toContain('0.007777 USD')
})

test('a missing tool is reported with the command that installs it, and in the documents', async () => {
  await using api = await openInProcessApi()
  const { availability, catalog, db } = api.context
  const operation = catalog.operations.find(({ uses }) => uses.length > 0)!
  const missingTool = { name: operation.uses[0]!, lane: 'thread', ok: false, install: 'apt-get install it' } as const
  const id = '019a0000-0000-7000-8000-000000000001'
  await joinWorkers(db, { id, host: 'here', pid: 1, pools: [], lanes: {}, tools: [missingTool] })
  await availability.refresh()
  const { operations, tools } = (await api.app.inject('/v1/capabilities')).json()
  expect(operations[operation.name]).toEqual({
    available: false,
    missing: [{ tool: missingTool.name, install: 'apt-get install it' }],
  })
  expect(operations['utils.hash']).toEqual({ available: true })
  const described = { tool: missingTool.name, lane: 'thread', available: false, install: 'apt-get install it' }
  expect(tools).toContainEqual(described)
  const { paths } = (await api.app.inject('/openapi.json')).json()
  expect(paths[operation.path].post['x-svc-available']).toBe(false)
})

test('health reports which part is missing, and returns 200 if only the workers are', async () => {
  await using api = await openInProcessApi()
  const withoutWorkers = await api.app.inject('/health')
  expect(withoutWorkers.statusCode).toBe(200)
  expect(withoutWorkers.json()).toMatchObject({
    status: 'degraded',
    checks: { database: { ok: true }, queue: { ok: true }, store: { ok: true }, workers: { ok: false, alive: 0 } },
  })
  const { availability, db } = api.context
  const id = '019a0000-0000-7000-8000-000000000002'
  await joinWorkers(db, { id, host: 'here', pid: 1, pools: [], lanes: { thread: 4 }, tools: [] })
  await availability.refresh()
  const withWorker = (await api.app.inject('/health')).json()
  expect(withWorker).toMatchObject({ status: 'ok', checks: { workers: { ok: true, alive: 1, lanes: ['thread'] } } })
})

test('the responses of the free routes match their declared schemas', async () => {
  await using api = await openInProcessApi()
  const ajv = new Ajv({ strict: false })
  for (const name of ['system.prices', 'system.capabilities', 'system.openapi', 'system.health']) {
    const route = api.context.catalog.routes.find(found => found.name === name)!
    const answer = await api.app.inject(route.at.split(' ')[1]!)
    expect(ajv.validate(route.reply.schema!, answer.json()), `${name}: ${ajv.errorsText()}`).toBe(true)
  }
})

test('every path of the OpenAPI document is served', async () => {
  await using api = await openInProcessApi()
  const { paths } = (await api.app.inject('/openapi.json')).json() as { paths: Record<string, object> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      const url = path.replace(/\{\w+\}/g, 'x')
      expect(
        api.app.hasRoute({
          method: method.toUpperCase() as 'GET',
          url: path.replace(/\{key\}$/, '*').replace(/\{(\w+)\}/g, ':$1'),
        }),
        url,
      ).toBe(true)
    }
  }
})

test('parts of the OpenAPI document are documents of their own', async () => {
  await using api = await openInProcessApi()
  const family = (await api.app.inject('/openapi.json?family=pdf')).json()
  expect(Object.keys(family.paths).every(path => path.startsWith('/v1/pdf/'))).toBe(true)
  const two = (await api.app.inject('/openapi.json?operations=pdf.split,%20pdf.merge')).json()
  expect(Object.keys(two.paths)).toEqual(['/v1/pdf/merge', '/v1/pdf/split'])
  const whole = (await api.app.inject('/openapi.json')).json()
  expect(two.paths['/v1/pdf/merge'].post.summary).toBe(whole.paths['/v1/pdf/merge'].post.summary)
  for (const part of [family, two]) expect(await new Validator().validate(part)).toMatchObject({ valid: true })
})

test('the parts that nobody has are told with their nearest name', async () => {
  await using api = await openInProcessApi()
  const ask = async (url: string) => (await api.app.inject(url)).json()
  expect(await ask('/openapi.json?operations=pdf.merg')).toMatchObject({
    code: 'INVALID_PARAM',
    didYouMean: 'pdf.merge',
  })
  expect(await ask('/openapi.json?family=pfd')).toMatchObject({ code: 'INVALID_PARAM', didYouMean: 'pdf' })
  expect(await ask('/openapi.json?operations=,')).toMatchObject({ code: 'INVALID_PARAM' })
  expect(await ask('/openapi.json?family=pdf&operations=pdf.merge')).toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  expect(await ask('/llms/pdf.merg.txt')).toMatchObject({ code: 'NOT_FOUND', didYouMean: 'GET /llms/pdf.merge.txt' })
  expect(await ask('/llms/constructor.txt')).toMatchObject({ code: 'NOT_FOUND' })
})

test('the samples of the examples are served, and nothing beside them', async () => {
  await using api = await openInProcessApi()
  const sample = await api.app.inject('/docs/samples/two-pages.pdf')
  expect(sample.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
  for (const url of ['/docs/samples/', '/docs/samples/none.pdf', '/docs/samples/..%2fvitest.config.ts'])
    expect((await api.app.inject(url)).statusCode, url).toBe(404)
})

const TEXTS: [call: string, text: string][] = [
  ['pdf.merge', 'last-2, odd, even'],
  ['data.sql', 'DuckDB'],
  ['data.sql', 'strftime'],
  ['generate.mock-data', 'company'],
  ['jobs.receipt', 'RFC 8785'],
  ['esigndoc.create-envelope', 'Office document'],
  ['bridge.open-barrier', 'bridge.arrive'],
  ['media.silence', 'media.trim'],
  ['x402.supported', 'Currently not available'],
]
test('pages say what callers had to guess, and without payments by x402 what lists them says what to set', async () => {
  await using api = await openInProcessApi()
  for (const [call, text] of TEXTS) {
    const { payload } = await api.app.inject(`/llms/${call}.txt`)
    expect.soft(payload, call).toContain(text)
  }
  expect((await api.app.inject('/x402/supported')).json()).toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    set: 'X402_NETWORK, X402_PAY_TO',
  })
})
