import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { VectorWorkers } from '../../../api/products/vector/work.ts'
import { openEmbedder } from '../../../ops/providers/embedding/open.ts'
import { type FakeEmbedder, openFakeEmbedder } from '../../support/servers/embedders.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

const MODEL = 'animals-4'
let api: InProcessApi
let provider: FakeEmbedder
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  provider = await openFakeEmbedder()
  const key = { EMBEDDING_API_KEY: 'key-of-the-tests' }
  api = await openInProcessApi({ EMBEDDING_URL: `${provider.url}/`, EMBEDDING_MODEL: MODEL, ...key })
  owner = await openBatonOwner(api, 50_000_000n)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
beforeEach(() => {
  provider.asked = []
  provider.reply = undefined
})

type Body = Record<string, unknown>
async function create(vector: Body = {}): Promise<string> {
  return (await owner.create({ preset: 'vector', tier: 'nano', vector })).id
}
async function post(id: string, path: string, body: Body) {
  const { statusCode: status, json } = await owner.call('POST', `/v1/baton/${id}/vectors${path}`, body)
  return { status, body: json() }
}
const TEXTS = { vectors: ['the hound sleeps', 'a kitten', 'ein Fisch'].map((text, at) => ({ id: `t${at}`, text })) }

test('texts of a new baton are embedded by the provider, found by meaning, and the answers say so', async () => {
  const id = await create()
  const written = await post(id, '', TEXTS)
  expect(written).toMatchObject({ status: 200, body: { model: MODEL, engine: 'provider', dimensions: 4 } })
  expect(provider.asked).toEqual([
    {
      path: '/v1/embeddings',
      authorization: 'Bearer key-of-the-tests',
      body: { model: MODEL, input: TEXTS.vectors.map(({ text }) => text), encoding_format: 'float' },
    },
  ])
  const { body } = await post(id, '/query', { text: 'gato', topK: 1 })
  expect(body).toMatchObject({ model: MODEL, engine: 'provider', matches: [{ id: 't1' }] })
  const { body: sent } = await post(id, '/query', { vector: [0, 0, 1, 0.1], topK: 1 })
  expect(sent).toMatchObject({ engine: 'sent', matches: [{ id: 't2' }] })
})

test('many texts are asked for in several calls, and each has its own vector', async () => {
  const id = await create()
  const names = ['dog', 'cat', 'fish']
  const vectors = Array.from({ length: 70 }, (_, at) => ({ id: `n${at}`, text: names[at % 3]! }))
  await post(id, '', { vectors })
  expect(provider.asked.map(({ body }) => body.input.length)).toEqual([32, 32, 6])
  const { body } = await post(id, '/query', { text: 'katze', topK: 50, minScore: 0.9 })
  expect(body.matches.map((match: { id: string }) => Number(match.id.slice(1)) % 3)).toEqual(Array(23).fill(1))
})

test('a baton by wording stays one, although there is a provider', async () => {
  const id = await create({ model: 'svc-hash-384@1' })
  expect((await post(id, '', TEXTS)).body).toMatchObject({ engine: 'lexical', dimensions: 384 })
  expect((await post(id, '/query', { text: 'kittens', topK: 1 })).body).toMatchObject({
    engine: 'lexical',
    matches: [{ id: 't1' }],
  })
  expect(provider.asked).toEqual([])
})

test('vectors of two engines never meet in one baton, and the refusal says what to do', async () => {
  const lexical = await create({ model: 'svc-hash-384@1' })
  await post(lexical, '', TEXTS)
  const sent = { vectors: [{ id: 'mine', values: Array(384).fill(0.5) }] }
  expect(await post(lexical, '', sent)).toMatchObject({
    status: 409,
    body: { code: 'MODEL_MISMATCH', instead: 'Send texts only, or use another vector baton.' },
  })
  const own = await create({ model: 'my-model' })
  await post(own, '', { vectors: [{ id: 'mine', values: [1, 2, 3, 4] }] })
  const mismatch = {
    code: 'MODEL_MISMATCH',
    ...{ indexModel: 'my-model', queryModel: MODEL },
    instead: 'Send vectors of the model my-model, or use another vector baton.',
  }
  expect(await post(own, '', TEXTS)).toMatchObject({ status: 409, body: mismatch })
  expect(await post(own, '/query', { text: 'dog' })).toMatchObject({ status: 409, body: mismatch })
})

