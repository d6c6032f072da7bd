import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { writePrice } from '../../sql/setting.ts'
import { joinWorkers } from '../../sql/worker.ts'
import { openFrontDoor } from '../support/front-door.ts'

test('documents are sent whole, squeezed, or not at all to whoever has them', async () => {
  await using door = await openFrontDoor()
  for (const url of ['/openapi.json', '/llms.txt', '/llms-full.txt', '/v1/prices', '/docs', '/docs/page.js']) {
    const whole = await door.app.inject(url)
    expect(whole.statusCode, url).toBe(200)
    expect(whole.headers['cache-control']).toMatch(/^public, max-age=\d+$/)
    const squeezed = await door.app.inject({ url, headers: { 'accept-encoding': 'br, gzip;q=0.8' } })
    expect(squeezed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(squeezed.rawPayload).equals(whole.rawPayload)).toBe(true)
    const again = await door.app.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })
    expect(again.statusCode).toBe(304)
    expect(again.payload).toBe('')
  }
})

test('each document has its own type', async () => {
  await using door = await openFrontDoor()
  const typeOf = async (url: string) => (await door.app.inject(url)).headers['content-type']
  expect(await typeOf('/openapi.json')).toBe('application/json; charset=utf-8')
  expect(await typeOf('/llms.txt')).toBe('text/plain; charset=utf-8')
  expect(await typeOf('/llms-full.txt')).toBe('text/plain; charset=utf-8')
  expect(await typeOf('/docs')).toBe('text/html; charset=utf-8')
  expect(await typeOf('/docs/swagger-ui.css')).toBe('text/css; charset=utf-8')
})

test('the reference page keeps a policy without exceptions, and its assets are the listed ones', async () => {
  await using door = await openFrontDoor()
  const page = await door.app.inject('/docs')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.payload).toContain('swagger-ui-bundle.js')
  expect((await door.app.inject('/docs/')).headers.location).toBe('../docs')
  for (const url of ['/docs/package.json', '/docs/..%2f..%2fpackage.json', '/docs/constructor']) {
    expect((await door.app.inject(url)).json(), url).toMatchObject({ code: 'NOT_FOUND' })
  }
})

test('a price an operator sets stands in every document at once', async () => {
  await using door = await openFrontDoor()
  const rate = async () => (await door.app.inject('/v1/prices')).json().operations['utils.uuid'].rateMicros
  const before = await rate()
  await writePrice(door.floor.db, 'utils.uuid', 7_777n)
  await door.floor.settings.refresh()
  expect([before, await rate()]).toEqual([expect.not.stringMatching('7777'), '7777'])
  const { paths } = (await door.app.inject('/openapi.json')).json()
  expect(paths['/v1/utils/uuid'].post['x-svc-price'].rateMicros).toBe('7777')
  expect((await door.app.inject('/llms.txt')).payload).toContain('0.007777 USD')
})

test('what a worker lacks is said with the line that installs it, and in the documents', async () => {
  await using door = await openFrontDoor()
  const { availability, catalog, db } = door.floor
  const operation = catalog.operations.find(({ uses }) => uses.length > 0)!
  const lacking = { name: operation.uses[0]!, lane: 'thread', ok: false, install: 'apt-get install it' } as const
  const id = '019a0000-0000-7000-8000-000000000001'
  await joinWorkers(db, { id, host: 'here', pid: 1, pools: [], lanes: {}, tools: [lacking] })
  await availability.refresh()
  const { operations, tools } = (await door.app.inject('/v1/capabilities')).json()
  expect(operations[operation.name]).toEqual({
    available: false,
    missing: [{ tool: lacking.name, install: 'apt-get install it' }],
  })
  expect(operations['utils.hash']).toEqual({ available: true })
  expect(tools).toEqual([{ tool: lacking.name, lane: 'thread', available: false, install: 'apt-get install it' }])
  const { paths } = (await door.app.inject('/openapi.json')).json()
  expect(paths[operation.path].post['x-svc-available']).toBe(false)
})

test('health says which part is missing, and still answers while only the workers are', async () => {
  await using door = await openFrontDoor()
  const lonely = await door.app.inject('/health')
  expect(lonely.statusCode).toBe(200)
  expect(lonely.json()).toMatchObject({
    status: 'degraded',
    checks: { database: { ok: true }, queue: { ok: true }, store: { ok: true }, workers: { ok: false, alive: 0 } },
  })
  const { availability, db } = door.floor
  const id = '019a0000-0000-7000-8000-000000000002'
  await joinWorkers(db, { id, host: 'here', pid: 1, pools: [], lanes: { thread: 4 }, tools: [] })
  await availability.refresh()
  const manned = (await door.app.inject('/health')).json()
  expect(manned).toMatchObject({ status: 'ok', checks: { workers: { ok: true, alive: 1, lanes: ['thread'] } } })
})

test('what the free doors answer is what their declarations say', async () => {
  await using door = await openFrontDoor()
  const ajv = new Ajv({ strict: false })
  for (const name of ['system.prices', 'system.capabilities', 'system.openapi', 'system.health']) {
    const route = door.floor.catalog.routes.find(found => found.name === name)!
    const answer = await door.app.inject(route.at.split(' ')[1]!)
    expect(ajv.validate(route.reply.schema!, answer.json()), `${name}: ${ajv.errorsText()}`).toBe(true)
  }
})

test('every operation of the catalogue is served where the documents say it is', async () => {
  await using door = await openFrontDoor()
  const { paths } = (await door.app.inject('/openapi.json')).json() as { paths: Record<string, object> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      const url = path.replace(/\{\w+\}/g, 'x')
      expect(
        door.app.hasRoute({
          method: method.toUpperCase() as 'GET',
          url: path.replace(/\{key\}$/, '*').replace(/\{(\w+)\}/g, ':$1'),
        }),
        url,
      ).toBe(true)
    }
  }
})
