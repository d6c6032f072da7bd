import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeEmbedder, openFakeEmbedder } from '../../support/servers/embedders.ts'
import { type FakeLanguageTool, openFakeLanguageTool } from '../../support/servers/language-tool.ts'
import { type FakeTranslators, openFakeTranslators } from '../../support/servers/translators.ts'
import { type Customer, type Stack, startStack } from '../../support/stack/start.ts'

let embedder: FakeEmbedder
let translators: FakeTranslators
let languageTool: FakeLanguageTool
let stack: Stack
let customer: Customer
let client: OpenAI
beforeAll(async () => {
  ;[embedder, translators, languageTool] = await Promise.all([
    openFakeEmbedder(),
    openFakeTranslators(),
    openFakeLanguageTool(),
  ])
  stack = await startStack({
    env: {
      EMBEDDING_URL: embedder.url,
      EMBEDDING_MODEL: 'animals',
      EMBEDDING_MODELS: 'animals 0.02 30; dear 100',
      EMBEDDING_QUERY_PREFIX: 'query:',
      TRANSLATION_PROVIDER: 'libretranslate',
      TRANSLATION_URL: translators.url,
      TRANSLATION_USD_PER_MILLION: '50',
      HUNSPELL_DIR: '/usr/share/hunspell',
      LANGUAGETOOL_URL: languageTool.url,
      LANGUAGETOOL_USD_PER_MILLION: '2.5',
    },
  })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  for (const fake of [embedder, translators, languageTool]) await fake[Symbol.asyncDispose]()
})
beforeEach(async () => {
  embedder.asked.length = 0
  embedder.reply = undefined
  translators.asked.length = 0
  translators.reply = undefined
  languageTool.asked.length = 0
  languageTool.reply = undefined
  customer = await stack.customer(1_000_000n)
  client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: customer.key, maxRetries: 0 })
})

/** What a call costs the account. */
async function spend<Answer>(call: () => Promise<Answer>) {
  const before = (await customer.money()).balance
  const answered = await call()
  const { balance, held } = await customer.money()
  expect(held).toBe(0n)
  return { answered, charged: Number(before - balance) }
}

test('lists the models that have a price', async () => {
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['animals', 'dear', 'svc-hash-384@1'])
})

const TEXTS = ['a dog', 'the hound', 'a cat']

function compare(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0)
}

test('embeds texts for the client, which asks for base64, by the model it names', async () => {
  const { answered, charged } = await spend(() => client.embeddings.create({ model: 'animals', input: TEXTS }))
  const [dog, hound, cat] = answered.data.map(({ embedding }) => embedding) as [number[], number[], number[]]
  expect(answered).toMatchObject({
    object: 'list',
    model: 'animals',
    usage: { total_tokens: 7, charged_micros: charged },
  })
  expect(charged).toBe(1_000)
  expect(compare(dog, dog)).toBeCloseTo(1, 5)
  expect(compare(dog, hound)).toBeGreaterThan(compare(dog, cat) + 0.5)
  const own = await client.embeddings.create({ model: 'svc-hash-384@1', input: 'a dog', encoding_format: 'float' })
  expect(own.data[0]!.embedding).toHaveLength(384)
  // A model that costs more than the call is charged what it takes, and no more than is possible.
  embedder.reply = { status: 200, json: { data: [{ embedding: [1, 0] }], usage: { prompt_tokens: 50 } } }
  expect((await spend(() => client.embeddings.create({ model: 'dear', input: 'dog' }))).charged).toBe(6_000)
  embedder.reply.json = { data: [{ embedding: [1, 0] }], usage: { prompt_tokens: 5e9 } }
  expect((await spend(() => client.embeddings.create({ model: 'dear', input: 'dog' }))).charged).toBe(6_120)
})

test.each([
  [{ model: 'ada' }, 404, 'model_not_found'],
  [{ input: [[1, 2]] }, 422, 'option_unsupported'],
  [{ input: 'x'.repeat(91) }, 422, 'input_too_long'],
  [{ dimensions: 3 }, 422, 'dimensions_unsupported'],
] as const)('refuses embeddings of %o, for free', async (more, status, code) => {
  const { answered: error, charged } = await spend(() =>
    client.embeddings.create({ model: 'animals', input: 'dog', ...more } as never).catch((failure: unknown) => failure),
  )
  expect(error).toMatchObject({ status, code })
  expect(charged).toBe(0)
})