test('a baton of a provider that is no longer there is neither written to nor asked with texts', async () => {
  const id = await create()
  await post(id, '', TEXTS)
  await withoutProvider(async () => {
    const mismatch = { status: 409, body: { code: 'MODEL_MISMATCH', indexModel: MODEL, queryModel: 'svc-hash-384@1' } }
    expect(await post(id, '', TEXTS)).toMatchObject(mismatch)
    expect(await post(id, '/query', { text: 'dog' })).toMatchObject(mismatch)
    const fresh = await create()
    expect((await post(fresh, '', TEXTS)).body).toMatchObject({ engine: 'lexical', model: 'svc-hash-384@1' })
  })
})

async function withoutProvider(work: () => Promise<void>): Promise<void> {
  const { context } = api
  const before = context.vectors
  const without = new VectorWorkers({ db: context.db, settings: context.settings })
  Object.assign(context, { vectors: without })
  try {
    await work()
  } finally {
    Object.assign(context, { vectors: before })
    await without.close()
  }
}

test('a text of which nothing can be embedded is named, with a provider and without', async () => {
  const tryBlank = async () => {
    const id = await create()
    await post(id, '', TEXTS)
    const fault = { code: 'VECTOR_INVALID', field: 'text', reason: 'zero' }
    const asked = await post(id, '/query', { text: ' \n' })
    expect(asked).toMatchObject({ status: 422, body: fault })
    expect(asked.body).not.toHaveProperty('index')
    const written = await post(id, '', { vectors: [...TEXTS.vectors, { id: 'blank', text: ' ' }] })
    expect(written).toMatchObject({ status: 422, body: { ...fault, index: 3 } })
  }
  await tryBlank()
  await withoutProvider(tryBlank)
})

test.each([
  ['refuses the texts', { status: 400, json: { error: 'too many tokens' } }, 422, 'VECTOR_INVALID'],
  ['knows no such model', { status: 404, json: {} }, 503, 'PROVIDER_UNAVAILABLE'],
  ['refuses the key', { status: 401, json: {} }, 503, 'PROVIDER_UNAVAILABLE'],
  ['gives too few vectors', { status: 200, json: { data: [] } }, 503, 'PROVIDER_UNAVAILABLE'],
  ['gives no numbers', { status: 200, json: { data: [{ embedding: ['x'] }] } }, 503, 'PROVIDER_UNAVAILABLE'],
] as const)('a provider that %s fails the call, which costs nothing', async (_name, reply, status, code) => {
  const id = await create()
  const [before] = await owner.money()
  provider.reply = reply
  expect(await post(id, '', { vectors: [{ id: 'a', text: 'dog' }] })).toMatchObject({ status, body: { code } })
  expect(await owner.money()).toEqual([before, 0n])
})

test('the dimensions that the operator sets are asked for, and every call is counted', async () => {
  const counted: object[] = []
  const embedder = openEmbedder(
    { provider: 'openai', url: provider.url, model: MODEL, dimensions: 4 },
    { onCall: call => counted.push(call) },
  )!
  const limits = { signal: AbortSignal.timeout(10_000), deadlineMs: performance.now() + 10_000 }
  const [vector] = await embedder.embed(['perro'], 'text', limits)
  expect(vector).toEqual(Float32Array.from([1, 0, 0, 0.1]))
  expect(provider.asked[0]!.body.dimensions).toBe(4)
  expect(counted).toMatchObject([{ provider: 'openai', model: MODEL, isOk: true, inputTokens: 7 }])
})
