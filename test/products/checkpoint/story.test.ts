import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  expect(await rows(api.context.db, 'select * from lease.check_invariants()')).toEqual([])
  await api[Symbol.asyncDispose]()
})

const BALANCE = 1_000_000n
const JSON_TYPE = { 'content-type': 'application/json' }

async function openOwner(balanceMicros = BALANCE) {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  if (balanceMicros > 0n) await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const ask = (method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE', url: string, headers = {}, payload?: string) =>
    api.app.inject({ method, url, headers: { authorization: `Bearer ${key}`, ...headers }, payload })
  return {
    accountId,
    ask,
    create: (id: string, headers = {}, payload = '{"step":1}') =>
      ask('POST', '/api/checkpoint', { ...JSON_TYPE, 'x-workflow-id': id, ...headers }, payload),
    write: (id: string, payload: string, headers = {}) =>
      ask('PUT', `/api/checkpoint/${id}`, { ...JSON_TYPE, ...headers }, payload),
    read: (id: string, headers = {}) => ask('GET', `/api/checkpoint/${id}`, headers),
    spent: async () => BALANCE - BigInt((await readAccount(db, accountId))!.balanceMicros),
  }
}

const expire = (workflow: string) =>
  rows(
    api.context.db,
    "update svc.lease set expires_at = now() - interval '1 second' where workflow_id = $1 and ended_at is null",
    [workflow],
  )

test('a workflow keeps its state: create, read, write, list, delete', async () => {
  const owner = await openOwner()
  const created = await owner.create('order-7')
  const sha256 = createHash('sha256').update('{"step":1}').digest('hex')
  expect(created.statusCode).toBe(201)
  expect(created.json()).toEqual({
    ...{ status: 'created', workflow_id: 'order-7', version: 1, max_body_bytes: 65_536, size_bytes: 10, sha256 },
    ...{ lease_id: expect.stringMatching(/^lse_[0-9a-f]{32}$/), cost_micros: '1000', expires_at: expect.any(String) },
  })
  expect(created.headers['x-service-charged-micros']).toBe('1000')
  const lasts = Date.parse(created.json().expires_at) - Date.now()
  expect(Math.abs(lasts - 86_400_000)).toBeLessThan(600_000)
  expect(created.headers['x-lease-expires-at']).toBe(created.json().expires_at)

  const first = await owner.read('order-7')
  expect([first.body, first.headers['content-type']]).toEqual(['{"step":1}', 'application/json'])
  expect(first.headers).toMatchObject({
    'x-checkpoint-version': '1',
    etag: `"v1-${sha256.slice(0, 8)}"`,
    'x-lease-expires-at': created.json().expires_at,
  })
  expect((await owner.read('order-7', { 'if-none-match': first.headers.etag })).statusCode).toBe(304)
  const head = await owner.ask('HEAD', '/api/checkpoint/order-7')
  expect([head.statusCode, head.body, head.headers['x-checkpoint-version']]).toEqual([200, '', '1'])

  const second = await owner.write('order-7', '{ "step": 2 }', { 'content-type': 'text/plain' })
  expect(second.json()).toMatchObject({ workflow_id: 'order-7', version: 2, size_bytes: 13 })
  expect((await owner.read('order-7')).body).toBe('{ "step": 2 }')
  expect((await owner.read('order-7?version=1')).body).toBe('{"step":1}')
  expect((await owner.read('order-7?version=3')).statusCode).toBe(404)
  const versions = await owner.read('order-7/versions')
  expect(versions.json().items.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  expect((await owner.ask('GET', '/api/checkpoint')).json()).toMatchObject({
    items: [{ workflow_id: 'order-7', version: 2 }],
    pagination: { hasMore: false },
  })
  expect(await owner.spent()).toBe(1_000n)

  expect((await owner.ask('DELETE', '/api/checkpoint/order-7')).json()).toEqual({ status: 'deleted' })
  const gone = await owner.read('order-7')
  expect([gone.statusCode, gone.json()]).toEqual([410, expect.objectContaining({ code: 'GONE', reason: 'deleted' })])
  expect((await owner.write('order-7', '{}')).statusCode).toBe(410)
  expect((await owner.ask('DELETE', '/api/checkpoint/order-7')).statusCode).toBe(410)
  expect((await owner.ask('GET', '/api/checkpoint')).json().items).toEqual([])
  expect(await owner.spent()).toBe(1_000n)
  const again = await owner.create('order-7')
  expect([again.statusCode, again.json().version]).toEqual([201, 1])
  expect((await owner.read('order-7?version=2')).statusCode).toBe(404)
})

test('the price is that of its size and time, told before by a dry run', async () => {
  const owner = await openOwner()
  const { rates } = (await api.app.inject({ url: '/api/pricing' })).json()
  expect(rates.checkpoint).toMatchObject({ perMibDayMicros: '100', maxBodyBytes: { ceiling: 1_048_576 } })
  const large = { 'x-max-body-bytes': '1048575', 'x-duration-seconds': '2591999' }
  const dry = await owner.create('priced', { ...large, 'x-dry-run': 'true' })
  expect([dry.statusCode, dry.json()]).toEqual([200, expect.objectContaining({ cost_micros: '3000' })])
  expect(await owner.spent()).toBe(0n)
  expect((await owner.create('priced', large)).json().cost_micros).toBe('3000')
  expect(await owner.spent()).toBe(3_000n)
  const ledger = await owner.ask('GET', '/v1/account/ledger?type=charge')
  expect(ledger.json().data).toMatchObject([
    { amountMicros: '3000', serviceKey: 'leases.create-checkpoint', status: 'settled' },
  ])
})

test.each([
  ['no id', { 'x-workflow-id': '' }, '{}', 400, 'INVALID_WORKFLOW_ID'],
  ['an odd id', { 'x-workflow-id': 'a/b' }, '{}', 400, 'INVALID_WORKFLOW_ID'],
  ['dots', { 'x-workflow-id': '..' }, '{}', 400, 'INVALID_WORKFLOW_ID'],
  ['a long id', { 'x-workflow-id': 'a'.repeat(129) }, '{}', 400, 'INVALID_WORKFLOW_ID'],
  ['a short time', { 'x-duration-seconds': '59' }, '{}', 400, 'INVALID_PARAM'],
  ['a long time', { 'x-duration-seconds': '2592001' }, '{}', 400, 'INVALID_PARAM'],
  ['no number', { 'x-max-body-bytes': 'much' }, '{}', 400, 'INVALID_PARAM'],
  ['too much', { 'x-max-body-bytes': '1048577' }, '{}', 400, 'INVALID_PARAM'],
  ['no body', {}, '', 400, 'EMPTY_BODY'],
  ['no JSON', {}, '{"a":', 400, 'INVALID_JSON'],
  ['a large body', { 'x-max-body-bytes': '9' }, '{"step":1}', 413, 'INPUT_TOO_LARGE'],
])('%s is refused and costs nothing', async (_, headers, payload, status, code) => {
  const owner = await openOwner()
  const answer = await owner.create('bad', headers, payload)
  expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  expect(await owner.spent()).toBe(0n)
})

test('who cannot pay gets nothing, and a live id is not sold twice', async () => {
  const poor = await openOwner(0n)
  expect((await poor.create('mine')).json().code).toBe('INSUFFICIENT_BALANCE')
  expect((await poor.read('mine')).statusCode).toBe(404)
  const owner = await openOwner()
  const { lease_id, expires_at } = (await owner.create('mine')).json()
  const again = await owner.create('mine')
  expect([again.statusCode, again.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'WORKFLOW_ID_IN_USE', lease_id, expires_at }),
  ])
  expect(await owner.spent()).toBe(1_000n)
  expect((await api.app.inject({ url: '/api/checkpoint/mine' })).statusCode).toBe(401)
})

