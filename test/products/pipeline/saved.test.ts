import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { rows } from '../../../sql/db.ts'
import { openPaidApi, type PaidApi, readBalance } from '../../support/chain/in-process-paid-api.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openAccountKey } from '../../support/mcp/key.ts'
import { type Role, startRole } from '../../support/stack/role.ts'

let api: PaidApi
let worker: Role
let reading: NodeJS.Timeout
beforeAll(async () => {
  // Loading the modules for the first time can take longer than a connection to the database may.
  await loadCatalog()
  api = await openPaidApi()
  const { databaseUrl, dataDir, secret } = api.context.config
  worker = await startRole('worker', {
    DATABASE_URL: databaseUrl!,
    DATA_DIR: dataDir,
    SECRET: secret,
    WORKER_ADMIN_PORT: '0',
    LANES: 'native',
  })
  // An api in the process of a test is told of no end of a job.
  reading = setInterval(() => void api.context.waiters.readMissed(), 50)
})
afterAll(async () => {
  clearInterval(reading)
  await worker?.[Symbol.asyncDispose]()
  await api?.[Symbol.asyncDispose]()
})

const SALES = { text: "city,amount\nRome,10\nOslo,3\nRome,7\nO'Hara,6\n" }
const SUM = { by: ['city'], aggs: [{ column: 'amount', fn: 'sum', as: 'total' }] }
const LARGE = {
  description: 'Totals of large sales',
  params: { least: { type: 'number', default: 5 }, city: { type: 'string' } },
  steps: [
    { op: 'data/filter', id: 'large', params: { where: { column: 'amount', op: 'gte', value: { param: 'least' } } } },
    {
      op: 'data/sql',
      params: { sql: 'SELECT * FROM input WHERE city = coalesce($city, city)', params: { city: { param: 'city' } } },
    },
    { op: 'data/groupby', params: SUM },
  ],
  outFormat: 'json',
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'
async function send(method: Method, url: string, key: string, payload?: object, headers: Record<string, string> = {}) {
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` }
  const answer = await api.app.inject({
    method,
    url,
    headers: { ...authorization, ...headers },
    ...(payload && { payload }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.payload === '' ? undefined : answer.json() }
}
const run = (key: string, body: object, headers?: Record<string, string>) =>
  send('POST', '/v1/pipeline', key, body, headers)

test('versions are saved, listed, read, run by name and deleted', async () => {
  const { key } = await openAccountKey(api.context, 100_000n)
  const first = await send('PUT', '/v1/pipelines/large-sales', key, LARGE)
  expect(first.body).toMatchObject({ name: 'large-sales', version: 1, inputs: ['input'], ...LARGE })
  const second = { ...LARGE, params: { ...LARGE.params, least: { type: 'number', default: 7 } } }
  expect((await send('PUT', '/v1/pipelines/large-sales', key, second)).body.version).toBe(2)
  await send('PUT', '/v1/pipelines/another', key, { steps: [{ op: 'data/slice', params: { limit: 1 } }] })

  const listed = (await send('GET', '/v1/pipelines?limit=1&offset=1', key)).body
  expect(listed).toMatchObject({
    data: [{ name: 'large-sales', version: 2, description: LARGE.description }],
    pagination: { hasMore: false },
  })
  const versions = (await send('GET', '/v1/pipelines/large-sales/versions', key)).body.data
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  expect((await send('GET', '/v1/pipelines/large-sales?version=1', key)).body).toEqual(first.body)

  const call = { name: 'large-sales', file: SALES, params: { city: 'Rome' } }
  const latest = await run(key, call)
  expect(latest.body).toMatchObject({
    pipeline: { name: 'large-sales', version: 2 },
    preview: [{ city: 'Rome', total: 17 }],
  })
  expect(latest.headers['x-service-charged-micros']).toBe('4000')
  const dry = (await run(key, { ...call, version: 1, dryRun: true })).body
  expect([dry.quote.amountMicros, dry.steps.at(-1).columns]).toEqual(['4000', latest.body.columns])

  expect((await send('DELETE', '/v1/pipelines/large-sales', key)).status).toBe(204)
  expect((await send('DELETE', '/v1/pipelines/large-sales', key)).status).toBe(404)
  expect((await run(key, call)).body).toMatchObject({ code: 'NOT_FOUND', field: 'name' })
})

test('tables and texts go through steps of csv and text, and one result is returned', async () => {
  const { key } = await openAccountKey(api.context, 100_000n)
  const steps = [
    { op: 'data/filter', params: { where: 'amount > 5' } },
    { op: 'csv/dedupe', id: 'once', params: { keys: ['city'] } },
    { op: 'text/case', id: 'large', params: { to: 'upper' } },
    { op: 'data/derive', params: { columns: [{ name: 'TWICE', expr: 'AMOUNT * 2' }] } },
  ]
  const ask = async (body: object) => (await run(key, { file: SALES, steps, ...body })).body
  const all = await run(key, { file: SALES, steps, onError: 'stop' })
  expect(all.body).toMatchObject({ rowsOut: 2, preview: [{ CITY: 'ROME', AMOUNT: 10, TWICE: 20 }, { AMOUNT: 6 }] })
  expect(all.body.steps[1]).toMatchObject({ rowsIn: all.body.steps[0].rowsOut, rowsOut: 2 })
  expect(all.headers['x-service-charged-micros']).toBe('4000')
  expect(await ask({ onError: 'continue' })).toMatchObject({ code: 'INVALID_PARAM', field: 'onError' })
  const read = ({ output }: { output: { inline: string } }) => Buffer.from(output.inline, 'base64').toString()
  expect(read(await ask({ output: 'large' }))).toBe("CITY,AMOUNT\nROME,10\nO'HARA,6\n")
  expect(await ask({ output: 'large', outputs: ['once'] })).toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  expect(await ask({ output: 'none' })).toMatchObject({ code: 'PIPELINE_INVALID', name: 'none' })

  await send('PUT', '/v1/pipelines/texts', key, { steps, output: 'once' })
  const saved = { file: SALES, name: 'texts' }
  expect(read((await run(key, saved)).body)).toBe("city,amount\nRome,10\nO'Hara,6\n")
  const { files } = (await run(key, { ...saved, outputs: ['large'] })).body
  expect(files).toMatchObject([{ step: 'large' }])

  const template = { op: 'text/template', params: { template: '{{ n }} rows', data: { n: 2 } } }
  const slugify = { op: 'text/slugify', params: { file: { step: 0 } } }
  const count = { op: 'text/count', params: { text: 'one two' } }
  const texts = await ask({ steps: [template, slugify, count] })
  expect(texts).toMatchObject({ steps: [{ files: 1 }, {}, { result: { words: 2 } }] })
  const wrong = [{ op: 'text/case', params: { to: 'loud' } }]
  expect(await ask({ steps: wrong })).toMatchObject({ code: 'INVALID_PARAM', stepIndex: 0, op: 'text/case' })
})

test('no other account sees, runs or deletes it', async () => {
  const [owner, other] = [await openAccountKey(api.context, 9_000n), await openAccountKey(api.context, 9_000n)]
  await send('PUT', '/v1/pipelines/mine', owner.key, LARGE)
  for (const [method, url] of [
    ['GET', '/v1/pipelines/mine'],
    ['GET', '/v1/pipelines/mine/versions'],
    ['DELETE', '/v1/pipelines/mine'],
  ] as const)
    expect((await send(method, url, other.key)).status).toBe(404)
  expect((await run(other.key, { name: 'mine', file: SALES, params: { city: 'Rome' } })).status).toBe(404)
  expect((await send('GET', '/v1/pipelines', other.key)).body.data).toEqual([])
  expect((await send('GET', '/v1/pipelines/mine', '')).status).toBe(401)
})

const filter = (where: unknown) => [{ op: 'data/filter', params: { where } }]
const VALUE = { column: 'amount', op: 'gt', value: { param: 'x' } }
test.each([
  [
    'an unknown operation',
    { steps: [...filter('true'), { op: 'data/fliter' }] },
    'INVALID_PARAM',
    { stepIndex: 1, field: 'steps.1.op' },
  ],
  ['a wrong option', { steps: [{ op: 'data/slice', params: { limti: 1 } }] }, undefined, { stepIndex: 0 }],
  ['a parameter that is not declared', { steps: filter(VALUE) }, 'PIPELINE_INVALID', { stepIndex: 0, name: 'x' }],
  [
    'a parameter without use',
    { params: { x: { type: 'number' } }, steps: filter('true') },
    'PIPELINE_INVALID',
    { field: 'params.x' },
  ],
  [
    'a parameter as an expression',
    { params: { x: { type: 'string' } }, steps: filter({ param: 'x' }) },
    'PIPELINE_INVALID',
    { stepIndex: 0 },
  ],
  [
    'a default of another type',
    { params: { x: { type: 'number', default: 'a' } }, steps: filter(VALUE) },
    'INVALID_PARAM',
    { field: 'params.x.default' },
  ],
  [
    'a default that is required',
    { params: { x: { type: 'number', default: 1, required: true } }, steps: filter(VALUE) },
    'CONFLICTING_OPTIONS',
    {},
  ],
  [
    'a table of a later step',
    {
      steps: [
        { op: 'data/slice', input: 'b', params: { limit: 1 } },
        { op: 'data/slice', id: 'b', params: { limit: 1 } },
      ],
    },
    'PIPELINE_INVALID',
    { stepIndex: 0, name: 'b' },
  ],
  ['an output that there is not', { steps: filter('true'), outputs: ['nope'] }, 'PIPELINE_INVALID', { name: 'nope' }],
] as const)('%s is refused when it is saved', async (_name, body, code, hints) => {
  const { key } = await openAccountKey(api.context, 0n)
  const refusal = await send('PUT', '/v1/pipelines/wrong', key, body)
  expect(refusal.status).toBeGreaterThanOrEqual(400)
  expect(refusal.body).toMatchObject({ ...(code && { code }), ...hints })
  expect((await send('GET', '/v1/pipelines/wrong', key)).status).toBe(404)
})

test('a value is a value and never SQL, and what is missing or of another type is refused', async () => {
  const { key } = await openAccountKey(api.context, 100_000n)
  await send('PUT', '/v1/pipelines/large', key, LARGE)
  const hostile = await run(key, { name: 'large', file: SALES, params: { city: "O'Hara' OR true --" } })
  expect(hostile.body.rowsOut).toBe(0)
  expect((await run(key, { name: 'large', file: SALES, params: { city: "O'Hara" } })).body.preview).toEqual([
    { city: "O'Hara", total: 6 },
  ])
  for (const [params, code] of [
    [{}, 'MISSING_FIELD'],
    [{ city: 7 }, 'INVALID_PARAM'],
    [{ city: 'Rome', least: '5' }, 'INVALID_PARAM'],
    [{ city: 'Rome', more: 1 }, 'UNKNOWN_FIELD'],
  ] as const)
    expect((await run(key, { name: 'large', file: SALES, params })).body.code).toBe(code)
  expect((await run(key, { name: 'large', steps: filter('true'), file: SALES })).body.code).toBe('CONFLICTING_OPTIONS')
  expect((await run(key, { version: 1, steps: filter('true'), file: SALES })).body.code).toBe('CONFLICTING_OPTIONS')
  expect((await run(key, { file: SALES })).body.code).toBe('MISSING_FIELD')
})

test('whole lists and objects can be parameters, and a value that is left out leaves its field out', async () => {
  const { key } = await openAccountKey(api.context, 100_000n)
  const params = { by: { type: 'array' }, where: { type: 'object' }, limit: { type: 'integer', required: false } }
  const steps = [
    { op: 'data/filter', params: { where: { param: 'where' } } },
    { op: 'data/sort', params: { by: { param: 'by' } } },
    { op: 'data/slice', params: { limit: 2, offset: { param: 'limit' } } },
  ]
  expect((await send('PUT', '/v1/pipelines/sorted', key, { params, steps })).status).toBe(201)
  const where = { column: 'amount', op: 'lt', value: 10 }
  const call = { name: 'sorted', file: SALES, params: { by: [{ column: 'amount' }], where } }
  expect((await run(key, call)).body.preview.map(({ amount }: { amount: number }) => amount)).toEqual([3, 6])
  const code = { ...call, params: { ...call.params, where: { all: [{ expr: 'true' }] } } }
  expect((await run(key, code)).body).toMatchObject({ code: 'INVALID_PARAM', field: 'params.where' })
  const wrong = { ...call, params: { by: [{ colum: 'amount' }], where } }
  expect((await run(key, wrong)).status).toBe(400)
})

test('an account has a limited number of versions', async () => {
  const { key } = await openAccountKey(api.context, 0n)
  const body = { steps: [{ op: 'data/slice', params: { limit: 1 } }] }
  const saved = await Promise.all(Array.from({ length: 201 }, () => send('PUT', '/v1/pipelines/again', key, body)))
  expect(saved.filter(({ status }) => status === 201)).toHaveLength(200)
  expect(saved.find(({ status }) => status !== 201)!.body).toMatchObject({ code: 'TOO_MANY_PIPELINES', limit: 200 })
  expect(new Set(saved.map(({ body: { version } }) => version)).size).toBe(201)
})

test('a saved pipeline goes with its wallet to another account, unless that has the name already', async () => {
  const [from, to] = [await openAccountKey(api.context, 0n), await openAccountKey(api.context, 0n)]
  const steps = (limit: number) => ({ steps: [{ op: 'data/slice', params: { limit } }] })
  for (const name of ['one', 'both']) await send('PUT', `/v1/pipelines/${name}`, from.key, steps(1))
  await send('PUT', '/v1/pipelines/both', to.key, steps(2))
  await rows(api.context.db, 'select pipeline.move_account($1, $2)', [from.accountId, to.accountId])
  const limits = ['one', 'both'].map(
    async name => (await send('GET', `/v1/pipelines/${name}`, to.key)).body.steps[0].params.limit,
  )
  expect(await Promise.all(limits)).toEqual([1, 2])
})

test('an MCP client saves and runs one', async () => {
  const { key } = await openAccountKey(api.context, 10_000n)
  const headers = { authorization: `Bearer ${key}` }
  const saved = await callTool(api.app, 'pipeline_save', { name: 'by-agent', ...LARGE }, { headers })
  expect(saved.body.result.structuredContent).toMatchObject({ name: 'by-agent', version: 1 })
  const call = { name: 'by-agent', file: SALES, params: { city: 'Rome' } }
  const { result } = (await callTool(api.app, 'pipeline_run', call, { headers })).body
  expect(result.structuredContent.preview).toEqual([{ city: 'Rome', total: 17 }])
  expect(result._meta['svc/charge']).toMatchObject({ chargedMicros: '4000' })
})

test('a wallet saves one for nothing, and pays for its run', async () => {
  const wallet = api.chain.wallet()
  const save = await send('PUT', '/v1/pipelines/by-wallet', '', LARGE, { 'payment-signature': wallet.pay(10_000n) })
  expect(save.status).toBe(201)
  const call = { name: 'by-wallet', file: SALES, params: { city: 'Rome' } }
  const unpaid = await run('', call)
  expect([unpaid.status, unpaid.body.code]).toEqual([401, 'MISSING_AUTH'])
  const paid = await run('', call, { 'payment-signature': wallet.pay(10_000n) })
  expect(paid.body.preview).toEqual([{ city: 'Rome', total: 17 }])
  expect(await readBalance(api, wallet.address)).toBe(6_000n)
  const other = await run('', call, { 'payment-signature': api.chain.wallet().pay(10_000n) })
  expect(other.status).toBe(404)
})
