import { afterAll, beforeAll, expect, test } from 'vitest'
import { purgeBatons } from '../../../sql/baton/lifecycle.ts'
import { rows } from '../../../sql/db.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'

let api: PaidApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let other: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openPaidApi()
  owner = await openBatonOwner(api, 50_000_000n)
  other = await openBatonOwner(api)
})
afterAll(() => api[Symbol.asyncDispose]())

type Body = Record<string, unknown>
const SHAPE = {
  sizeBytes: 10_000,
  durationSeconds: 3_600,
  maxEgressBytes: 10_000,
  writesAllowed: 50,
  readsAllowed: 200,
}
const create = (payload: Body = {}) => owner.create({ preset: 'vector', customShape: SHAPE, ...payload })
const post = (id: string, path: string, body: Body, by = owner, headers: Record<string, string> = {}) =>
  by.call('POST', `/v1/baton/${id}/vectors${path}`, body, headers)
const one = (id: string, more: Body = {}) => ({ vectors: [{ id, values: [1, 2], ...more }] })
const ask = { vector: [1, 2] }
const code = async (answer: ReturnType<typeof post>) => {
  const { statusCode, json } = await answer
  return [statusCode, statusCode < 400 ? undefined : json().code]
}
const spend = async <Result>(work: () => Promise<Result>): Promise<[Result, bigint]> => {
  const before = await owner.money()
  const result = await work()
  const after = await owner.money()
  expect(after[1]).toBe(0n)
  return [result, before[0] - after[0]]
}
const meta = async (id: string) => (await owner.call('GET', `/v1/baton/${id}/meta`)).json()

test('each started hundred and each started 10 kB of text costs a thousand micros, once', async () => {
  const { id } = await create({ tier: 'nano', customShape: undefined })
  const vectors = Array.from({ length: 101 }, (_, at) => ({ id: `n${at}`, values: [at + 1, 1] }))
  const key = { 'idempotency-key': 'first' }
  const [answer, cost] = await spend(() => post(id, '', { vectors, returnIds: true }, owner, key))
  expect([cost, answer.json()]).toMatchObject([
    2_000n,
    { upserted: 101, replaced: 0, batches: 2, chargedMicros: '2000', bytesUsed: String(101 * (8 + 2 + 64)) },
  ])
  expect(answer.json().ids).toHaveLength(101)
  const [again, nothing] = await spend(() => post(id, '', { vectors, returnIds: true }, owner, key))
  expect([nothing, again.json()]).toEqual([0n, answer.json()])
  const [found, forQuery] = await spend(() => post(id, '/query', { ...ask, topK: 2 }))
  expect([forQuery, found.headers['x-service-charged-micros']]).toEqual([1_000n, '1000'])
  expect(found.json().quotas).toMatchObject({ readsLeft: 4_999, writesLeft: 499 })
  const texts = await create({ tier: 'nano', customShape: undefined })
  const quoted = await post(texts.id, '', { vectors: [{ id: 'a', text: 'é'.repeat(5_001) }], dryRun: true })
  expect(quoted.json()).toMatchObject({ quote: { amountMicros: '3000' } })
  const [, forText] = await spend(() => post(texts.id, '', { vectors: [{ id: 'a', text: 'é'.repeat(5_001) }] }))
  expect(forText).toBe(3_000n)
})

test('of first writes that come together one decides, and the others cost nothing', async () => {
  const { id } = await create()
  const [answers, cost] = await spend(() =>
    Promise.all([2, 3, 4, 5].map(n => post(id, '', { vectors: [{ id: `d${n}`, values: Array(n).fill(1) }] }))),
  )
  const codes = answers.map(answer => answer.json().code).filter(Boolean)
  expect([codes, cost]).toEqual([Array(3).fill('DIMENSION_MISMATCH'), 1_000n])
  const { vector, quotas } = await meta(id)
  expect([vector.count, quotas.writesLeft]).toEqual([1, 49])
  expect(await code(post(id, '', { vectors: [{ id: 'a', text: 'x' }] }))).toEqual([409, 'MODEL_MISMATCH'])
  expect(await code(post(id, '/query', { text: 'x' }))).toEqual([409, 'MODEL_MISMATCH'])
})