test('names belong to an account: another account neither sees nor changes them', async () => {
  const [owner, other] = await Promise.all([openOwner(), openOwner()])
  await owner.create('shared-name')
  expect((await other.read('shared-name')).statusCode).toBe(404)
  const refused = await other.write('shared-name', '{"mine":false}')
  expect(refused.statusCode).toBe(404)
  expect(refused.json()).toMatchObject({ reason: expect.stringContaining('POST /api/checkpoint') })
  expect((await other.ask('DELETE', '/api/checkpoint/shared-name')).statusCode).toBe(404)
  expect((await other.create('shared-name', {}, '"theirs"')).statusCode).toBe(201)
  expect((await owner.read('shared-name')).body).toBe('{"step":1}')
})

test('a repeat under a key is answered as the first and is neither charged nor written twice', async () => {
  const owner = await openOwner()
  const keyed = { 'idempotency-key': 'create-1' }
  const [first, second] = [await owner.create('keyed', keyed), await owner.create('keyed', keyed)]
  expect([second.statusCode, second.json()]).toEqual([201, first.json()])
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect((await owner.create('keyed', keyed, '{"step":9}')).json().code).toBe('IDEMPOTENCY_CONFLICT')
  expect(await owner.spent()).toBe(1_000n)
  const write = { 'idempotency-key': 'write-1' }
  const written = await owner.write('keyed', '{"step":2}', write)
  const repeated = await owner.write('keyed', '{"step":2}', write)
  expect([written.json(), repeated.json().version]).toEqual([repeated.json(), 2])
  expect((await owner.write('keyed', '{"step":3}', write)).json().code).toBe('IDEMPOTENCY_CONFLICT')
})

