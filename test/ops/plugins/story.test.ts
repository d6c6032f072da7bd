import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../ops/free-ports.ts'
import { value } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { listPlugins } from '../../../sql/plugin/files.ts'
import { writePrice } from '../../../sql/setting.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { connectOfficialClient } from '../../support/mcp/official-client.ts'
import { dropFile, dropProgram, shout } from '../../support/plugins/files.ts'
import { createClient } from '../../support/stack/client.ts'
import type { Role } from '../../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../../support/stack/start.ts'

let stack: Stack
let folder: string
let other: { role: Role; url: string }
let customer: Customer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coinop-plugins-'))
  stack = await startStack({ env: { PLUGINS_DIR: folder } })
  const [port, adminPort] = (await freePorts(2)) as [number, number]
  const env = { PLUGINS_DIR: folder, PORT: String(port), ADMIN_PORT: String(adminPort) }
  other = { role: await stack.startApi(env), url: `http://127.0.0.1:${port}` }
  customer = await stack.customer()
})

afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const drop = (file: string, content: string) => dropFile(folder, file, content)
const text = (content: string) => ({ file: { text: content } })
const readOutput = (body: { output: { inline: string } }) => Buffer.from(body.output.inline, 'base64').toString()

/** Waits until a file is in service, or refused, and both apis have heard of it. */
function settled(file: string, isSettled: (row: { version: string | null; fault: string | null }) => boolean) {
  return eventually(
    `${file} to be looked at`,
    async () => (await listPlugins(stack.db)).find(row => row.file === file && isSettled(row)),
    60_000,
  )
}

async function served(path: string, url = stack.url): Promise<void> {
  await eventually(`${path} to be served`, async () => (await fetch(url + path)).status === 200, 60_000)
}

test('a module is an operation like ours: over REST, MCP, in a pipeline, as a ticket, in every document', async () => {
  await drop('shout.ts', shout({ name: 'acme.shout' }))
  await settled('shout.ts', ({ version }) => version !== null)
  await Promise.all([served('/v1/acme/shout'), served('/v1/acme/shout', other.url)])

  const answer = await customer.post('/v1/acme/shout', text('hello'))
  expect(answer.body).toMatchObject({ letters: 5, output: { contentType: 'text/plain' } })
  expect(readOutput(answer.body)).toBe('HELLO!')
  expect(answer.headers.get('x-service-charged-micros')).toBe('2000')
  const second = createClient(other.url, customer.key)
  expect(readOutput((await second.post('/v1/acme/shout', { ...text('hi'), mark: '?' })).body)).toBe('HI?')

  const dry = await customer.post('/v1/acme/shout', { ...text('hello'), dryRun: true })
  expect(dry.body.quote).toMatchObject({ unit: 'call' })
  const unknown = await customer.post('/v1/acme/shout', { ...text('hello'), marks: '?' })
  expect(unknown.body).toMatchObject({ code: 'UNKNOWN_FIELD', didYouMean: 'mark' })
  const refused = await customer.post('/v1/acme/shout', text('nothing'))
  expect(refused).toMatchObject({ status: 422, body: { code: 'PLUGIN_REFUSED', reason: 'It says nothing.' } })

  const ticket = await customer.post('/v1/acme/shout', { ...text('later'), async: true })
  expect(ticket.status).toBe(202)
  expect(await customer.waitForEnd(ticket.body.ticket)).toMatchObject({ status: 'succeeded', result: { letters: 5 } })
  const key = { 'idempotency-key': 'shout-once' }
  const once = await customer.post('/v1/acme/shout', text('once'), key)
  const again = await customer.post('/v1/acme/shout', text('once'), key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body.output.outputKey).toBe(once.body.output.outputKey)

  const steps = [
    { op: 'acme/shout', params: { mark: '.' } },
    { op: 'text/diff', params: {} },
  ].slice(0, 1)
  const pipeline = await customer.post('/v1/pipeline', { file: { text: 'piped' }, steps })
  expect(pipeline).toMatchObject({ status: 200, body: { steps: [{ op: 'acme/shout' }] } })

  await using mcp = await connectOfficialClient(stack.url, customer.key)
  expect(await mcp.call('acme_shout', text('agent'))).toMatchObject({ letters: 5 })
  expect((await customer.get('/v1/search?q=yell+uppercase+by+acme')).body.results[0]).toMatchObject({
    name: 'acme.shout',
  })
  for (const path of ['/openapi.json', '/llms-full.txt', '/v1/prices', '/v1/capabilities']) {
    expect((await customer.get(path)).text, path).toMatch(/acme[./]shout/)
  }
  expect((await fetch(`${stack.url}/docs/acme/shout`)).status).toBe(200)
  const sdk = gunzipSync(Buffer.from(await (await fetch(`${stack.url}/sdk.tgz`)).arrayBuffer()))
  expect(sdk.includes('/v1/acme/shout')).toBe(true)
  const { balance, held } = await customer.money()
  expect(held).toBe(0n)
  expect(1_000_000n - balance).toBe(2_000n * 6n)
})

