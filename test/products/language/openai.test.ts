import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import OpenAI, { type APIError } from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildDevChainVariables } from '../../../ops/dev-chain/wallets.ts'
import { type Evm, openEvm } from '../../support/chain/evm.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import type { ModelReply } from '../../support/servers/model-replies.ts'
import { type Customer, type Stack, startStack } from '../../support/stack/start.ts'

let evm: Evm
let fake: FakeLanguageModels
let stack: Stack
let customer: Customer
let client: OpenAI
beforeAll(async () => {
  ;[evm, fake] = await Promise.all([openEvm(), openFakeLanguageModels()])
  const chain = buildDevChainVariables(evm.rpcUrl) as Record<string, string>
  const prices = { LLM_VALUE: 'medium 1 5; spare 0.5 2', LLM_BUDGET: 'small 0.1 0.4' }
  stack = await startStack({ env: { ...chain, ...fake.env, ...prices } })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
  await evm.stop()
})
beforeEach(async () => {
  fake.asked.length = 0
  customer = await stack.customer(2_000_000n)
  client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: customer.key, maxRetries: 0 })
})

function answer(reply: ModelReply) {
  fake.reply = () => reply
}

/** What a call costs the account. */
async function spend<Answer>(call: () => Promise<Answer>) {
  const before = (await customer.money()).balance
  const answered = await call()
  const { balance, held } = await customer.money()
  expect(held).toBe(0n)
  return { answered, charged: Number(before - balance) }
}

const messages = [{ role: 'user', content: 'What causes the tides?' }] as const
const ASKED = { model: 'value', messages: [...messages] }
const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const
const CALL = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Port Alma"}' }

test('answers the unmodified client, and charges what the model took', async () => {
  answer({ text: 'The moon, mostly.', input: 3_000, output: 1_000, cached: 1_000 })
  const { answered, charged } = await spend(() =>
    client.chat.completions.create({
      ...ASKED,
      messages: [
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: [{ type: 'text', text: 'Tides?' }] },
      ],
      ...{ max_completion_tokens: 2_000, temperature: 0.2, top_p: 0.9, stop: 'END', seed: 7, user: 'u-1', n: 1 },
    }),
  )
  expect(answered).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f-]{36}$/),
    ...{ object: 'chat.completion', model: 'medium' },
    choices: [{ message: { role: 'assistant', content: 'The moon, mostly.', refusal: null }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 3_000,
      completion_tokens: 1_000,
      total_tokens: 4_000,
      charged_micros: charged,
      markup_pct: 20,
    },
  })
  expect(charged).toBe(9_600)
  expect(fake.asked[0]!.body).toMatchObject({
    ...{ model: 'medium', max_tokens: 2_000, temperature: 0.2, top_p: 0.9, stop: ['END'], seed: 7, user: 'u-1' },
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Tides?' },
    ],
  })
})

test('streams chunks that the client joins, with the usage where it is asked for', async () => {
  answer({ pieces: ['The ', 'moon.'], input: 1_000, output: 1_000 })
  const { answered: chunks, charged } = await spend(async () => {
    const stream = await client.chat.completions.create({
      ...ASKED,
      stream: true,
      stream_options: { include_usage: true },
    })
    return Array.fromAsync(stream)
  })
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('The moon.')
  expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant')
  expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 2_000, charged_micros: charged } })
  expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
  const whole = await client.chat.completions.stream({ ...ASKED }).finalChatCompletion()
  expect(whole.choices[0]!.message.content).toBe('The moon.')
})

test('a stream that is repeated under its key names the job that it repeats, and is free', async () => {
  answer({ pieces: ['The ', 'moon.'], input: 1_000, output: 1_000 })
  const authorized = { authorization: `Bearer ${customer.key}` }
  const ask = async () => {
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...authorized, 'content-type': 'application/json', 'idempotency-key': 'one-stream' },
      body: JSON.stringify({ ...ASKED, stream: true }),
    })
    return { headers: response.headers, text: await response.text() }
  }
  const { answered, charged } = await spend(async () => [await ask(), await ask()] as const)
  const [first, repeated] = answered
  expect(first.text).toContain('[DONE]')
  const job = first.headers.get('x-service-job-id')
  expect(repeated.headers.get('x-service-job-id')).toBe(job)
  expect(repeated.headers.get('idempotency-replayed')).toBe('true')
  expect(repeated.text).toContain('The moon.')
  const found = await fetch(`${stack.url}/v1/jobs/${job}`, { headers: authorized })
  expect(await found.json()).toMatchObject({ status: 'succeeded', actualMicros: String(charged) })
})