test('writes and bytes are exact when they come together', async () => {
  const { id } = await create({ customShape: { ...SHAPE, writesAllowed: 3, readsAllowed: 2 } })
  const writes = await Promise.all(Array.from({ length: 7 }, (_, n) => code(post(id, '', one(`v${n}`)))))
  expect(writes.filter(([status]) => status === 200)).toHaveLength(3)
  expect(writes).toContainEqual([409, 'QUOTA_EXHAUSTED'])
  const reads = await Promise.all(Array.from({ length: 5 }, () => code(post(id, '/query', ask))))
  expect(reads.filter(([status]) => status === 200)).toHaveLength(2)
  const small = await create({ customShape: { ...SHAPE, sizeBytes: 200 } })
  await post(small.id, '', one('a'))
  const [full, cost] = await spend(() =>
    post(small.id, '', { vectors: [...one('a').vectors, ...one('b', { metadata: { m: 'x'.repeat(60) } }).vectors] }),
  )
  expect([full.json(), cost]).toMatchObject([{ code: 'QUOTA_EXHAUSTED', leftBytes: '126' }, 0n])
  expect((await meta(small.id)).quotas).toMatchObject({ sizeBytesLeft: '126', writesLeft: 49 })
  expect(await code(post(small.id, '', { vectors: [...one('a').vectors, ...one('b').vectors] }))).toEqual([
    200,
    undefined,
  ])
})

const BAD: [string, Body, number, Body][] = [
  ['a zero vector', one('a', { values: [0, 0] }), 422, { code: 'VECTOR_INVALID', index: 0, reason: 'zero' }],
  ['a number beyond floats', one('a', { values: [1e39, 1] }), 422, { code: 'VECTOR_INVALID', reason: 'nan' }],
  ['less than any float', one('a', { values: [1e-60, 0] }), 422, { code: 'VECTOR_INVALID', reason: 'zero' }],
  [
    'unequal lengths',
    { vectors: [...one('a').vectors, { id: 'b', values: [1] }] },
    422,
    { index: 1, reason: 'dimensions' },
  ],
  [
    'the same id twice',
    { vectors: [...one('a').vectors, ...one('a').vectors] },
    422,
    { index: 1, reason: 'duplicate' },
  ],
  [
    'values beside texts',
    { vectors: [{ id: 'a', text: 'x' }, ...one('b').vectors] },
    422,
    { index: 0, reason: 'missing' },
  ],
  ['neither', { vectors: [{ id: 'a' }] }, 422, { reason: 'missing', field: 'text' }],
  ['a text without words', { vectors: [{ id: 'a', text: ' ... ' }] }, 422, { code: 'VECTOR_INVALID', reason: 'zero' }],
  ['a long text', { vectors: [{ id: 'a', text: 'é'.repeat(16_385) }] }, 422, { reason: 'text' }],
  ['much metadata', one('a', { metadata: { m: 'x'.repeat(8_190) } }), 422, { reason: 'metadata' }],
  [
    'an endless number',
    one('a', { metadata: { m: 1 } }),
    400,
    { code: 'INVALID_PARAM', field: 'vectors.0.metadata.m' },
  ],
  ['nested metadata', one('a', { metadata: { m: { n: 1 } } }), 400, { code: 'INVALID_PARAM' }],
  ['NUL in metadata', one('a', { metadata: { m: 'a\0' } }), 400, { code: 'INVALID_PARAM' }],
  ['half a character', one('a', { text: '\ud83d' }), 400, { code: 'INVALID_PARAM' }],
  ['an operator as a field', one('a', { metadata: { $and: 'x' } }), 400, {}],
  ['an odd id', one('a b'), 400, { code: 'INVALID_PARAM' }],
  ['a step of a path', one('..'), 400, { code: 'INVALID_PARAM' }],
  ['NUL in a namespace', { ...one('a'), namespace: '\0' }, 400, { code: 'INVALID_PARAM' }],
  ['no vectors', { vectors: [] }, 400, { code: 'INVALID_PARAM' }],
]