test('a program is one too, and its price is changed as ours are', async () => {
  await dropProgram(folder, 'count')
  await settled('count', ({ version }) => version !== null)
  await served('/v1/acme/count')
  const { body, headers } = await customer.post('/v1/acme/count', { ...text('a\nb\n'), suffix: ' lines' })
  expect(body).toMatchObject({ lines: 2 })
  expect(readOutput(body)).toBe('2 lines\n')
  expect(headers.get('x-service-charged-micros')).toBe('1000')
  const long = await customer.post('/v1/acme/count', text('a\n'.repeat(6)))
  expect(long.body).toMatchObject({ code: 'PLUGIN_REFUSED', reason: 'It has 6 lines, which is too many.' })
  const bare = [
    await stack.anonymous.post('/v1/acme/count', text('a')),
    await stack.anonymous.post('/v1/utils/hash', text('a')),
  ]
  expect(bare[0]).toMatchObject({ status: bare[1]!.status, body: { code: bare[1]!.body.code } })
  expect((await customer.delete('/v1/acme/count')).body).toMatchObject({
    code: 'METHOD_NOT_ALLOWED',
    allowed: ['GET', 'POST'],
  })
  await writePrice(stack.db, 'acme.count', { rateMicros: 3_000n })
  await eventually('the price', async () => {
    const answer = await customer.post('/v1/acme/count', text('a\n'))
    return answer.headers.get('x-service-charged-micros') === '3000'
  })
})

test('a changed file replaces its version, a bad one changes nothing, a removed one is gone', async () => {
  const before = (await settled('shout.ts', ({ version }) => version !== null)).version
  const countServed = () => stack.api.log().split('operations of the operator are served').length
  const served = countServed()
  const slow = `const loud = text.toLowerCase(); await new Promise(resolve => setTimeout(resolve, 3_000))`
  await drop('shout.ts', shout({ name: 'acme.shout', body: slow }))
  const { version } = await settled('shout.ts', row => row.version !== before)
  await eventually('the api to have it', () => Promise.resolve(countServed() > served))
  const ticket = await customer.post('/v1/acme/shout', { ...text('OLD'), async: true })
  await customer.waitForStart(ticket.body.ticket)
  await drop('shout.ts', shout({ name: 'acme.shout', body: `const loud = 'new ' + text` }))
  await settled('shout.ts', row => row.version !== version)
  await eventually('the new version', async () => {
    const { body } = await customer.post('/v1/acme/shout', text('x'))
    return body.output && readOutput(body) === 'new x!'
  })
  const old = await customer.waitForEnd(ticket.body.ticket)
  expect(old).toMatchObject({ status: 'succeeded' })
  const { outputUrl } = (old.result as { output: { outputUrl: string } }).output
  expect(await (await fetch(outputUrl)).text()).toBe('old!')

  await drop('shout.ts', 'export default {')
  const refused = await settled('shout.ts', ({ fault }) => fault !== null)
  expect(refused.fault).toMatch(/^shout\.ts: it cannot be loaded: /)
  expect(readOutput((await customer.post('/v1/acme/shout', text('y'))).body)).toBe('new y!')

  await rm(join(folder, 'shout.ts'))
  await eventually('it to be gone', async () => (await customer.post('/v1/acme/shout', text('z'))).status === 404)
  expect((await customer.get('/openapi.json')).text).not.toContain('/v1/acme/shout')
})

