import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api, 50_000_000n)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Body = Record<string, unknown>
interface Match {
  id: string
  score: number
  text?: string
  metadata?: Body
  values?: number[]
}

async function create(vector: Body = {}): Promise<string> {
  const { id } = await owner.create({ preset: 'vector', tier: 'nano', vector })
  return id
}
const post = (id: string, path: string, body: Body) => owner.call('POST', `/v1/baton/${id}/vectors${path}`, body)
async function write(id: string, vectors: Body[], more: Body = {}) {
  const answer = await post(id, '', { vectors, ...more })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json()
}
async function query(id: string, body: Body): Promise<Match[]> {
  const answer = await post(id, '/query', body)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().matches
}
const ids = (matches: readonly { id: string }[]) => matches.map(match => match.id)
const failure = async (answer: ReturnType<typeof post>) => {
  const { statusCode, json } = await answer
  return [statusCode, json().code]
}

/** Numbers from -1 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 32) * 2 - 1
  }
}

const COLORS = ['red', 'green', 'blue']
function buildItems(count: number, dimensions: number) {
  const random = createRandom(count)
  return Array.from({ length: count }, (_, at) => ({
    id: `v${at}`,
    values: Array.from({ length: dimensions }, () => Math.fround(random() * 3)),
    metadata: {
      ...{ n: at, share: at / 8 - 3, color: COLORS[at % 3]!, isEven: at % 2 === 0 },
      ...(at % 5 > 0 && { tags: [`t${at % 4}`, 'all'] }),
    } as Record<string, string | number | boolean | string[]>,
  }))
}

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0)
const METRICS: Record<string, (one: number[], other: number[]) => number> = {
  cosine: (one, other) => dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other)),
  dot,
  l2: (one, other) => 1 / (1 + Math.hypot(...one.map((value, index) => value - other[index]!))),
}

/** What a filter means, said again in another way. */
function passes(metadata: Body, filter: Body): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (name === '$and') return (value as Body[]).every(part => passes(metadata, part))
    if (name === '$or') return (value as Body[]).some(part => passes(metadata, part))
    if (name === '$not') return !passes(metadata, value as Body)
    const isTests = typeof value === 'object'
    return Object.entries(isTests ? (value as Body) : { $eq: value }).every(([kind, operand]) =>
      holds(metadata[name], kind, operand),
    )
  })
}

function holds(actual: unknown, kind: string, operand: unknown): boolean {
  const some = (condition: (one: unknown) => boolean) =>
    Array.isArray(actual) ? actual.some(condition) : actual !== undefined && condition(actual)
  const inOrder = (condition: (one: number, other: number) => boolean) =>
    some(one => typeof one === typeof operand && condition(one as number, operand as number))
  const tests: Record<string, () => boolean> = {
    $eq: () => some(one => one === operand),
    $ne: () => !some(one => one === operand),
    $in: () => some(one => (operand as unknown[]).includes(one)),
    $nin: () => !some(one => (operand as unknown[]).includes(one)),
    $gt: () => inOrder((one, other) => one > other),
    $gte: () => inOrder((one, other) => one >= other),
    $lt: () => inOrder((one, other) => one < other),
    $lte: () => inOrder((one, other) => one <= other),
    $exists: () => (actual !== undefined) === operand,
    $contains: () =>
      Array.isArray(actual) ? actual.includes(operand) : typeof actual === 'string' && actual.includes(String(operand)),
  }
  return tests[kind]!()
}

const FILTERS: Body[] = [
  { color: 'red' },
  { color: { $ne: 'red' } },
  { n: { $gte: 10, $lt: 20 } },
  { share: { $gt: -1.5, $lte: 0 } },
  { n: { $in: [1, 2, 3, 99] }, isEven: false },
  { color: { $nin: ['red', 'blue'] } },
  { tags: 't1' },
  { tags: { $ne: 't1' } },
  { tags: { $exists: false } },
  { tags: { $contains: 'all' } },
  { tags: { $contains: 'al' } },
  { color: { $contains: 'ee' } },
  { color: { $contains: '.' } },
  { color: { $gt: 'c' } },
  { n: { $gt: 'c' } },
  { missing: { $ne: 1 } },
  { $or: [{ n: 4 }, { color: 'blue', isEven: true }] },
  { $not: { $or: [{ n: { $lt: 20 } }, { tags: 'all' }] } },
  { $and: [{ isEven: true }, { $not: { tags: { $in: ['t0', 't3'] } } }] },
]

