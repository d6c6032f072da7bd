import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
// The problems of products are known once they are loaded.
import '../../../tasks/products/index.ts'
import { loadConfig } from '../../../ops/config.ts'
import type { EmbeddedAs } from '../../../ops/providers/embedding/contract.ts'
import { openEmbedder, openEmbeddings } from '../../../ops/providers/embedding/open.ts'
import { EMBEDDING_PROVIDERS, type EmbeddingProvider } from '../../../ops/providers/embedding/settings.ts'
import { type LocalServer, openLocalServer } from '../../support/servers/local.ts'

const KEY = 'key-of-the-tests'
let server: LocalServer
let asked: { path: string; headers: Record<string, unknown>; body: Record<string, unknown> }[]
let reply: object | undefined
beforeAll(async () => {
  server = await openLocalServer(({ path, headers, body }) => {
    const sent = JSON.parse(body)
    asked.push({ path, headers, body: sent })
    return reply ?? answers[providerOf(path)](sent as never)
  })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  asked = []
  reply = undefined
})

/** A vector that tells which text it is of. */
const vectorOf = (text: string) => [text.length, 1]
const providerOf = (path: string) => path.split('/')[1] as EmbeddingProvider
const toList = (texts: string[]) => texts.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse()

// What the services answer by their documentation.
const answers: Record<EmbeddingProvider, (body: never) => object> = {
  openai: ({ input }: { input: string[] }) => ({ data: toList(input), usage: { prompt_tokens: 7, total_tokens: 7 } }),
  voyage: ({ input }: { input: string[] }) => ({ object: 'list', data: toList(input), usage: { total_tokens: 7 } }),
  cohere: ({ texts }: { texts: string[] }) => ({
    ...{ id: 'x', texts, embeddings: { float: texts.map(vectorOf) } },
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 7 } },
  }),
  gemini: ({ requests }: { requests: { content: { parts: { text: string }[] } }[] }) => ({
    embeddings: requests.map(({ content }) => ({ values: vectorOf(content.parts[0]!.text) })),
  }),
}

const configOf = (provider: EmbeddingProvider) =>
  loadConfig({
    ...{ DATA_DIR: '/tmp/none', EMBEDDING_PROVIDER: provider, EMBEDDING_URL: `${server.url}/${provider}` },
    ...{ EMBEDDING_MODEL: 'a-model', EMBEDDING_API_KEY: KEY, EMBEDDING_MODELS: 'a-model 0.02' },
  }).embedding!
const limits = () => ({ signal: new AbortController().signal, deadlineMs: performance.now() + 20_000 })
const embed = (provider: EmbeddingProvider, texts: string[], as: EmbeddedAs = 'text') =>
  openEmbedder(configOf(provider))!.embed(texts, as, limits())
const embedPriced = (provider: EmbeddingProvider, dimensions?: number) =>
  openEmbeddings(configOf(provider))!.embed(
    { model: 'a-model', texts: ['one', 'three'], as: 'query', ...(dimensions !== undefined && { dimensions }) },
    limits(),
  )

test.each(EMBEDDING_PROVIDERS)('%s gives each text its own vector, in as many calls as it needs', async provider => {
  const texts = Array.from({ length: 130 }, (_, index) => 'x'.repeat(index + 1))
  const vectors = await embed(provider, texts)
  expect(vectors.map(([length]) => length)).toEqual(texts.map(({ length }) => length))
  const most = { openai: 32, voyage: 128, cohere: 96, gemini: 100 }[provider]
  expect(asked).toHaveLength(Math.ceil(130 / most))
})

