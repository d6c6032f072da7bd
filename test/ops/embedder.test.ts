import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../ops/config.ts'
import { describeRole, findEmbedderModel } from '../../ops/embedder/find.ts'
import { freePorts } from '../../ops/free-ports.ts'
import { poolTokens } from '../../pools/tools/embedding/pooling.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { MAX_TOKENS, WORDS, writeTextModel } from '../support/models/text.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { openInProcessApi } from '../support/stack/in-process-api.ts'
import { startRole } from '../support/stack/role.ts'

const NAME = 'multilingual-e5-tiny'
const home = new AsyncDisposableStack()
let api: Awaited<ReturnType<typeof openInProcessApi>>
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let role: Awaited<ReturnType<typeof startEmbedder>>

/** As `npm start` does it, for a folder with a model. */
async function startEmbedder(modelsDir: string, dataDir: string) {
  const [port] = await freePorts(1)
  const env = { MODELS_DIR: modelsDir, DATA_DIR: dataDir, EMBEDDING_PORT: String(port) }
  const { embedder } = loadConfig(env)
  const { own, forCallers } = describeRole(embedder!, findEmbedderModel(embedder!)!)
  const process = await startRole('embedder', { ...env, ...own, LOG_LEVEL: 'info' })
  return { ...process, url: forCallers.EMBEDDING_URL, key: own.EMBEDDING_API_KEY, forCallers }
}

beforeAll(async () => {
  const [models, data] = [home.use(await freshFolder()), home.use(await freshFolder())]
  await writeTextModel(models.path, NAME)
  role = home.use(await startEmbedder(models.path, data.path))
  api = home.use(await openInProcessApi({ ...role.forCallers }))
  owner = await openBatonOwner(api, 50_000_000n)
})
afterAll(() => home.disposeAsync())

async function post(id: string, path: string, body: Record<string, unknown>) {
  const { statusCode: status, json } = await owner.call('POST', `/v1/baton/${id}/vectors${path}`, body)
  return { status, body: json() }
}
const create = async () => (await owner.create({ preset: 'vector', tier: 'nano', vector: {} })).id as string

/** The mean of the vectors of these tokens, of length 1. */
function embed(...tokens: string[]): number[] {
  const all = ['[CLS]', ...tokens, '[SEP]'].map(token => WORDS[token]!)
  const mean = [0, 1, 2, 3].map(at => all.reduce((sum, vector) => sum + vector[at]!, 0) / all.length)
  const length = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0))
  return mean.map(value => value / length)
}

test('texts are found by meaning with a model from a folder, and the search says which it used', async () => {
  const id = await create()
  const texts = ['a dog', 'Cat', 'fishes'].map((text, at) => ({ id: `t${at}`, text }))
  const written = { model: NAME, engine: 'provider', dimensions: 4 }
  expect(await post(id, '', { vectors: texts })).toMatchObject({ status: 200, body: written })
  const { body } = await post(id, '/query', { text: 'Katze', topK: 3, includeValues: true })
  expect(body).toMatchObject({ model: NAME, engine: 'provider', semantic: true, matches: [{ id: 't1' }, {}, {}] })
  // E5 wants its prefixes, which become two tokens each; what no word is has one token.
  const stored = {
    t0: embed('passage', ':', '[UNK]', 'dog'),
    t1: embed('passage', ':', 'cat'),
    t2: embed('passage', ':', 'fish', '##es'),
  }
  const asked = embed('query', ':', 'katze')
  for (const { id: match, values, score } of body.matches) {
    const expected = stored[match as keyof typeof stored]
    for (const [at, value] of expected.entries()) expect(values[at]).toBeCloseTo(value, 5)
    expect(score).toBeCloseTo(
      expected.reduce((sum, value, at) => sum + value * asked[at]!, 0),
      5,
    )
  }
  const { json } = await owner.call('GET', '/v1/capabilities')
  expect(json().embedding).toEqual({ model: NAME, semantic: true })
})

test('a text of more tokens than the model takes is refused and costs nothing', async () => {
  const id = await create()
  const [before] = await owner.money()
  const long = { vectors: [{ id: 'long', text: 'dog '.repeat(MAX_TOKENS - 3) }] }
  expect(await post(id, '', long)).toMatchObject({ status: 422, body: { code: 'VECTOR_INVALID' } })
  expect((await owner.money())[0]).toBe(before)
})

test.each([
  [{ input: ['dog'] }, { model: NAME }, 'wrong', 401],
  [{ input: ['dog'] }, { model: 'another' }, undefined, 404],
  [{ input: [''] }, { model: NAME }, undefined, 400],
  [{ input: 'dog', dimensions: 2 }, { model: NAME }, undefined, 400],
])('%o is refused', async (input, model, key, status) => {
  const body = JSON.stringify({ ...input, ...model })
  const reply = await fetch(`${role.url}/embeddings`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key ?? role.key}` },
  })
  expect([reply.status, await reply.json()]).toMatchObject([status, { error: { message: expect.any(String) } }])
})

test('a base64 embedding has the same numbers', async () => {
  const ask = async (format: string) => {
    const body = JSON.stringify({ model: NAME, input: 'dog', encoding_format: format })
    const headers = { authorization: `Bearer ${role.key}` }
    return (await fetch(`${role.url}/embeddings`, { method: 'POST', body, headers })).json()
  }
  const bytes = Buffer.from((await ask('base64')).data[0].embedding, 'base64')
  expect([0, 4, 8, 12].map(at => bytes.readFloatLE(at))).toEqual((await ask('float')).data[0].embedding)
})

test('a model that does not work is said at the start, and its texts are refused, not compared by wording', async () => {
  await using models = await freshFolder()
  await using data = await freshFolder()
  await writeTextModel(models.path, 'broken', Buffer.from('no model'))
  await using broken = await startEmbedder(models.path, data.path)
  expect(broken.log()).toContain('the model of texts does not work')
  const body = JSON.stringify({ model: 'broken', input: 'dog' })
  const headers = { authorization: `Bearer ${broken.key}` }
  const reply = await fetch(`${broken.url}/embeddings`, { method: 'POST', body, headers })
  expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('The model broken does not work')])
})

test('of several models the operator names one', async () => {
  await using models = await freshFolder()
  await writeTextModel(models.path, 'one')
  await writeTextModel(models.path, 'two')
  const find = (env: Record<string, string>) =>
    findEmbedderModel(loadConfig({ MODELS_DIR: models.path, ...env }).embedder!)
  expect(() => find({})).toThrow('EMBEDDING_MODEL must name one of the models in MODELS_DIR: one, two.')
  expect(() => find({ EMBEDDING_MODEL: 'three' })).toThrow('EMBEDDING_MODEL names three')
  expect(find({ EMBEDDING_MODEL: 'two' })).toMatchObject({ name: 'two', prefixes: { query: '', text: '' } })
})

test.each([
  ['mean', [2, 3]],
  ['cls', [1, 4]],
  ['max', [3, 4]],
] as const)('the vectors of two tokens are pooled by %s', (pooling, expected) => {
  expect([...poolTokens({ dims: [1, 2, 2], data: [1, 4, 3, 2] }, pooling)]).toEqual(expected)
})
