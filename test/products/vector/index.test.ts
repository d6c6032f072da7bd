import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPgvectorServer, type PgvectorServer } from '../../../ops/bench/pgvector-server.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { createItems, createValuesFrom } from '../../support/vectors/items.ts'
import { type FakePinecone, openFakePinecone } from '../../support/vectors/pinecone.ts'
import { type FakeQdrant, openFakeQdrant } from '../../support/vectors/qdrant.ts'

type Body = Record<string, unknown>

const FROM = 40

const createValues = createValuesFrom(5)
const ITEMS = createItems(createValues)

/** Those that both stores can be asked for, and those that only Postgres can test. */
const FILTERS: Body[] = [
  { color: 'red' },
  { color: { $ne: 'red' } },
  { n: { $gte: 10, $lt: 90 } },
  { share: 0.5 },
  { n: { $in: [1, 2, 3, 99] }, isEven: false },
  { color: { $nin: ['red', 'blue'] } },
  { tags: { $ne: 't1' } },
  { missing: { $ne: 1 } },
  { $or: [{ n: 4 }, { color: 'blue', isEven: true }] },
  { $not: { $or: [{ n: { $lt: 20 } }, { tags: 'all' }] } },
  { tags: { $exists: false } },
  { color: { $contains: 'ee' } },
  { color: { $gt: 'c' } },
]

async function listTables(server: PgvectorServer): Promise<string[]> {
  const text = `select schemaname || '.' || tablename as name from pg_tables where schemaname = 'coinop_vectors'`
  return (await server.query<{ name: string }>(text)).map(({ name }) => name)
}

const open: Record<string, () => Promise<PgvectorServer | FakeQdrant | FakePinecone>> = {
  pgvector: () => openPgvectorServer(),
  qdrant: openFakeQdrant,
  pinecone: openFakePinecone,
}

