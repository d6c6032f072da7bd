import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readFrames } from '../../../ops/providers/llm/bedrock/frames.ts'
import type { CompletionRequest } from '../../../ops/providers/llm/contract.ts'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { AskedChat } from '../../../tasks/products/language/openai/chat-body.ts'
import { chooseModel } from '../../../tasks/products/language/openai/choose-model.ts'
import { buildFrame } from '../../support/servers/bedrock-models.ts'
import { FAKE_KEY, type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import type { ModelReply } from '../../support/servers/model-replies.ts'

let fake: FakeLanguageModels
let texts: string[]
beforeAll(async () => {
  fake = await openFakeLanguageModels()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  texts = []
})

const MODEL = 'arn:aws:bedrock:eu-central-1:1:inference-profile/eu.a-model-v1:0'
const SCHEMA = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] }
const onText = (text: string) => texts.push(text)

function open() {
  const price = { model: MODEL, input: 1, output: 5, cachedInput: 0.5 }
  const spare = { ...price, model: 'spare' }
  const tiers = { budget: price, value: price, best: price }
  return openLanguageModels(fake.config('bedrock', { tiers, fallbacks: { budget: [], value: [spare], best: [] } }))!
}

function complete(models: ReturnType<typeof open>, more: Partial<CompletionRequest> = {}) {
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + 60_000 }
  const request = { tier: 'value', system: 'Tell the mood.', user: 'What a day!', schema: SCHEMA } as const
  return models.complete({ ...request, maxOutputTokens: 50, ceilingMicros: 10_000, ...more }, limits)
}

function answer(...replies: ModelReply[]) {
  let at = 0
  fake.reply = () => replies[Math.min(at++, replies.length - 1)]!
}

test('asks as Bedrock does, and counts what was read from a cache', async () => {
  answer({ text: '{"mood":"good"}', input: 1000, cached: 400, output: 200 })
  const { text, usage } = await complete(open())
  expect(JSON.parse(text)).toEqual({ mood: 'good' })
  expect(usage).toMatchObject({ model: MODEL, inputTokens: 1000, outputTokens: 200, providerCostMicros: 1800 })
  const toolSpec = { name: 'answer', inputSchema: { json: SCHEMA } }
  expect(fake.asked[0]).toMatchObject({
    path: `/v1/model/${encodeURIComponent(MODEL)}/converse`,
    headers: { authorization: `Bearer ${FAKE_KEY}` },
    body: {
      inferenceConfig: { maxTokens: 50 },
      toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name: 'answer' } } },
    },
    ...{ system: 'Tell the mood.', user: 'What a day!' },
  })
})

test('charges no more than was held, whatever it says that it took', async () => {
  answer({ text: '{}', input: 9e9, output: 9e9 })
  expect((await complete(open())).usage.chargedMicros).toBe(10_000)
  await expect(complete(open(), { ceilingMicros: 500 })).rejects.toThrow(/are held/)
  expect(fake.asked).toHaveLength(1)
})

/** Refuses what a model without tools, or without a choice of them, refuses. */
function refuse(isRefused: (choice: object | undefined) => boolean, message: string) {
  fake.reply = ({ body }) => {
    const config = body.toolConfig as { toolChoice?: object } | undefined
    return config && isRefused(config.toolChoice) ? { status: 400, body: { message } } : { text: '{"mood":"good"}' }
  }
}

const listForms = () =>
  fake.asked.map(({ body }) => Object.keys((body.toolConfig as { toolChoice?: object })?.toolChoice ?? {})[0])

test('learns how a model can be given a form', async () => {
  refuse(choice => 'tool' in choice!, "This model doesn't support the toolConfig.toolChoice.tool field.")
  const some = open()
  for (let turn = 0; turn < 2; turn++) expect((await complete(some)).text).toBe('{"mood":"good"}')
  expect(listForms()).toEqual(['tool', 'any', 'any'])
  fake.asked.length = 0
  refuse(() => true, "This model doesn't support tool use.")
  const none = open()
  for (let turn = 0; turn < 2; turn++) await complete(none)
  expect(listForms()).toEqual(['tool', 'any', undefined, undefined])
  const chat = { messages: [{ role: 'user', content: 'Mood?' }], sampling: {}, format: { schema: SCHEMA } } as const
  const asked = complete(open(), { system: '', user: '', schema: undefined, chat })
  await expect(asked).rejects.toMatchObject({ code: 'OPTION_UNSUPPORTED', hints: { field: 'response_format' } })
})

test('streams the form as its text', async () => {
  const call = { id: 'tooluse_1', name: 'answer', arguments: '{"mood":"good"}' }
  answer({ pieces: [], calls: [call], input: 1000, output: 200 })
  const { text, usage, toolCalls } = await complete(open(), { onText })
  expect([text, texts.join(''), toolCalls]).toEqual([call.arguments, call.arguments, undefined])
  expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 200 })
  expect(fake.asked[0]!.path).toMatch(/\/converse-stream$/)
  expect(fake.asked[0]!.headers.accept).toBe('application/vnd.amazon.eventstream')
})