test('of writers that replace the same version exactly one wins', async () => {
  const owner = await openOwner()
  await writeSetting(api.context.db, 'rate.checkpoint_writes_per_minute', 1_000)
  await api.context.settings.refresh()
  const etag = (await owner.create('race')).headers.etag ?? (await owner.read('race')).headers.etag
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, writer) =>
      owner.write('race', JSON.stringify({ writer }), writer % 2 ? { 'x-if-version': '1' } : { 'if-match': etag }),
    ),
  )
  const winners = answers.flatMap(({ statusCode }, writer) => (statusCode === 200 ? [writer] : []))
  expect(winners).toHaveLength(1)
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'VERSION_CONFLICT', current_version: 2 }])
  }
  expect((await owner.read('race')).json()).toEqual({ writer: winners[0] })
  expect((await owner.write('race', '1', { 'if-match': '"v2-00000000"' })).statusCode).toBe(409)
  expect((await owner.write('race', '1', { 'if-match': 'nonsense' })).statusCode).toBe(400)
  const blind = await Promise.all(Array.from({ length: 20 }, (_, n) => owner.write('race', String(n))))
  const versions = blind.map(answer => answer.json().version as number).sort((one, other) => one - other)
  expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 3))
  const kept = (await owner.read('race/versions')).json().items.map(({ version }: { version: number }) => version)
  expect(kept).toEqual(Array.from({ length: 10 }, (_, n) => 22 - n))
})

test('of creates of one name that come together exactly one is sold', async () => {
  const owner = await openOwner()
  const answers = await Promise.all(Array.from({ length: 12 }, () => owner.create('once')))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(11).fill(409)])
  expect(await owner.spent()).toBe(1_000n)
})

test('what has expired is gone at once, is swept, and its name can be used again', async () => {
  const owner = await openOwner()
  await owner.create('brief')
  await expire('brief')
  const gone = await owner.read('brief')
  expect([gone.statusCode, gone.json().reason]).toEqual([410, 'expired'])
  expect((await owner.write('brief', '{}')).statusCode).toBe(410)
  const { db } = api.context
  const held = 'select from svc.lease l join svc.checkpoint_version v on v.lease_id = l.id where l.workflow_id = $1'
  expect(await rows(db, held, ['brief'])).toHaveLength(1)
  await runDueSteps(api.context)
  expect(await rows(db, held, ['brief'])).toEqual([])
  expect((await owner.read('brief')).statusCode).toBe(410)
  await owner.create('brief', {}, '"second"')
  await expire('brief')
  expect((await owner.create('brief', {}, '"third"')).json().version).toBe(1)
  expect((await owner.read('brief')).body).toBe('"third"')
  await rows(db, "update svc.lease set ended_at = now() - interval '31 days' where ended_at is not null")
  await owner.ask('DELETE', '/api/checkpoint/brief')
  await runDueSteps(api.context)
  expect(await rows(db, "select from svc.lease where workflow_id = 'brief'")).toHaveLength(1)
  expect((await owner.read('brief')).statusCode).toBe(410)
})

test('a body above what was paid for is refused, and reads are limited per checkpoint', async () => {
  const owner = await openOwner()
  await owner.create('limits', { 'x-max-body-bytes': '10' })
  const large = await owner.write('limits', '{"step":11}')
  expect([large.statusCode, large.json()]).toMatchObject([413, { code: 'INPUT_TOO_LARGE', max_body_bytes: 10 }])
  await writeSetting(api.context.db, 'rate.checkpoint_reads_per_minute', 1)
  await api.context.settings.refresh()
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await owner.read('limits')).statusCode))
  await writeSetting(api.context.db, 'rate.checkpoint_reads_per_minute', null)
  await api.context.settings.refresh()
  // A minute may begin between two of them.
  expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(2)
  expect(statuses).toContain(429)
})