describe.each(Object.keys(open))('with an index in %s', store => {
  let api: InProcessApi
  let owner: Awaited<ReturnType<typeof openBatonOwner>>
  let server: PgvectorServer | FakeQdrant | FakePinecone

  beforeAll(async () => {
    server = await open[store]!()
    api = await openInProcessApi({
      VECTOR_INDEX: store,
      VECTOR_INDEX_URL: server.url,
      VECTOR_INDEX_KEY: 'a key',
      VECTOR_INDEX_FROM: String(FROM),
    })
    owner = await openBatonOwner(api, 50_000_000n)
  })
  afterAll(async () => {
    expect(await checkInvariants(api.context.db)).toEqual([])
    await api[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const create = async (vector: Body = {}): Promise<string> =>
    (await owner.create({ preset: 'vector', tier: 'nano', vector })).id
  const post = (id: string, path: string, body: Body) => owner.call('POST', `/v1/baton/${id}/vectors${path}`, body)
  async function write(id: string, vectors: Body[], more: Body = {}) {
    const answer = await post(id, '', { vectors, ...more })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json()
  }
  async function query(id: string, body: Body): Promise<{ ids: string[]; scores: number[]; exact: boolean }> {
    const answer = await post(id, '/query', body)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    const { matches, exact } = answer.json() as { matches: { id: string; score: number }[]; exact: boolean }
    return { ids: matches.map(({ id }) => id), scores: matches.map(({ score }) => score), exact }
  }
  const readState = async (id: string) => (await owner.call('GET', `/v1/baton/${id}/meta`)).json().vector.indexState
  const runSteps = () => runDueSteps(api.context as never)
  async function countIndexed(): Promise<number> {
    if ('count' in server) return server.count()
    let sum = 0
    for (const table of await listTables(server))
      sum += Number((await server.query<{ count: number }>(`select count(*) from ${table}`))[0]!.count)
    return sum
  }

  test.each(['cosine', 'dot', 'l2'])('by %s it finds with all filters what comparing all finds', async metric => {
    const id = await create({ metric })
    await write(id, ITEMS)
    expect(await readState(id)).toBe('building')
    const asked = createValues()
    const bodies = [{}, ...FILTERS.map(filter => ({ filter })), { offset: 7, topK: 5 }, { mmr: { lambda: 0.5 } }]
    const askAll = async () => {
      const answers = []
      for (const body of metric === 'cosine' ? bodies : bodies.slice(0, 3))
        answers.push([body, await query(id, { vector: asked, ...body })] as const)
      return answers
    }
    const before = await askAll()
    expect(before.every(([, { exact }]) => exact)).toBe(true)
    await runSteps()
    expect(await readState(id)).toBe('ann')
    const capabilities = await api.app.inject({ method: 'GET', url: '/v1/capabilities' })
    expect(capabilities.json().vectorIndex).toEqual({ store, indexFrom: FROM })
    const after = await askAll()
    expect(after.map(([body, { ids, scores }]) => [body, ids, scores])).toEqual(
      before.map(([body, { ids, scores }]) => [body, ids, scores]),
    )
    expect(after.slice(0, 2).map(([, { exact }]) => exact)).toEqual([false, false])
    const alike = await query(id, { id: 'v3', topK: 3 })
    expect([alike.ids.length, alike.ids.includes('v3'), alike.exact]).toEqual([3, false, false])
    await post(id, '/delete', { all: true })
    await runSteps()
    expect([await countIndexed(), await readState(id)]).toEqual([0, 'exact'])
  })

  test('each query sees what was written, replaced, changed and deleted before, indexed or not', async () => {
    const id = await create()
    await write(id, ITEMS)
    await runSteps()
    const far = [9, 9, 9, 9, 9, 9, 9, 9]
    for (const isIndexed of [false, true]) {
      const settle = () => (isIndexed ? runSteps() : undefined)
      await write(id, [{ id: 'new', values: far, metadata: { color: 'new' } }])
      await settle()
      expect(await query(id, { vector: far, topK: 1 })).toMatchObject({ ids: ['new'], exact: false })
      await post(id, '/update', { id: 'new', metadata: { color: 'violet' } })
      await settle()
      const filter = { color: 'violet' }
      expect(await query(id, { vector: far, topK: 1, filter })).toMatchObject({ ids: ['new'] })
      expect((await query(id, { vector: far, filter: { color: 'new' } })).ids).toEqual([])
      await write(id, [{ id: 'new', values: far.map(value => -value) }])
      await settle()
      expect((await query(id, { vector: far, topK: 200 })).ids.at(-1)).toBe('new')
      await post(id, '/delete', { ids: ['new', 'v5'] })
      await settle()
      const { ids } = await query(id, { vector: far, topK: 200 })
      expect([ids.length, ids.includes('new'), ids.includes('v5')]).toEqual([119, false, false])
      await write(id, [ITEMS[5]!])
    }
    await post(id, '/delete', { all: true })
    await runSteps()
    expect(await countIndexed()).toBe(0)
  })

  test('64 callers who write the same id at once leave one vector, in the index too', async () => {
    const id = await create()
    await write(id, ITEMS)
    await runSteps()
    const before = await countIndexed()
    const [balance] = await owner.money()
    const write64 = Array.from({ length: 64 }, (_, at) =>
      post(id, '', { vectors: [{ id: 'same', values: createValues(), metadata: { at } }] }),
    )
    const answers = await Promise.all(write64)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(await owner.money()).toEqual([balance - 64_000n, 0n])
    await runSteps()
    expect(await countIndexed()).toBe(before + 1)
    expect(await query(id, { vector: ITEMS[0]!.values, topK: 200 })).toMatchObject({ ids: { length: 121 } })
  })

  test('values and fields that a store could misread are found as written', async () => {
    const id = await create()
    const odd: Record<string, string | number | boolean | string[]>[] = [
      { 'a"b': 1, "it's": 'x' },
      { 'a.b': 'y', a: 'nested' },
      { 'metadata.a[0]': "') or true --", space: 'other' },
      { a: '@ == 1', b: -0.5, c: 1e300 },
      { a: '💥"\\\n', b: 2 ** 53, c: [] },
      { a: true, b: ['true', '1'] },
      { a: 'true', b: '1' },
    ]
    await write(id, [...ITEMS, ...odd.map((metadata, at) => ({ id: `odd${at}`, values: createValues(), metadata }))])
    const filters: Body[] = odd.flatMap(metadata =>
      Object.entries(metadata).map(([name, value]) => ({
        [name]: Array.isArray(value) ? { $in: [...value, 'none'] } : value,
      })),
    )
    filters.push({ space: { $ne: 'other' }, b: { $lt: 0 } }, { b: { $nin: [1, '1', true] }, a: { $exists: true } })
    const ask = async () => {
      const found = []
      for (const filter of filters) found.push([filter, (await query(id, { vector: ITEMS[0]!.values, filter })).ids])
      return found
    }
    const before = await ask()
    await runSteps()
    expect(await ask()).toEqual(before)
    expect(before.slice(0, 4).map(([, found]) => found)).toEqual([['odd0'], ['odd0'], ['odd1'], ['odd1']])
  })

  test('vectors of more dimensions than the store indexes are all compared', async () => {
    const id = await create()
    const long = Array.from({ length: FROM }, (_, at) => ({
      id: `l${at}`,
      values: Array.from({ length: 4_096 }, (_, place) => (place === at ? 1 : 1e-20)),
    }))
    await write(id, long)
    await runSteps()
    const isIndexed = store !== 'pgvector'
    expect(await readState(id)).toBe(isIndexed ? 'ann' : 'exact')
    const found = await query(id, { vector: long[17]!.values, topK: 1 })
    expect([found.ids, found.exact]).toEqual([['l17'], !isIndexed])
  })

  test('the index goes with the baton', async () => {
    const id = await create()
    const others = await countIndexed()
    await write(id, ITEMS, { namespace: `it's "one"; drop table x` })
    await runSteps()
    expect(await readState(id)).toBe('ann')
    await owner.call('DELETE', `/v1/baton/${id}`)
    await rows(api.context.db, 'update svc.baton set purge_at = now() where id = $1', [id])
    await rows(api.context.db, 'select baton.purge(100)')
    await runSteps()
    expect(await rows(api.context.db, 'select from svc.vector_space where baton_id = $1', [id])).toEqual([])
    expect(await countIndexed()).toBe(others)
    if ('count' in server) expect(server.keys).toEqual(new Set(['a key']))
  })

  // The last one, because a store that has failed is not asked for a while.
  test('an index that has lost or doubled vectors, or does not answer, only costs time', async () => {
    const id = await create()
    await write(id, ITEMS)
    await runSteps()
    const vector = ITEMS[9]!.values
    const expected = await query(id, { vector })
    expect(expected).toMatchObject({ exact: false })
    if ('count' in server) {
      server.fault = 503
      for (let turn = 0; turn < 6; turn++) expect(await query(id, { vector })).toEqual({ ...expected, exact: true })
      const { length } = server.asked
      expect(await query(id, { vector })).toEqual({ ...expected, exact: true })
      expect(server.asked).toHaveLength(length)
      server.fault = undefined
      server.clear()
    } else {
      server.setOpen(false)
      expect(await query(id, { vector })).toEqual({ ...expected, exact: true })
      server.setOpen(true)
      expect(await query(id, { vector })).toEqual(expected)
      for (const table of await listTables(server)) await server.query(`delete from ${table}`)
    }
    expect(await query(id, { vector })).toEqual({ ...expected, exact: true })
    const { length: left } = await rows(api.context.db, 'select from svc.vector_change')
    expect(left).toBe(0)
  })
})
