import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CountedCall } from '../../../ops/providers/counted-call.ts'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { LanguageModelConfig } from '../../../ops/providers/llm/settings.ts'
import { FAKE_KEY, type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import type { ModelReply } from '../../support/servers/model-replies.ts'

let fake: FakeLanguageModels
let calls: CountedCall[]
beforeAll(async () => {
  fake = await openFakeLanguageModels()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  calls = []
})

const SCHEMA = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] }
const REQUEST = {
  ...({ tier: 'value', system: 'Tell the mood.', user: 'What a day!', schema: SCHEMA } as const),
  ...{ maxOutputTokens: 50, ceilingMicros: 10_000 },
}

function open(provider: LanguageModelConfig['provider'], more?: Partial<LanguageModelConfig>) {
  return openLanguageModels(fake.config(provider, more), { onCall: call => calls.push(call) })!
}

function complete(
  models: ReturnType<typeof open>,
  { seconds = 60, ...more }: Partial<typeof REQUEST> & { seconds?: number } = {},
) {
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + seconds * 1000 }
  return models.complete({ ...REQUEST, ...more }, limits)
}

/** Gives the replies in order; the last one again and again. */
function answer(...replies: ModelReply[]) {
  let at = 0
  fake.reply = () => replies[Math.min(at++, replies.length - 1)]!
}