test('clients of MCP of every revision are told when the tools change, and go on when the api stops', async () => {
  const names: Record<string, string[][]> = { auto: [], legacy: [] }
  const key = { headers: { authorization: `Bearer ${customer.key}` } }
  const clients = await Promise.all(
    (['auto', 'legacy'] as const).map(async mode => {
      const onChanged = (_: unknown, tools: { name: string }[] | null) =>
        void names[mode]!.push((tools ?? []).map(({ name }) => name))
      const client = new ModernClient(
        { name: mode, version: '1' },
        { versionNegotiation: { mode }, listChanged: { tools: { onChanged } } },
      )
      await client.connect(new ModernTransport(new URL(`${other.url}/mcp/full`), { requestInit: key }))
      return client
    }),
  )
  await using first = await connectOfficialClient(other.url, customer.key)
  let changes = 0
  first.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  expect(first.client.getServerCapabilities()?.tools).toEqual({ listChanged: true })
  await drop('hum.ts', shout({ name: 'acme.hum' }))
  await eventually(
    'all to be told',
    () => Promise.resolve(changes > 0 && names.auto!.length > 0 && names.legacy!.length > 0),
    60_000,
  )
  for (const lists of Object.values(names)) expect(lists.at(-1)).toContain('acme_hum')
  await rm(join(folder, 'hum.ts'))
  await eventually(
    'it to be gone from all',
    () => Promise.resolve(changes > 1 && Object.values(names).every(lists => !lists.at(-1)!.includes('acme_hum'))),
    60_000,
  )
  const closed = clients[0]!.autoOpenedSubscription!.closed
  expect(await other.role.stop()).toBe(0)
  expect(await closed).toBe('graceful')
  await Promise.all(clients.map(client => client.close()))
})

const REFUSED: [title: string, code: string, reason: RegExp][] = [
  ['a syntax error', 'export default operation({', /it cannot be loaded: /],
  ['an error at load', shout({ name: 'acme.a', top: `throw new Error('no licence')` }), /Error: no licence/],
  ['no default export', 'export const x = 1', /it must default-export operation/],
  ['a name of ours', shout({ name: 'pdf.shout' }), /the family pdf is ours/],
  ['a name of the platform', shout({ name: 'account.shout' }), /the family account is ours/],
  ['a name that is none', shout({ name: 'Shout' }), /name must be family\.verb/],
  ['a name of another file', shout({ name: 'acme.count' }), /the name acme\.count is that of count/],
  ['a price without a unit', shout({ name: 'acme.b', price: `{ usd: '0.002' } as never` }), /price\.per is missing/],
  ['a price above all', shout({ name: 'acme.b', price: `price('2')` }), /price\.usd must be dollars/],
  [
    'an author who is nobody',
    shout({ name: 'acme.c', author: { wallet: `0x${'1'.repeat(40)}`, percent: 50 } }),
    /its author 0x1+ is no account here/,
  ],
  ['a field that is missing', shout({ name: 'acme.d' }).replace(/summary: .*/, ''), /summary is missing/],
  [
    'a schema that is none',
    shout({ name: 'acme.e' }).replace('Type.Integer()', `{ type: 'whole' } as never`),
    /output is no JSON schema/,
  ],
  [
    'an example that does not fit',
    shout({ name: 'acme.f' }).replace(`{ text: 'hello' }`, `{ txt: 'hello' }`),
    /the example "A greeting" does not fit: input\.file/,
  ],
]