test.each(['cosine', 'dot', 'l2'])('by %s all filters give what comparing one by one gives', async metric => {
  const id = await create({ metric, dimensions: 7 })
  const items = buildItems(60, 7)
  await write(id, items.slice(0, 33))
  await write(id, items.slice(33))
  const asked = items[7]!.values.map((value, index) => value + index / 10)
  for (const filter of metric === 'cosine' ? FILTERS : FILTERS.slice(0, 2)) {
    const expected = items
      .filter(({ metadata }) => passes(metadata, filter))
      .map(item => ({ id: item.id, score: METRICS[metric]!(item.values, asked) }))
      .sort((one, other) => other.score - one.score)
    const found = await query(id, { vector: asked, topK: 100, filter })
    expect([filter, ids(found)]).toEqual([filter, ids(expected)])
    for (const [index, { score }] of found.entries()) expect(score).toBeCloseTo(expected[index]!.score, 5)
  }
  const [first] = await query(id, { vector: items[3]!.values, topK: 1, includeValues: true, includeMetadata: false })
  expect([first!.id, first!.metadata, first!.values?.map(Math.fround)]).toEqual([
    ...(metric === 'dot' ? [first!.id] : ['v3']),
    undefined,
    items.find(({ id: own }) => own === first!.id)!.values,
  ])
})

test('each query sees the writes, replacements and deletions before it', async () => {
  const id = await create()
  expect(await query(id, { vector: [1, 0] })).toEqual([])
  await write(id, [{ id: 'a', values: [1, 0] }])
  expect(ids(await query(id, { vector: [1, 0] }))).toEqual(['a'])
  await write(id, [
    { id: 'a', values: [0, 1] },
    { id: 'b', values: [1, 0.1] },
  ])
  expect(ids(await query(id, { vector: [1, 0] }))).toEqual(['b', 'a'])
  await write(id, [{ id: 'a', values: [1, 0] }], { namespace: 'other' })
  expect(ids(await query(id, { vector: [1, 0], namespace: 'other' }))).toEqual(['a'])
  expect((await post(id, '/delete', { ids: ['b', 'gone'] })).json()).toMatchObject({ deleted: 1, count: 2 })
  expect(ids(await query(id, { vector: [1, 0] }))).toEqual(['a'])
  await post(id, '/delete', { all: true })
  expect(await query(id, { vector: [1, 0] })).toEqual([])
  await write(id, [{ id: 'c', values: [0, 1] }])
  expect(ids(await query(id, { vector: [1, 0] }))).toEqual(['c'])
  expect((await owner.call('GET', `/v1/baton/${id}/meta`)).json().vector).toEqual({
    ...{ count: 2, dimensions: 2, metric: 'cosine', model: 'own', indexState: 'exact' },
    namespaces: [
      { namespace: '', count: 1 },
      { namespace: 'other', count: 1 },
    ],
  })
})

test('callers who write, delete and search at once each see what they did', async () => {
  const id = await create()
  const one = async (at: number) => {
    const values = [Math.cos(at), Math.sin(at)]
    await write(id, [{ id: `a${at}`, values }])
    expect(ids(await query(id, { vector: values, topK: 1 }))).toEqual([`a${at}`])
    await post(id, '/delete', { ids: [`a${at}`] })
    expect(ids(await query(id, { vector: values, topK: 200 }))).not.toContain(`a${at}`)
  }
  await Promise.all(Array.from({ length: 6 }, (_, at) => one(at)))
  expect(await query(id, { vector: [1, 0] })).toEqual([])
})

const TEXTS = [
  { id: 'reset', text: 'How do I reset my password?', metadata: { doc: 'account' } },
  { id: 'change', text: 'Change the password of an account', metadata: { doc: 'account' } },
  { id: 'pay', text: 'Which cards do you take as payment?', metadata: { doc: 'billing' } },
  { id: 'tokyo', text: '東京タワーの高さ', metadata: { doc: 'travel' } },
  { id: 'emoji', text: '🚀🚀 lift-off\u0301', metadata: {} },
]