test.each(BAD)('%s is refused for nothing', async (name, body, status, expected) => {
  const { id } = await create()
  const text = JSON.stringify(body).replace('{"m":1}', '{"m":1e999}')
  const headers = { 'content-type': 'application/json' }
  const [answer, cost] = await spend(() => owner.call('POST', `/v1/baton/${id}/vectors`, text as never, headers))
  expect([name, answer.statusCode, answer.json(), cost]).toMatchObject([name, status, expected, 0n])
  expect((await meta(id)).quotas.writesLeft).toBe(50)
})

test.each([
  [{}, 400, 'MISSING_FIELD'],
  [{ ...ask, id: 'a' }, 400, 'CONFLICTING_OPTIONS'],
  [{ vector: [1] }, 409, 'DIMENSION_MISMATCH'],
  [{ vector: [0, 0] }, 422, 'VECTOR_INVALID'],
  [{ id: 'gone' }, 404, 'NOT_FOUND'],
  [{ ...ask, hybrid: {} }, 400, 'MISSING_FIELD'],
  [{ ...ask, topK: 200, offset: 1, mmr: {} }, 400, 'INVALID_PARAM'],
  [{ ...ask, topK: 201 }, 400, 'INVALID_PARAM'],
  [{ ...ask, filter: {} }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { a: null } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { a: { $regex: 'x' } } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { a: '\0' } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { $or: [] } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { $not: { $not: { $not: { $not: { $not: { a: 1 } } } } } } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { a: { $in: Array(101).fill(1) } } }, 422, 'FILTER_INVALID'],
  [{ ...ask, filter: { 'a"b\\': { $in: ['"', '\\', "'", '$', '%', 'é', -1.5e-7, -0] } } }, 200, undefined],
  [{ ...ask, filter: { a: { $contains: '(.*' } }, namespace: "'; drop" }, 200, undefined],
] as [Body, number, string | undefined][])('a query %j is answered %i %s', async (body, status, expected) => {
  const { id } = await create()
  await post(id, '', one('a'))
  const [answer, cost] = await spend(() => code(post(id, '/query', body)))
  expect([answer, cost]).toEqual([[status, expected], status === 200 ? 1_000n : 0n])
})