test('each service is asked in its own words, questions apart from texts', async () => {
  for (const provider of EMBEDDING_PROVIDERS) {
    await embed(provider, ['one'])
    await embedPriced(provider, 2)
  }
  const bearer = { authorization: `Bearer ${KEY}` }
  const [one, three] = ['one', 'three'].map(text => ({ model: 'models/a-model', content: { parts: [{ text }] } }))
  const truncate = { embedding_types: ['float'], truncate: 'NONE' }
  const format = { encoding_format: 'float' }
  const both = ['one', 'three']
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    ['/openai/embeddings', { model: 'a-model', input: ['one'], ...format }],
    ['/openai/embeddings', { model: 'a-model', input: both, ...format, dimensions: 2 }],
    ['/cohere/embed', { model: 'a-model', texts: ['one'], input_type: 'search_document', ...truncate }],
    ['/cohere/embed', { model: 'a-model', texts: both, input_type: 'search_query', ...truncate, output_dimension: 2 }],
    ['/voyage/embeddings', { model: 'a-model', input: ['one'], input_type: 'document', truncation: false }],
    [
      '/voyage/embeddings',
      { model: 'a-model', input: both, input_type: 'query', truncation: false, output_dimension: 2 },
    ],
    ['/gemini/models/a-model:batchEmbedContents', { requests: [{ ...one, taskType: 'RETRIEVAL_DOCUMENT' }] }],
    [
      '/gemini/models/a-model:batchEmbedContents',
      { requests: [one, three].map(sent => ({ ...sent, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 })) },
    ],
  ])
  for (const { path, headers } of asked)
    expect(headers).toMatchObject(path.startsWith('/gemini') ? { 'x-goog-api-key': KEY } : bearer)
})

test.each(EMBEDDING_PROVIDERS)(
  'of %s its count of tokens is taken, and its faults are told by name',
  async provider => {
    const { vectors, tokens } = await embedPriced(provider)
    expect(tokens).toBe(provider === 'gemini' ? 0 : 7)
    expect(vectors.map(vector => Math.hypot(...vector))).toEqual([expect.closeTo(1), expect.closeTo(1)])
    for (const [answer, problem] of [
      [{ status: 400, message: 'Too many tokens: the text is too long' }, { code: 'INPUT_TOO_LONG' }],
      [{ status: 422, detail: 'a field is wrong' }, { code: 'OPTION_UNSUPPORTED' }],
      [
        { status: 401, message: 'no such key' },
        { code: 'PROVIDER_UNAVAILABLE', hints: { provider } },
      ],
      [
        { data: [], embeddings: [] },
        { code: 'PROVIDER_UNAVAILABLE', hints: { provider } },
      ],
      [
        { data: 'x', embeddings: { float: 'x' } },
        { code: 'PROVIDER_UNAVAILABLE', hints: { provider } },
      ],
    ] as const) {
      reply = answer
      await expect(embedPriced(provider)).rejects.toMatchObject(problem)
    }
  },
)

test('a call of a model with a price is counted with what it cost', async () => {
  const counted: object[] = []
  const options = { onCall: (call: object) => counted.push(call) }
  await openEmbeddings(configOf('voyage'), options)!.embed({ model: 'a-model', texts: ['one'], as: 'text' }, limits())
  await openEmbedder(configOf('voyage'), options)!.embed(['one'], 'text', limits())
  const call = { model: 'a-model', isOk: true, inputTokens: 7, costMicros: 1 }
  expect(counted).toMatchObject([call, call])
})

test('the address of a service is known, and settings that do not fit are refused', () => {
  const load = (env: Record<string, string>) => loadConfig({ DATA_DIR: '/tmp/none', ...env }).embedding
  expect(load({})).toBeUndefined()
  expect(load({ EMBEDDING_PROVIDER: 'cohere', EMBEDDING_MODEL: 'embed-v4.0' })).toMatchObject({
    url: 'https://api.cohere.com/v2',
  })
  expect(() => load({ EMBEDDING_PROVIDER: 'voyage' })).toThrow('EMBEDDING_MODEL must be set')
  expect(() => load({ EMBEDDING_PROVIDER: 'somebody', EMBEDDING_MODEL: 'm' })).toThrow('EMBEDDING_PROVIDER')
})