test('texts are embedded, found by text, by words and by likeness', async () => {
  const id = await create()
  expect(await write(id, TEXTS)).toMatchObject({ upserted: 5, dimensions: 384, model: 'svc-hash-384@1' })
  expect(ids(await query(id, { text: 'password reset', topK: 2 }))).toEqual(['reset', 'change'])
  expect(ids(await query(id, { text: 'タワー', topK: 1 }))).toEqual(['tokyo'])
  expect(ids(await query(id, { id: 'reset', topK: 1 }))).toEqual(['change'])
  const alpha = async (value: number) => query(id, { text: 'password account', hybrid: { alpha: value } })
  const [byWords, both] = [await alpha(0), await alpha(0.5)]
  expect(byWords).toMatchObject([{ id: 'change', score: 1 }, { id: 'reset' }])
  expect(both[0]).toMatchObject({ id: 'change', score: 1, text: TEXTS[1]!.text })
  expect(both).toHaveLength(5)
  expect(await query(id, { text: 'payment cards', topK: 1, includeText: false })).toEqual([
    { id: 'pay', score: expect.any(Number), metadata: { doc: 'billing' } },
  ])
  const words = { hybrid: { alpha: 0, text: 'payment' }, id: 'reset' }
  expect(ids(await query(id, words))).toEqual(['pay'])
  expect(await query(id, { text: 'password', hybrid: { alpha: 0 }, filter: { doc: 'billing' } })).toEqual([])
  const many = Array.from({ length: 33 }, (_, at) => `w${at}`).join(' ')
  expect(await failure(post(id, '/query', { text: many, hybrid: {} }))).toEqual([400, 'INVALID_PARAM'])
  expect(await failure(post(id, '/query', { vector: [1, 2] }))).toEqual([409, 'DIMENSION_MISMATCH'])
})

test('words are ranked alike in memory and in the database, also after changes', async () => {
  const id = await create()
  const random = createRandom(7)
  const words = ['tide', 'low', 'high', 'moon', 'harbour', 'boat', 'rope', '__proto__']
  const makeText = () => Array.from({ length: 12 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
  const makeItems = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `t${first + at}`,
      text: makeText(),
      metadata: { even: at % 2 === 0 },
    }))
  const questions = [
    { text: 'rope boat' },
    { text: '__proto__ moon harbour', filter: { even: true } },
    { text: 'tide' },
  ]
  const ask = () =>
    Promise.all(
      questions.map(question => query(id, { ...question, hybrid: { alpha: 0 }, topK: 100, includeText: false })),
    )
  const askBoth = async () => {
    const inMemory = await ask()
    await writeSetting(api.context.db, 'vector.word_memory_mib', 0)
    await api.context.settings.refresh()
    const inDatabase = await ask()
    await writeSetting(api.context.db, 'vector.word_memory_mib', 128)
    await api.context.settings.refresh()
    expect(inMemory).toEqual(inDatabase)
    return inMemory
  }
  await write(id, makeItems(0, 230))
  const before = await askBoth()
  expect(before.map(found => found.length > 5)).toEqual([true, true, true])
  await write(id, makeItems(100, 60))
  const replaced = await askBoth()
  expect(replaced).not.toEqual(before)
  await owner.call('POST', `/v1/baton/${id}/vectors/delete`, { filter: { even: true } })
  await write(id, makeItems(300, 5))
  expect(await askBoth()).not.toEqual(replaced)
})

test('mmr prefers what differs, groupBy limits a field, offset and minScore cut', async () => {
  const id = await create()
  await write(id, [
    { id: 'a', values: [1, 0, 0], metadata: { doc: 'x' } },
    { id: 'a2', values: [1, 0.01, 0], metadata: { doc: 'x' } },
    { id: 'b', values: [0.8, 0.6, 0], metadata: { doc: 'y' } },
    { id: 'c', values: [0, 0, 1], metadata: {} },
  ])
  const vector = [1, 0, 0]
  expect(ids(await query(id, { vector, topK: 2 }))).toEqual(['a', 'a2'])
  expect(ids(await query(id, { vector, topK: 2, mmr: { lambda: 0.4 } }))).toEqual(['a', 'c'])
  expect(ids(await query(id, { vector, mmr: { lambda: 1 } }))).toEqual(['a', 'a2', 'b', 'c'])
  expect(ids(await query(id, { vector, groupBy: { field: 'doc' } }))).toEqual(['a', 'b'])
  expect(ids(await query(id, { vector, groupBy: { field: 'doc', size: 2 }, topK: 2 }))).toEqual(['a', 'a2'])
  expect(ids(await query(id, { vector, offset: 1, topK: 2 }))).toEqual(['a2', 'b'])
  expect(ids(await query(id, { vector, minScore: 0.79 }))).toEqual(['a', 'a2', 'b'])
})
