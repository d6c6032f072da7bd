import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ChatRequest, CompletionRequest } from '../../../ops/providers/llm/contract.ts'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { LanguageModelConfig } from '../../../ops/providers/llm/settings.ts'
import type { ToolCallPiece } from '../../../tasks/formats/language/chat.ts'
import { type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import type { ModelReply } from '../../support/servers/model-replies.ts'

let fake: FakeLanguageModels
let texts: string[]
let calls: ToolCallPiece[]
beforeAll(async () => {
  fake = await openFakeLanguageModels()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  texts = []
  calls = []
})

const PROVIDERS = ['openai', 'anthropic', 'bedrock'] as const
const STALL_MS = 500
const WEATHER = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }
const CALL = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Port Alma"}' }

/** Streams an answer of a provider that falls silent for good after what it has sent. */
function stream(provider: LanguageModelConfig['provider'], more: Partial<CompletionRequest> = {}) {
  const spare = { model: 'spare', input: 1, output: 5, cachedInput: 1 }
  const fallbacks = { budget: [], value: [spare], best: [] }
  const models = openLanguageModels(fake.config(provider, { stallMs: STALL_MS, fallbacks }))!
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + 10_000 }
  const request: CompletionRequest = {
    ...{ tier: 'value', system: 'Be short.', user: 'Tides?', maxOutputTokens: 1_000, ceilingMicros: 10_000 },
    onText: text => texts.push(text),
    onToolCall: call => calls.push(call),
    ...more,
  }
  return models.complete(request, limits)
}

function answer(...replies: ModelReply[]) {
  let at = 0
  fake.reply = () => replies[Math.min(at++, replies.length - 1)]!
}

test.each(PROVIDERS)('streams pieces of %s, and counts what it says that it took', async provider => {
  answer({ pieces: ['The ', 'moon.'], input: 1_000, output: 200 })
  const { text, usage, isBroken } = await stream(provider)
  expect([text, texts, isBroken]).toEqual(['The moon.', ['The ', 'moon.'], undefined])
  expect(usage).toMatchObject({ inputTokens: 1_000, outputTokens: 200, chargedMicros: 2_400 })
})

test.each(PROVIDERS)('what %s has written before it stalls is charged, by our own count', async provider => {
  answer({ pieces: ['The moon '.repeat(100)], isHanging: true })
  const { isBroken, usage, text } = await stream(provider)
  expect([isBroken, text.length, usage.outputTokens]).toEqual([true, 900, 300])
  expect(fake.asked).toHaveLength(1)
})

test.each(PROVIDERS)('a spare is asked where %s stalls before it has written anything', async provider => {
  answer({ pieces: [], isHanging: true }, { pieces: ['Yes.'] })
  expect(await stream(provider)).toMatchObject({ text: 'Yes.', usage: { model: 'spare' } })
  expect(fake.asked.map(({ body }) => body.model)).toEqual(['medium', 'spare'])
})

test.each(PROVIDERS)('half of an event of %s ends the answer with what has come', async provider => {
  answer({ pieces: ['The moon'], isWhole: false })
  expect(await stream(provider)).toMatchObject({ text: 'The moon', isBroken: true })
  answer({ raw: 'data: {"choices":[{"del\n\n' })
  await expect(stream(provider)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
})

test.each(PROVIDERS)(
  'a text that %s says took nothing, or more than is possible, is charged within reason',
  async provider => {
    answer({ pieces: ['The moon '.repeat(100)], input: 0, output: 0 })
    expect((await stream(provider)).usage).toMatchObject({ outputTokens: 300, chargedMicros: expect.any(Number) })
    answer({ pieces: ['The moon.'], input: 9e9, output: 9e9 })
    expect((await stream(provider)).usage.chargedMicros).toBe(10_000)
  },
)

test.each(PROVIDERS)('calls of tools of %s come in parts, and their results go back', async provider => {
  const chat: ChatRequest = {
    messages: [
      { role: 'user', content: 'Rain?' },
      { role: 'assistant', content: '', toolCalls: [CALL] },
      { role: 'tool', toolCallId: 'call_1', content: 'rain' },
    ],
    ...{ sampling: { temperature: 0.5 }, tools: [WEATHER], parallelToolCalls: false },
    toolChoice: 'required',
  }
  answer({ pieces: ['I look. '], calls: [CALL, { ...CALL, id: 'call_2' }] })
  const whole = await stream(provider, { chat, system: '', user: '' })
  expect(whole.toolCalls).toEqual([CALL, { ...CALL, id: 'call_2' }])
  expect(whole.text).toBe('I look. ')
  expect(calls.map(({ index }) => index)).toEqual(calls.map(({ index }) => index).toSorted())
  expect(
    calls
      .filter(({ index }) => index === 1)
      .map(call => call.arguments)
      .join(''),
  ).toBe(CALL.arguments)
  const { messages, tool_choice: choice, toolConfig } = fake.asked[0]!.body as Record<string, unknown>
  expect([choice ?? toolConfig]).toMatchObject([
    {
      openai: 'required' as unknown,
      anthropic: { type: 'any', disable_parallel_tool_use: true },
      bedrock: { toolChoice: { any: {} }, tools: [{ toolSpec: { inputSchema: { json: WEATHER.parameters } } }] },
    }[provider],
  ])
  expect((messages as object[]).at(-1)).toMatchObject(
    {
      openai: { role: 'tool', tool_call_id: 'call_1' },
      anthropic: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'rain' }] },
      bedrock: { role: 'user', content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: 'rain' }] } }] },
    }[provider],
  )
})

test.each(PROVIDERS)('a spare is asked where %s asks for a longer wait than there is', async provider => {
  answer({ status: 429, headers: { 'retry-after': '3600' } }, { pieces: ['Yes.'] })
  expect((await stream(provider)).usage.model).toBe('spare')
  expect(fake.asked).toHaveLength(2)
})