test('/v1/llm/embed takes tiers, marks questions, and cuts long texts where asked', async () => {
  const embed = (body: object) => customer.post('/v1/llm/embed', body)
  const answer = await embed({ input: ['dog', `${'x'.repeat(89)}ü`], type: 'query', tier: 'budget', truncate: 'end' })
  expect(answer.body).toMatchObject({ model: 'animals', semantic: true, normalized: true, dimensions: 4, count: 2 })
  expect(answer.body.warnings).toMatchObject([{ code: 'TRUNCATED' }])
  expect(embedder.asked[0]!.body.input).toEqual(['query: dog', `query: ${'x'.repeat(89)}`])
  expect((await embed({ input: ['dog', 'x'.repeat(91)] })).body).toMatchObject({
    code: 'INPUT_TOO_LONG',
    index: 1,
    max: 30,
  })
  expect((await embed({ input: ['dog', ' '] })).body).toMatchObject({ code: 'INPUT_EMPTY', index: 1 })
  expect((await embed({ input: 'dog', tier: 'best' })).body).toMatchObject({ model: 'dear' })
  embedder.reply = { status: 401, json: {} }
  expect((await embed({ input: 'dog' })).body.code).toBe('PROVIDER_UNAVAILABLE')
  embedder.reply = undefined
  const queued = await customer.post('/v1/llm/embed', { input: 'dog', async: true })
  expect(await customer.waitForEnd(queued.body.ticket)).toMatchObject({
    status: 'succeeded',
    result: { model: 'animals' },
  })
})

const translate = (body: object, headers = {}) => spend(() => customer.post('/v1/llm/translate', body, headers))

test('a translation service translates, for what its characters cost, with placeholders and the words of a glossary', async () => {
  const input = `Dear {{name}}, the Harbour has %s ships. ${'And more. '.repeat(100)}`
  const params = { to: 'de', glossary: [{ source: 'Harbour', target: 'Hafen' }] }
  const { answered, charged } = await translate({ input, params })
  expect(answered.body).toMatchObject({
    ...{ method: 'provider', engine: 'libretranslate' },
    usage: { model: 'libretranslate', markupPct: 20, chargedMicros: charged, ceilingMicros: charged },
  })
  const { text, detectedSource } = answered.body.result
  expect(text.startsWith('DEAR {{name}}, THE Hafen HAS %s SHIPS. AND MORE.')).toBe(true)
  expect(detectedSource).toBe('en')
  expect(charged).toBe(Math.ceil(input.length * 50 * 1.2))
  const { answered: quoted } = await translate({ input, params, dryRun: true })
  expect(quoted.body.quote).toMatchObject({ amountMicros: String(charged), expected: String(charged) })
  const { answered: file, charged: ofFile } = await translate({ input: { text: input }, params })
  expect([file.body.result.text, ofFile]).toEqual([text, charged])
})

test('what the service does not do is refused before it is asked, and what it refuses costs nothing', async () => {
  for (const [field, value] of [
    ['formality', 'formal'],
    ['domain', 'law'],
  ]) {
    const { answered, charged } = await translate({ input: 'Hello', params: { to: 'de', [field!]: value } })
    expect([answered.status, charged]).toEqual([422, 0])
    expect(answered.body).toMatchObject({ code: 'OPTION_UNSUPPORTED', field: `params.${field}` })
  }
  expect(translators.asked).toEqual([])
  translators.reply = () => ({ translatedText: ['Hallo'] })
  const lost = await translate({ input: 'Hello {{name}}', params: { to: 'de' } })
  expect([lost.answered.body.code, lost.charged]).toEqual(['OUTPUT_INVALID', 0])
  translators.reply = () => ({ status: 400, error: 'xx is not supported as target language' })
  const unknown = await translate({ input: 'Hello', params: { to: 'xx' } })
  expect([unknown.answered.body.code, unknown.charged]).toEqual(['LANGUAGE_UNSUPPORTED', 0])
})

const proofread = (body: object) => spend(() => customer.post('/v1/llm/proofread', body))