test('conflicts are replaced, skipped, refused or merged, as the call asks', async () => {
  const { id } = await create()
  const item = (n: number, metadata: Body) => ({ id: 'a', values: [n, 1], metadata })
  const write = async (n: number, metadata: Body, onConflict: string) =>
    (await post(id, '', { vectors: [item(n, metadata), { id: `b${n}`, values: [1, 1] }], onConflict })).json()
  const read = async () => (await owner.call('GET', `/v1/baton/${id}/vectors/a`)).json()
  expect(await write(1, { x: 1, y: 1 }, 'error')).toMatchObject({ upserted: 2, replaced: 0, count: 2 })
  expect(await write(2, {}, 'error')).toMatchObject({ code: 'VECTOR_EXISTS', id: 'a' })
  expect(await write(3, {}, 'skip')).toMatchObject({ upserted: 1, skipped: 1, replaced: 0, count: 3 })
  expect(await read()).toEqual({ id: 'a', values: [1, 1], metadata: { x: 1, y: 1 } })
  expect(await write(4, { y: 'é' }, 'merge-metadata')).toMatchObject({ upserted: 2, replaced: 1, count: 4 })
  expect(await read()).toEqual({ id: 'a', values: [4, 1], metadata: { x: 1, y: 'é' } })
  expect(await write(5, { z: ['1'] }, 'replace')).toMatchObject({ replaced: 1, count: 5 })
  expect(await read()).toEqual({ id: 'a', values: [5, 1], metadata: { z: ['1'] } })
  const update = (body: Body) => post(id, '/update', { id: 'a', ...body })
  expect((await update({ metadata: { w: true } })).json().metadata).toEqual({ z: ['1'], w: true })
  expect((await update({ metadata: {}, merge: false })).json().metadata).toEqual({})
  expect(await code(post(id, '/update', { id: 'gone', metadata: {} }))).toEqual([404, 'NOT_FOUND'])
  const list = async (query: string) => (await owner.call('GET', `/v1/baton/${id}/vectors?${query}`)).json()
  const first = await list('limit=2&prefix=b')
  const second = await list(`limit=2&prefix=b&cursor=${first.nextCursor}`)
  expect([first, second].flatMap(({ vectors }) => vectors.map((vector: { id: string }) => vector.id))).toEqual([
    ...['b1', 'b3', 'b4', 'b5'],
  ])
  expect((await list('limit=2&cursor=AAAA')).code).toBe('INVALID_PARAM')
  expect((await post(id, '/delete', { filter: { missing: { $exists: true } } })).json().deleted).toBe(0)
  expect((await post(id, '/delete', { filter: { $not: { x: 1 } } })).json()).toMatchObject({
    deleted: 5,
    bytesUsed: '0',
  })
  expect(await code(post(id, '/delete', { ids: ['a'], all: true }))).toEqual([400, 'CONFLICTING_OPTIONS'])
  expect(await code(post(id, '/delete', {}))).toEqual([400, 'MISSING_FIELD'])
  expect((await owner.call('GET', `/v1/baton/${id}/vectors/stats`)).json()).toMatchObject({ count: 0, namespaces: [] })
})

test('tokens, listed accounts and others do what they may, and each caller pays', async () => {
  const { id } = await create({ acl: { [other.accountId]: 'reader' } })
  const elsewhere = await create()
  await post(id, '', one('mine'))
  await post(elsewhere.id, '', one('theirs'))
  const mint = async (type: string, more: Body = {}) =>
    (await owner.call('POST', `/v1/baton/${elsewhere.id}/tokens`, { type, ...more })).json().id as string
  const [reader, writer] = [await mint('read', { reads_allowed: 1 }), await mint('write')]
  expect((await post(id, '/query', ask, other)).json().matches).toMatchObject([{ id: 'mine' }])
  expect(await code(post(id, '', one('x'), other))).toEqual([403, 'FORBIDDEN'])
  expect(await code(post(elsewhere.id, '/query', ask, other))).toEqual([404, 'NOT_FOUND'])
  const before = await other.money()
  expect((await post(reader, '/query', ask, other)).json().matches).toMatchObject([{ id: 'theirs' }])
  expect(await code(post(reader, '/query', ask, other))).toEqual([409, 'QUOTA_EXHAUSTED'])
  expect(await code(post(reader, '', one('x'), other))).toEqual([403, 'FORBIDDEN'])
  expect(await code(post(writer, '', one('new'), other))).toEqual([200, undefined])
  expect(await code(post(writer, '/query', ask, other))).toEqual([403, 'FORBIDDEN'])
  expect((await other.money())[0]).toBe(before[0] - 2_000n)
  const anyone = await api.app.inject({
    method: 'POST',
    url: `/v1/baton/${writer}/vectors/delete`,
    payload: { ids: ['new'] },
  })
  expect(anyone.json()).toMatchObject({ deleted: 1 })
  const unpaid = await api.app.inject({ method: 'POST', url: `/v1/baton/${writer}/vectors`, payload: one('x') })
  expect(unpaid.statusCode).toBe(402)
})