test('a guardrail that steps in is a refusal', async () => {
  const chat = { messages: [{ role: 'user', content: 'Mood?' }], sampling: {} } as const
  const asked = { schema: undefined, chat, onText }
  answer({ pieces: ['I cannot say.'], end: 'refused' })
  expect(await complete(open(), asked)).toMatchObject({ text: 'I cannot say.', isRefused: true })
  answer({ pieces: ['It is'], end: 'length' })
  expect(await complete(open(), asked)).toMatchObject({ isCut: true })
})

const delta = buildFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'The moon' } })
const fail = (name: string, message = 'no') => buildFrame(name, { message }, 'exception')

test.each([
  ['a stream that is throttled', fail('throttlingException')],
  ['a stream of a model that fails', fail('modelStreamErrorException')],
  ['damaged bytes', Buffer.concat([delta.subarray(0, -1), Buffer.from([delta.at(-1)! ^ 1])])],
  ['a length that cannot be', Buffer.from('ffffffff000000000000000000000000', 'hex')],
])('a spare is asked after %s', async (_, raw) => {
  answer({ raw }, { pieces: ['Yes.'] })
  expect(await complete(open(), { onText })).toMatchObject({ text: 'Yes.', usage: { model: 'spare' } })
})

test.each([
  ['is throttled', fail('throttlingException')],
  ['is refused', fail('validationException')],
  ['ends', Buffer.alloc(0)],
])('what came before a stream %s is charged', async (_, end) => {
  answer({ raw: Buffer.concat([delta, end]) })
  const chat = { messages: [{ role: 'user', content: 'Tides?' }], sampling: {} } as const
  const { text, isBroken, usage } = await complete(open(), { schema: undefined, chat, onText })
  expect([text, isBroken, usage.outputTokens]).toEqual(['The moon', true, 3])
  expect(fake.asked).toHaveLength(1)
})

test('a text that is too long is told within the stream, too', async () => {
  answer({ raw: fail('validationException', 'Input is too long for requested model.') })
  await expect(complete(open(), { onText })).rejects.toMatchObject({ code: 'CONTEXT_TOO_LONG' })
})

/** Made by the codec of the AWS SDK, with headers of other types. */
const OF_AWS =
  'AAAAvQAAAH9Nz39hCzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50A29kZAQAAAAHA3llcwAEd2hlbggAAAAAAAAAAAVieXRlcwYAAwECA3siY29udGVudEJsb2NrSW5kZXgiOjAsImRlbHRhIjp7InRleHQiOiJIw6kifX21zB26'

test.each([1, 7, 1_000])('reads frames that come in parts of %i bytes', async size => {
  const bytes = Buffer.concat([Buffer.from(OF_AWS, 'base64'), delta])
  async function* cut() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  expect(await Array.fromAsync(readFrames(cut()))).toEqual([
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hé' } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'The moon' } } },
  ])
})

test('an address keeps its path, as that of Gemini for clients of OpenAI', async () => {
  const url = new URL('/v1beta/openai', fake.config('openai').url).href
  const models = openLanguageModels(fake.config('openai', { url }))!
  answer({ text: '{"mood":"good"}' })
  await complete(models)
  answer({ pieces: ['{}'] })
  await complete(models, { onText })
  expect(fake.asked.map(({ path }) => path)).toEqual(Array(2).fill('/v1beta/openai/chat/completions'))
  expect(fake.asked[0]!.headers.authorization).toBe(`Bearer ${FAKE_KEY}`)
})

const ASKED = { model: 'value', messages: [{ role: 'user', content: 'Rain?' }] }
const TOOL = { type: 'function', function: { name: 'get_weather' } }

test.each([
  [{ seed: 1 }, 'seed'],
  [{ temperature: 1.5 }, 'temperature'],
  [{ tools: [TOOL], parallel_tool_calls: false }, 'parallel_tool_calls'],
  [{ tools: [TOOL], tool_choice: 'none' }, 'tool_choice'],
  [{ tools: [TOOL], response_format: { type: 'json_object' } }, 'response_format'],
  [{ tools: [TOOL], parallel_tool_calls: true, tool_choice: 'auto', temperature: 1 }, undefined],
])('of what a conversation asks, %j is refused before a call for %s', (more, field) => {
  const { tiers, lacks, markupPct } = open()
  const offer = { ...tiers.value, markupPct }
  const offers = { language: { budget: offer, value: offer, best: offer }, chat: { models: [offer], lacks } }
  const choose = () => chooseModel({ ...ASKED, ...more } as AskedChat, offers)
  if (field === undefined) expect(choose()).toMatchObject({ tier: 'value', offer: { model: MODEL } })
  else
    expect(choose).toThrow(
      expect.objectContaining({ code: 'OPTION_UNSUPPORTED', hints: { field, reason: expect.any(String) } }),
    )
})