test('what cannot be taken is refused with one sentence that names the file', async () => {
  const files = REFUSED.map(([title, code, reason]) => ({
    file: `bad-${title.replaceAll(/\W+/g, '-')}.ts`,
    code,
    reason,
  }))
  for (const { file, code } of files) await drop(file, code)
  for (const { file, reason } of files) {
    const row = await settled(file, ({ fault }) => fault !== null)
    expect(row).toMatchObject({ version: null, fault: expect.stringMatching(reason) })
    expect(row.fault).toMatch(new RegExp(`^${file}: .+$`))
    await rm(join(folder, file))
  }
})

test('hostile code ends its own call, while others are served', async () => {
  const rows = [
    ['loop', 'for (;;);', 'TIME_LIMIT_EXCEEDED'],
    ['leave', 'process.exit(0)', 'PLUGIN_FAILED'],
    ['fill', 'const all = []; for (;;) all.push(Buffer.alloc(64 * 2 ** 20, 1))', 'PLUGIN_FAILED'],
    ['reach', `await fetch('${stack.url}/v1/prices')`, 'PLUGIN_FAILED'],
  ] as const
  const bodyOf = (body: string) => `const loud = text; ${body}`
  // Filling the memory takes seconds on a slow machine.
  const limitOf = (verb: string) => (verb === 'fill' ? 60 : 5)
  for (const [verb, body] of rows)
    await drop(`${verb}.ts`, shout({ name: `acme.${verb}`, body: bodyOf(body), limitSeconds: limitOf(verb) }))
  await Promise.all(rows.map(([verb]) => settled(`${verb}.ts`, ({ version }) => version !== null)))
  await Promise.all(rows.map(([verb]) => served(`/v1/acme/${verb}`)))
  const before = await customer.money()
  const hostile = rows.map(([verb]) => customer.post(`/v1/acme/${verb}`, text('x')))
  const ours = await customer.post('/v1/utils/hash', { file: { text: 'abc' } })
  expect(ours.status).toBe(200)
  expect((await customer.post('/v1/acme/count', text('a\n'))).status).toBe(200)
  const codes = (await Promise.all(hostile)).map(({ body }) => body.code)
  expect(codes).toEqual(rows.map(([, , code]) => code))
  expect(before.balance - (await customer.money()).balance).toBe(1_000n + 3_000n)
  for (const [verb] of rows) await rm(join(folder, `${verb}.ts`))
})

test('a share of each charge goes to the author, and a part of it back with a refund', async () => {
  const author = await stack.customer(0n)
  await drop('paid.ts', shout({ name: 'acme.paid', author: { account: author.accountId, percent: 70 } }))
  await settled('paid.ts', ({ version }) => version !== null)
  await served('/v1/acme/paid')
  const paid = await customer.post('/v1/acme/paid', text('one'))
  expect(await author.money()).toEqual({ balance: 1_400n, held: 0n })
  const steps = [{ op: 'acme/paid', params: {} }]
  expect((await customer.post('/v1/pipeline', { file: { text: 'two' }, steps })).status).toBe(200)
  const { balance } = await author.money()
  expect(balance).toBe(2_800n)
  const { data } = (await author.get('/v1/account/ledger?type=share')).body
  expect(data[0]).toMatchObject({ type: 'share', direction: 'credit', amountMicros: '1400', serviceKey: 'acme.paid' })
  expect(data[0]).not.toHaveProperty('jobId')
  expect(data[0]).not.toHaveProperty('keyPrefix')
  const jobId = paid.headers.get('x-service-job-id')!
  await value(stack.db, 'select ledger.refund($1, $2)', [jobId, 1_000n])
  expect(await author.money()).toEqual({ balance: 2_100n, held: 0n })
  expect(await checkInvariants(stack.db)).toEqual([])
  expect(await other.role.stop()).toBe(0)
})