test('presets are not mixed up', async () => {
  const [{ id }, drop] = [await create(), await owner.create({ preset: 'drop', tier: 'femto', content: 'x' })]
  const mismatch = [422, 'PRESET_MISMATCH']
  expect(await code(post(drop.id, '', one('a')))).toEqual(mismatch)
  expect(await code(post(drop.id, '/query', ask))).toEqual(mismatch)
  expect(await code(owner.call('GET', `/v1/baton/${drop.id}/vectors/stats`))).toEqual(mismatch)
  const calls: [string, Body][] = [
    [`/v1/baton/${id}`, { content: 'x' }],
    ['/v1/utils/hash', { file: { batonId: id } }],
    ['/v1/utils/hash', { text: 'x', deliver: { batonId: id } }],
    ['/v1/utils/hash', { text: 'x', deliver: { new: { preset: 'vector', tier: 'femto' } } }],
  ]
  for (const [path, body] of calls)
    expect([path, ...(await code(owner.call('POST', path, body)))]).toEqual([path, ...mismatch])
  expect(await code(owner.call('GET', `/v1/baton/${id}`))).toEqual(mismatch)
  const made = (payload: Body) => code(owner.call('POST', '/v1/baton', { tier: 'femto', ...payload }))
  expect(await made({ preset: 'vector', content: 'x' })).toEqual([400, 'CONFLICTING_OPTIONS'])
  expect(await made({ preset: 'drop', vector: {} })).toEqual([400, 'CONFLICTING_OPTIONS'])
  expect(await made({ preset: 'vector', flags: { witness: true } })).toEqual([422, 'FLAG_DEPENDENCY_UNMET'])
  expect(await made({ preset: 'vector', vector: { model: 'svc-other' } })).toEqual([400, 'INVALID_PARAM'])
  const model = 'svc-hash-384@1'
  expect(await made({ preset: 'vector', vector: { model, dimensions: 2 } })).toEqual([400, 'INVALID_PARAM'])
  const alias = await owner.call('POST', '/v1/storage/vector', {
    tier: 'femto',
    vector: { model: 'mine', metric: 'l2' },
  })
  expect([alias.statusCode, alias.json()]).toMatchObject([
    201,
    { preset: 'vector', behaviour: 'vectors', vector: { metric: 'l2', dimensions: null, model: 'mine' } },
  ])
  expect(await code(post(alias.json().id, '', { vectors: [{ id: 'a', text: 'x' }] }))).toEqual([409, 'MODEL_MISMATCH'])
})

test('vectors go with their baton', async () => {
  const { id } = await create({ onExpiration: 'hard_delete' })
  await post(id, '', one('a'))
  await owner.call('DELETE', `/v1/baton/${id}`)
  expect(await code(post(id, '/query', ask))).toEqual([410, 'GONE'])
  await purgeBatons(api.context.db, 100)
  expect(await rows(api.context.db, 'select from svc.vector_floats where baton_id = $1', [id])).toEqual([])
})

test('a wallet pays for its baton, for vectors and for queries', async () => {
  const wallet = api.chain.wallet()
  const pay = (url: string, payload: Body) =>
    api.app.inject({ method: 'POST', url, headers: { 'payment-signature': wallet.pay(50_000n) }, payload })
  const { id } = (await pay('/v1/baton', { preset: 'vector', tier: 'femto' })).json()
  const written = await pay(`/v1/baton/${id}/vectors`, { vectors: [{ id: 'a', text: 'paid by a wallet' }] })
  expect([written.statusCode, written.json()]).toMatchObject([200, { upserted: 1, chargedMicros: '2000' }])
  const found = await pay(`/v1/baton/${id}/vectors/query`, { text: 'wallet' })
  expect(found.json().matches).toMatchObject([{ id: 'a', text: 'paid by a wallet' }])
  const otherWallet = api.chain.wallet()
  const headers = { 'payment-signature': otherWallet.pay(50_000n) }
  const refused = await api.app.inject({
    method: 'POST',
    url: `/v1/baton/${id}/vectors/query`,
    headers,
    payload: { text: 'x' },
  })
  expect([refused.statusCode, refused.json().code]).toEqual([404, 'NOT_FOUND'])
  const asked = await api.app.inject({ method: 'POST', url: `/v1/baton/${id}/vectors/query`, payload: { text: 'x' } })
  expect([asked.statusCode, asked.json().code]).toEqual([402, 'PAYMENT_REQUIRED'])
})