test('LanguageTool proofreads prose alone, for what its characters cost, unless our own rules are asked for', async () => {
  const text = 'I recieve a apple in `Tset.recieve()`. Ask Tset in order to eat.'
  const input = `${text} ${'Fine. '.repeat(100)}`
  const params = { ignore: ['tset'] }
  const { answered, charged } = await proofread({ input, language: 'en-GB', params })
  expect(answered.body).toMatchObject({
    ...{ method: 'provider', engine: 'languagetool', usage: { model: 'languagetool', chargedMicros: charged } },
    result: {
      edits: [
        { start: 2, end: 9, original: 'recieve', replacement: 'receive', rule: 'SPELLER' },
        { start: 10, end: 17, original: 'a apple', replacement: 'an apple', rule: 'EN_A_VS_AN' },
      ],
    },
  })
  expect(answered.body.result.text).toBe(input.replace('recieve a apple', 'receive an apple'))
  expect(charged).toBe(Math.ceil(input.length * 2.5 * 1.2))
  expect(languageTool.asked[0]!.form).toMatchObject({ language: 'en-GB', level: 'default' })
})

test('a language that LanguageTool does not know, and a server that is gone, cost nothing', async () => {
  expect(await proofread({ input: 'Hello', language: 'xx' })).toMatchObject({
    answered: { status: 422, body: { code: 'LANGUAGE_UNSUPPORTED', language: 'xx' } },
    charged: 0,
  })
  languageTool.reply = () => ({ status: 403, error: 'no' })
  expect(await proofread({ input: 'Hello', language: 'en' })).toMatchObject({
    answered: { status: 503, body: { code: 'PROVIDER_UNAVAILABLE' } },
    charged: 0,
  })
})

const GERMAN = 'Die Strase ist nähmlich lang, und Müllersfeldt wohnt wohnt in der Gebäudereinnigungsfirma.'

test.each([
  {
    ...{
      what: 'English',
      language: 'en',
      input: 'The goverment of Zzyxland recieves our langauge, `teh codde` and zzyqh. Its wonderfull.',
    },
    fixed: 'The government of Zzyxland receives our language, `teh codde` and zzyqh. Its wonderfull.',
    open: ['zzyqh', 'wonderfull'],
    limits: [],
  },
  {
    ...{ what: 'German', language: 'de', input: GERMAN },
    fixed: GERMAN.replace('nähmlich', 'nämlich').replace('wohnt wohnt', 'wohnt'),
    open: ['Strase', 'Müllersfeldt', 'Gebäudereinnigungsfirma'],
    limits: ['LANGUAGE_LIMITED'],
  },
])(
  'the built-in engine looks $what words up, and replaces what can only be meant',
  async ({ language, input, fixed, open, limits }) => {
    const { answered } = await proofread({ input, language, method: 'embedded' })
    const { result, warnings = [] } = answered.body
    expect(answered.body).toMatchObject({ method: 'embedded', engine: 'svc-rules-1' })
    expect(result.text).toBe(fixed)
    const left = result.edits.filter((edit: { replacement: unknown }) => edit.replacement === null)
    expect(left.map((edit: { original: string }) => edit.original)).toEqual(open)
    expect(warnings.map((warning: { code: string }) => warning.code)).toEqual(limits)
    expect(languageTool.asked).toEqual([])
  },
)

test('a text in another language than that of the dictionary has no mistakes, and a warning', async () => {
  const input =
    'Der Hund schläft gern unter dem alten Tisch, weil ihn dort niemand stört oder gar vertreibt, und träumt von großen Knochen, fremden Katzen und langen Wegen durch feuchte Wiesen.'
  const { answered } = await proofread({ input, language: 'en', method: 'embedded' })
  expect(answered.body).toMatchObject({
    result: { text: input, edits: [] },
    warnings: [{ code: 'DICTIONARY_UNSUITABLE' }],
  })
  const ignored = await proofread({
    input: 'A wrod.',
    language: 'en',
    method: 'embedded',
    params: { ignore: ['WROD'] },
  })
  expect(ignored.answered.body.result.edits).toEqual([])
})

test('the list of tasks says which service does them, and what it takes', async () => {
  const { tasks } = (await stack.anonymous.get('/v1/llm/tasks')).body
  const translation = tasks.find(({ slug }: { slug: string }) => slug === 'translate')
  expect(translation.params.required).toEqual(['to'])
  const services = tasks.flatMap(({ slug, service }: { slug: string; service?: object }) =>
    service ? [{ slug, ...service }] : [],
  )
  expect(services).toEqual([
    { slug: 'translate', provider: 'libretranslate', estimateMicrosPer1kChars: 60_000 },
    { slug: 'proofread', provider: 'languagetool', estimateMicrosPer1kChars: 3_000 },
  ])
})
