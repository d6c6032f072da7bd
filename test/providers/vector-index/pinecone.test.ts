import { afterEach, beforeEach, expect, test } from 'vitest'
import type { VectorSpace } from '../../../ops/providers/vector-index/contract.ts'
import { openPinecone } from '../../../ops/providers/vector-index/pinecone.ts'
import { translateFilter } from '../../../ops/providers/vector-index/pinecone-filter.ts'
import { type FakePinecone, openFakePinecone } from '../../support/vectors/pinecone.ts'

let fake: FakePinecone
beforeEach(async () => {
  fake = await openFakePinecone()
})
afterEach(() => fake[Symbol.asyncDispose]())

const SPACE: VectorSpace = { batonId: 'one', namespace: `it's "one"`, metric: 'l2', dimensions: 2 }
const { signal } = new AbortController()
const open = () => openPinecone({ url: fake.url, apiKey: 'a key', region: 'gcp/europe-west4' })
const vector = (number: number, metadata: Record<string, unknown> = {}, floats = [1, number]) => ({
  ...{ number, floats: Float32Array.from(floats), metadata },
})

test('creates an index once, in the region, and keeps namespaces apart in it', async () => {
  const index = open()
  const other = { ...SPACE, namespace: 'other' }
  await index.put(SPACE, [vector(1)], signal)
  await index.put(other, [vector(2)], signal)
  await index.settle!(SPACE, signal)
  await index.settle!(other, signal)
  const [created] = fake.indexes.values()
  const spec = { serverless: { cloud: 'gcp', region: 'europe-west4' } }
  expect(created).toMatchObject({ name: 'coinop-l2-2', dimension: 2, metric: 'euclidean', spec })
  expect(fake.asked.filter(call => call === 'POST /indexes')).toHaveLength(1)
  const search = { query: Float32Array.of(1, 2), limit: 10 }
  expect(await index.findNearest(SPACE, search)).toEqual([1])
  await index.drop(SPACE, signal)
  expect(fake.count()).toBe(1)
  await index.remove(other, [2], signal)
  expect(fake.count()).toBe(0)
})

test('two workers that need an index at once share one', async () => {
  await Promise.all([open(), open()].map((index, at) => index.put(SPACE, [vector(at + 1)], signal)))
  expect([fake.indexes.size, fake.count()]).toEqual([1, 2])
})

test('what was put is settled once it is found, also for a process that did not put it', async () => {
  const search = { query: Float32Array.of(1, 1), limit: 10 }
  const index = open()
  await index.put(SPACE, [vector(1)], signal)
  await index.settle!(SPACE, signal)
  await index.put(SPACE, [vector(1, { color: 'new' }), vector(2)], signal)
  expect(await index.findNearest(SPACE, search)).toEqual([1])
  const another = open()
  await another.settle!(SPACE, signal)
  expect(await another.findNearest(SPACE, search)).toEqual([1, 2])
  const filter = { written: { color: 'new' }, path: '' }
  expect(await another.findNearest(SPACE, { ...search, filter })).toEqual([1])
})

test('sends no more at once than is taken', async () => {
  const space = { ...SPACE, dimensions: 2_000 }
  const floats = Array.from({ length: 2_000 }, (_, at) => Math.sin(at) / 3)
  const large = Array.from({ length: 120 }, (_, at) => vector(at, { text: 'ä'.repeat(2_000) }, floats))
  const small = Array.from({ length: 1_200 }, (_, at) => vector(at))
  await open().put(space, large, signal)
  await open().put(SPACE, small, signal)
  expect([fake.upserts.length, fake.count()]).toEqual([5, 1_320])
  expect(Math.max(...fake.upserts)).toBeLessThanOrEqual(2_000_000)
})

test('metadata that it does not take stop no vector, and are not asked for', async () => {
  const index = open()
  const odd = {
    'a.b': 'x',
    '': 1,
    $gt: 2,
    nothing: null,
    nested: { a: 1 },
    empty: [],
    mixed: ['a', 1],
    list: ['a'],
    n: 1,
  }
  await index.put(SPACE, [vector(1, odd)], signal)
  await index.settle!(SPACE, signal)
  const ask = (written: Record<string, unknown>) =>
    index.findNearest(SPACE, { query: Float32Array.of(1, 1), limit: 5, filter: { written, path: '' } })
  expect(await ask({ list: 'a', n: { $gte: 1, $lt: 2 }, empty: { $ne: 'x' } })).toEqual([1])
  expect(await ask({ 'a.b': 'x' })).toBeUndefined()
})

test.each([
  [{ color: 'red' }, { color: { $eq: 'red' } }],
  [{ n: { $in: [1, 2] } }, { n: { $in: [1, 2] } }],
  [{ n: { $in: [1, true] } }, { $or: [{ n: { $eq: 1 } }, { n: { $eq: true } }] }],
  [{ n: { $ne: 1 } }, { $or: [{ n: { $exists: false } }, { n: { $ne: 1 } }] }],
  [
    { n: { $gt: 1 }, $or: [{ a: 1 }, { b: 2 }] },
    { $and: [{ n: { $gt: 1 } }, { $or: [{ a: { $eq: 1 } }, { b: { $eq: 2 } }] }] },
  ],
  [{ $not: { n: 1 } }, undefined],
  [{ day: { $gt: '2026-01-01' } }, undefined],
  [{ color: { $contains: 'e' } }, undefined],
  [{ $or: [{ n: 1 }, { tags: { $exists: true } }] }, undefined],
])('the filter %j is %j', (filter, expected) => {
  expect(translateFilter(filter)).toEqual(expected)
})

test('an index of that name for other vectors, or without the numbers of its log, is no index', async () => {
  const index = open()
  await index.put(SPACE, [vector(1)], signal)
  fake.indexes.get('coinop-l2-2')!.metric = 'cosine'
  const problem = { code: 'PROVIDER_UNAVAILABLE', hints: { provider: 'pinecone' } }
  await expect(open().put(SPACE, [vector(2)], signal)).rejects.toMatchObject(problem)
  await expect(
    open().findNearest({ ...SPACE, metric: 'dot' }, { query: Float32Array.of(1, 1), limit: 1 }),
  ).rejects.toMatchObject(problem)
  fake.indexes.get('coinop-l2-2')!.metric = 'euclidean'
  fake.isUnnumbered = true
  await expect(open().settle!(SPACE, signal)).rejects.toMatchObject(problem)
})
