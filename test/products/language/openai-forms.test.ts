import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let fake: FakeLanguageModels
let stack: Stack
let client: OpenAI
beforeAll(async () => {
  fake = await openFakeLanguageModels()
  stack = await startStack({ env: fake.env })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})
beforeEach(async () => {
  fake.asked.length = 0
  const { key } = await stack.customer(2_000_000n)
  client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: key, maxRetries: 0 })
})

test('takes what clients write for what they leave out, and messages as they keep them', async () => {
  fake.reply = () => ({ text: 'The moon.' })
  const kept = { role: 'assistant', content: null, refusal: null, function_call: null, audio: null } as const
  const nothing = { n: null, stop: null, temperature: null, tools: null, logit_bias: null, functions: null }
  const { choices } = await client.chat.completions.create({
    model: 'value',
    messages: [
      { role: 'user', content: 'Weather?', name: 'ann' },
      { ...kept, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'w', arguments: '{}' }, index: 0 }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun', name: 'w' },
      { ...kept, content: 'Sun.', tool_calls: null },
      { role: 'user', content: 'Tides?' },
    ],
    ...{ ...nothing, stream_options: null, prompt_cache_key: 'k', safety_identifier: 's-1', metadata: { a: 'b' } },
  } as never)
  expect(choices[0]!.message.content).toBe('The moon.')
  expect(fake.asked[0]!.body).toMatchObject({
    user: 's-1',
    messages: [
      { role: 'user', content: 'Weather?', name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', function: { name: 'w' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
      { role: 'assistant', content: 'Sun.' },
      { role: 'user', content: 'Tides?' },
    ],
  })
  expect(Object.keys(fake.asked[0]!.body).sort()).toEqual(['max_tokens', 'messages', 'model', 'user'])
  const vectors = { model: 'svc-hash-384@1', input: 'Tide', encoding_format: null, dimensions: null, user: null }
  expect((await client.embeddings.create(vectors as never)).data).toHaveLength(1)
})