test('asks as OpenAI does, and counts what it costs', async () => {
  answer({ text: '{"mood":"good"}', input: 1000, cached: 400, output: 200 })
  const { text, usage } = await complete(open('openai'))
  expect(JSON.parse(text)).toEqual({ mood: 'good' })
  expect(usage).toEqual({
    ...{ model: 'medium', inputTokens: 1000, outputTokens: 200, markupPct: 20, ceilingMicros: 10_000 },
    ...{ providerCostMicros: 600 + 200 + 1000, chargedMicros: 2160 },
  })
  expect(fake.asked[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${FAKE_KEY}` },
    body: { model: 'medium', max_tokens: 50, response_format: { json_schema: { strict: true, schema: SCHEMA } } },
    system: 'Tell the mood.',
  })
  expect(calls).toEqual([
    { provider: 'openai', model: 'medium', isOk: true, inputTokens: 1000, outputTokens: 200, costMicros: 1800 },
  ])
})

test('asks as Anthropic does', async () => {
  answer({ text: '{"mood":"good"}', input: 1000, cached: 400, output: 200 })
  const { text, usage } = await complete(open('anthropic'), { tier: 'value' })
  expect(JSON.parse(text)).toEqual({ mood: 'good' })
  expect(usage).toMatchObject({ inputTokens: 1000, providerCostMicros: 1800 })
  expect(fake.asked[0]).toMatchObject({
    path: '/v1/messages',
    headers: { 'x-api-key': FAKE_KEY, 'anthropic-version': '2023-06-01' },
    body: { model: 'medium', max_tokens: 50, system: 'Tell the mood.', tools: [{ input_schema: SCHEMA }] },
  })
})

test('learns how a server wants to be asked', async () => {
  fake.reply = ({ body }) => {
    if ('max_tokens' in body)
      return { status: 400, body: { error: { message: "Unsupported parameter: 'max_tokens'" } } }
    const isSchema = JSON.stringify(body.response_format ?? '').includes('json_schema')
    return isSchema ? { status: 400, body: { error: 'response_format is not supported' } } : { text: '{"mood":"good"}' }
  }
  const models = open('openai')
  await complete(models)
  await complete(models)
  expect(
    fake.asked.map(({ body }) => [Object.keys(body).find(key => key.startsWith('max')), body.response_format]),
  ).toEqual([
    ['max_tokens', expect.objectContaining({ type: 'json_schema' })],
    ['max_completion_tokens', expect.objectContaining({ type: 'json_schema' })],
    ['max_completion_tokens', { type: 'json_object' }],
    ['max_completion_tokens', { type: 'json_object' }],
  ])
})

test('counts by itself where the server does not', async () => {
  answer({ raw: JSON.stringify({ choices: [{ message: { content: '{"mood":"good"}' }, finish_reason: 'stop' }] }) })
  expect((await complete(open('openai'))).usage).toMatchObject({ inputTokens: 9, outputTokens: 5 })
})

test.each(['openai', 'anthropic', 'bedrock'] as const)('asks %s again when it is busy or fails', async provider => {
  answer({ status: 429, headers: { 'retry-after': '0' } }, { status: 529 }, { text: '{"mood":"good"}' })
  await complete(open(provider))
  expect(fake.asked).toHaveLength(3)
  expect(calls).toHaveLength(1)
})

test('waits no longer than its deadline', async () => {
  answer({ status: 429, headers: { 'retry-after': '3600' } })
  const late = { code: 'PROVIDER_UNAVAILABLE', hints: { providerStatus: 429, retryAfterSeconds: 3600 } }
  await expect(complete(open('openai'))).rejects.toMatchObject(late)
  expect(fake.asked).toHaveLength(1)
  answer({ isSilent: true })
  const silent = { code: 'PROVIDER_UNAVAILABLE', hints: { reason: 'no complete answer in time' } }
  await expect(complete(open('openai'), { seconds: 0.2 })).rejects.toMatchObject(silent)
  expect(fake.asked).toHaveLength(2)
})

test.each([
  ['wrong credentials', { status: 401 }, 'PROVIDER_UNAVAILABLE', { providerStatus: 401 }],
  ['an unknown model', { status: 404 }, 'PROVIDER_UNAVAILABLE', { providerStatus: 404 }],
  [
    'a text that is too long',
    { status: 400, body: { error: { message: 'maximum context length is 8192' } } },
    'CONTEXT_TOO_LONG',
    {},
  ],
  ['an answer that was cut off', { text: '{"mood":"go"}', end: 'length' }, 'OUTPUT_INVALID', {}],
  ['a refusal', { text: '{}', end: 'refused' }, 'CONTENT_REFUSED', {}],
  ['an answer without a message', { raw: '{"choices":[]}' }, 'PROVIDER_UNAVAILABLE', {}],
  ['an answer of null', { raw: 'null' }, 'PROVIDER_UNAVAILABLE', {}],
] as [string, ModelReply, string, object][])('reports %s', async (_, reply, code, hints) => {
  for (const provider of ['openai', 'anthropic', 'bedrock'] as const) {
    answer(reply)
    await expect(complete(open(provider)), provider).rejects.toMatchObject({ code, hints })
  }
})

test.each([
  ['breaks off', { isCutOff: true }],
  ['is not JSON', { raw: '<html>502</html>' }],
  ['redirects', { status: 302, headers: { location: 'http://169.254.169.254/' } }],
] as [string, ModelReply][])('asks again after an answer that %s', async (_, reply) => {
  answer(reply, { text: '{"mood":"good"}' })
  await complete(open('openai'))
  expect(fake.asked).toHaveLength(2)
})

test('asks a provider that keeps failing no more for a while', async () => {
  answer({ status: 401 })
  const models = open('openai')
  for (let failures = 0; failures < 5; failures++)
    await expect(complete(models)).rejects.toMatchObject({ hints: { providerStatus: 401 } })
  await expect(complete(models)).rejects.toMatchObject({ hints: { retryAfterSeconds: 30 } })
  expect(fake.asked).toHaveLength(5)
  expect(calls.every(({ isOk, costMicros }) => !isOk && costMicros === 0)).toBe(true)
})

test('sends nothing that could cost more than is held', async () => {
  await expect(complete(open('openai'), { ceilingMicros: 500 })).rejects.toThrow(/are held/)
  expect(fake.asked).toEqual([])
})

test('a call that is cancelled ends', async () => {
  answer({ isSilent: true })
  const stop = new AbortController()
  const limits = { signal: stop.signal, deadlineMs: performance.now() + 60_000 }
  const models = open('openai')
  const running = models.complete(REQUEST, limits)
  await expect.poll(() => fake.asked.length).toBe(1)
  stop.abort(new Error('cancelled'))
  await expect(running).rejects.toThrow('cancelled')
})

test('asks for no more than the model reads and writes at once', async () => {
  answer({ text: '{"mood":"good"}' })
  const price = { model: 'short', input: 1, output: 5, cachedInput: 1, contextTokens: 1_000 }
  const models = open('openai', { tiers: { budget: price, value: price, best: price } })
  const ask = (chars: number, more: object = {}) =>
    complete(models, { user: 'x'.repeat(chars) as never, maxOutputTokens: 400, ceilingMicros: 100_000, ...more })
  await ask(2_000)
  await ask(2_800)
  expect(fake.asked.map(({ body }) => body.max_tokens)).toEqual([400, 296])
  await expect(ask(3_600)).rejects.toMatchObject({
    code: 'CONTEXT_TOO_LONG',
    hints: { tokens: expect.any(Number), max: 1_000 },
  })
  const chat = { messages: [{ role: 'user', content: 'x'.repeat(3_600) }], sampling: {} }
  await ask(0, { chat })
  expect(Number(fake.asked.at(-1)!.body.max_tokens)).toBeLessThan(100)
  chat.messages[0]!.content += 'x'.repeat(600)
  await expect(ask(0, { chat })).rejects.toMatchObject({ code: 'CONTEXT_TOO_LONG' })
  expect(fake.asked).toHaveLength(3)
})

test('asks a model with more room where the first does not read all of a text, by its own count or the one of the provider', async () => {
  const short = { model: 'short', input: 1, output: 5, cachedInput: 1, contextTokens: 1_000 }
  const tiers = { budget: short, value: short, best: short }
  const roomy = { ...short, model: 'roomy', contextTokens: 20_000 }
  const dear = { ...roomy, model: 'dear', input: 100 }
  const ask = (more: object, spares = [dear, roomy]) => {
    const models = open('openai', { tiers, fallbacks: { budget: [], value: spares, best: [] } })
    return complete(models, { ceilingMicros: 20_000, ...more })
  }
  answer({ text: '{"mood":"good"}' })
  const { usage } = await ask({ user: 'x'.repeat(6_000) as never })
  expect(usage.model).toBe('roomy')
  expect(fake.asked.map(({ body }) => body.model)).toEqual(['roomy'])
  answer({ status: 400, body: { error: { message: 'maximum context length is 8192' } } }, { text: '{"mood":"good"}' })
  expect((await ask({})).usage.model).toBe('roomy')
  await expect(ask({ user: 'x'.repeat(6_000) as never }, [dear])).rejects.toMatchObject({ code: 'CONTEXT_TOO_LONG' })
})