test('carries calls of tools, whole and in parts, and their results', async () => {
  answer({ text: '', calls: [CALL] })
  const { choices } = await client.chat.completions.create({ ...ASKED, tools: [weather], tool_choice: 'required' })
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
  expect(choices[0]!.message.tool_calls).toEqual([
    { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: CALL.arguments } },
  ])
  expect(fake.asked[0]!.body).toMatchObject({ tools: [weather], tool_choice: 'required' })
  answer({ pieces: [], calls: [CALL, { ...CALL, id: 'call_2' }] })
  const streamed = await client.chat.completions.stream({ ...ASKED, tools: [weather] }).finalChatCompletion()
  expect(streamed.choices[0]!.message.tool_calls).toMatchObject([
    { id: 'call_1', function: { arguments: CALL.arguments } },
    { id: 'call_2' },
  ])
  answer({ text: 'It rains.' })
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'rain' } as const
  const next = await client.chat.completions.create({
    ...ASKED,
    messages: [...messages, choices[0]!.message, result],
    tools: [weather],
  })
  expect(next.choices[0]!.message.content).toBe('It rains.')
  const sent = fake.asked.at(-1)!.body.messages as object[]
  expect(sent.slice(1)).toMatchObject([{ tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }])
})

test('asks for JSON of a schema, and gives a refusal as the protocol has it, charged', async () => {
  const json_schema = { name: 'tide', strict: true, schema: { type: 'object', properties: {} } }
  answer({ text: '{}' })
  await client.chat.completions.create({ ...ASKED, response_format: { type: 'json_schema', json_schema } })
  expect(fake.asked[0]!.body.response_format).toEqual({ type: 'json_schema', json_schema })
  answer({ text: 'I cannot say that.', end: 'refused', input: 2_000, output: 100 })
  const { answered, charged } = await spend(() => client.chat.completions.create(ASKED))
  expect(answered.choices[0]).toMatchObject({
    finish_reason: 'content_filter',
    message: { content: null, refusal: 'I cannot say that.' },
  })
  expect(charged).toBe(3_000)
})

test('a client that leaves a stream pays for what has come, at once', async () => {
  answer({ pieces: Array.from({ length: 300 }, (_, index) => `word${index} `), isHanging: true })
  const stream = await client.chat.completions.create({ ...ASKED, stream: true })
  for await (const _chunk of stream) break
  stream.controller.abort()
  await eventually('the call is charged', async () => (await customer.money()).held === 0n)
  const { balance } = await customer.money()
  expect(2_000_000n - balance).toBeGreaterThan(1_000n)
  expect(2_000_000n - balance).toBeLessThan(20_000n)
})

test('a stream that the provider breaks off ends with an error that states the charge', async () => {
  answer({ pieces: ['The moon '.repeat(200)], isWhole: false })
  let text = ''
  const { answered: error, charged } = await spend(async () => {
    const stream = await client.chat.completions.create({ ...ASKED, stream: true })
    try {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    } catch (failure) {
      return failure as APIError
    }
    throw new Error('the stream ended as if it were whole')
  })
  expect(text).toMatch(/^The moon/)
  expect(error.error).toMatchObject({ code: 'provider_unavailable', message: expect.stringContaining('is charged') })
  expect(charged).toBeGreaterThan(1_000)
  expect(charged).toBeLessThan(10_000)
})

test('a model by its name is asked alone; a tier has a substitute', async () => {
  fake.reply = ({ body }) => (body.model === 'medium' ? { status: 404 } : { text: 'Yes.' })
  expect((await client.chat.completions.create(ASKED)).model).toBe('spare')
  const named = client.chat.completions.create({ ...ASKED, model: 'medium' })
  await expect(named).rejects.toMatchObject({ status: 503, code: 'provider_unavailable' })
})

test('lists what has a price, and describes each by its name', async () => {
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['budget', 'value', 'best', 'small', 'medium', 'spare', 'svc-hash-384@1'])
  expect(await client.models.retrieve('small')).toMatchObject({
    id: 'small',
    object: 'model',
    input_micros_per_1k_tokens: 120,
  })
  expect((await stack.anonymous.get('/v1/models')).body.data).toEqual(data)
  expect((await stack.anonymous.get('/v1/models/svc-hash-384@1')).body).toMatchObject({ kind: 'embedding' })
  await expect(client.models.retrieve('gpt-9')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
})

const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }

test.each([
  ['an unknown model', { model: 'gpt-9' }, OpenAI.NotFoundError, 'model_not_found', 'model'],
  ['several answers', { n: 2 }, OpenAI.UnprocessableEntityError, 'option_unsupported', 'n'],
  ['an image', { messages: [image] }, OpenAI.UnprocessableEntityError, 'option_unsupported', 'messages[0].content[0]'],
  ['an unknown option', { logit_bias: {} }, OpenAI.BadRequestError, 'unknown_field', 'logit_bias'],
  ['a wrong type', { temperature: 'hot' }, OpenAI.BadRequestError, 'invalid_param', 'temperature'],
  ['too dear an answer', { max_cost_micros: 1_000 }, OpenAI.ConflictError, 'ceiling_exceeded', null],
  [
    'too long a conversation',
    { model: 'best', messages: [{ role: 'user', content: 'x'.repeat(3_000_000) }] },
    OpenAI.UnprocessableEntityError,
    'context_length_exceeded',
    null,
  ],
] as const)('refuses %s in the words of the protocol, for free', async (_, more, Kind, code, param) => {
  const { answered: error } = await spend(() =>
    client.chat.completions.create({ ...ASKED, ...more } as never).catch((failure: unknown) => failure as APIError),
  )
  expect(error).toBeInstanceOf(Kind)
  expect(error).toMatchObject({ code, param, error: { message: expect.any(String) } })
  expect(fake.asked).toEqual([])
})

test('tells a wrong key, a missing one and an empty account apart', async () => {
  const ask = (apiKey: string) =>
    new OpenAI({ baseURL: `${stack.url}/v1`, apiKey, maxRetries: 0 }).chat.completions.create(ASKED)
  await expect(ask('svc_live_00000000000000000000000000000000')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  const poor = await stack.customer(0n)
  await expect(ask(poor.key)).rejects.toMatchObject({ status: 402, code: 'insufficient_quota' })
  const { status, body, headers } = await stack.anonymous.post('/v1/chat/completions', ASKED)
  expect([status, body.code, body.error.code]).toEqual([402, 'PAYMENT_REQUIRED', 'insufficient_quota'])
  expect(body.accepts.length).toBeGreaterThan(0)
  expect(headers.get('payment-required')).toBeTruthy()
})

test('without an account, the client pays by x402 with the fetch that it is given', async () => {
  const payer = await evm.payer(200_000n)
  const pay = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(payer as never)))
  // The client wants a key; what it sends as one is taken away, as its documentation shows.
  const paying = new OpenAI({
    ...{ baseURL: `${stack.url}/v1`, apiKey: 'none', maxRetries: 0, fetch: pay },
    defaultHeaders: { Authorization: null },
  })
  answer({ text: 'The moon.' })
  const whole = await paying.chat.completions.create({ ...ASKED, max_tokens: 500 })
  expect(whole.choices[0]!.message.content).toBe('The moon.')
  answer({ pieces: ['The ', 'sun.'] })
  const stream = await paying.chat.completions.create({ ...ASKED, max_tokens: 500, stream: true })
  const chunks = await Array.fromAsync(stream)
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('The sun.')
  answer({ pieces: ['The ', 'sea.'] })
  const body = JSON.stringify({ ...ASKED, max_tokens: 500, stream: true })
  const headers = { 'content-type': 'application/json' }
  const events = await (await pay(`${stack.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  const [, receipt] = /^: payment-response (\S+)\n\n$/m.exec(events)!
  expect(JSON.parse(Buffer.from(receipt!, 'base64').toString())).toMatchObject({
    success: true,
    payer: payer.address,
    extra: { chargedMicros: expect.stringMatching(/^[1-9]\d*$/), chunkRemainingMicros: expect.any(String) },
    extensions: { 'offer-receipt': expect.any(Object) },
  })
  expect(await evm.balance(payer.address)).toBeLessThan(200_000n)
})
