import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelConfig } from '../../../ops/providers/llm/settings.ts'
import { describeConverse, readConverse, sendFrames } from './bedrock-models.ts'
import type { FakeCall, ModelReply, PiecesReply, TextReply } from './model-replies.ts'

export interface AskedModel {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown> & { model: string }
  system: string
  user: string
}

/** Answers as the providers of language models do, and fails as they do. */
export interface FakeLanguageModels extends AsyncDisposable {
  asked: AskedModel[]
  /** Gives the answer to each request. */
  reply: (asked: AskedModel) => ModelReply
  config(provider: LanguageModelConfig['provider'], more?: Partial<LanguageModelConfig>): LanguageModelConfig
  /** The variables by which a stack uses it. */
  env: Record<string, string>
}

export const FAKE_KEY = 'key-of-the-tests'

export async function openFakeLanguageModels(): Promise<FakeLanguageModels> {
  const asked: AskedModel[] = []
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const fake: FakeLanguageModels = {
    asked,
    reply: () => ({ text: '{}' }),
    config: (provider, more) => {
      const tier = (model: string) => ({ model, input: 1, output: 5, cachedInput: 0.5 })
      const tiers = { budget: tier('small'), value: tier('medium'), best: tier('large') }
      return { provider, url, apiKey: FAKE_KEY, tiers, markupPct: 20, ...more }
    },
    env: { LLM_PROVIDER: 'openai', LLM_URL: url, LLM_API_KEY: FAKE_KEY, LLM_VALUE: 'medium 1 5', LLM_MARKUP_PCT: '20' },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks).toString()
    const path = request.url!
    const isBedrock = path.includes('/model/')
    const body = (isBedrock ? readConverse(path, sent) : JSON.parse(sent)) as AskedModel['body']
    const one = { path, headers: request.headers, body, ...readTexts(body) }
    asked.push(one)
    send(response, fake.reply(one), isBedrock ? CONVERSE : path.endsWith('/messages') ? MESSAGES : CHAT)
  }
  return fake
}

/** What its rules and its user say. */
function readTexts({ messages, system }: AskedModel['body']): { system: string; user: string } {
  const listed = messages as { role: string; content: unknown }[]
  const find = (role: string) => listed.find(message => message.role === role)?.content
  const read = (content: unknown) => String(Array.isArray(content) ? content[0]?.text : content)
  return { system: read(find('system') ?? system), user: read(find('user')) }
}

/** How an API writes its answers. */
interface Wire {
  describe(reply: TextReply): object
  sendPieces(response: ServerResponse, reply: PiecesReply): void
}

const CHAT: Wire = {
  describe: reply => describeChat(reply),
  sendPieces: (response, reply) => sendPieces(response, reply, false),
}
const MESSAGES: Wire = {
  describe: reply => describeMessage(reply),
  sendPieces: (response, reply) => sendPieces(response, reply, true),
}
const CONVERSE: Wire = { describe: describeConverse, sendPieces: sendFrames }

function send(response: ServerResponse, reply: ModelReply, wire: Wire): void {
  if ('isSilent' in reply) return
  if ('isCutOff' in reply) {
    response.writeHead(200, { 'content-length': 1000 }).write('{"choices":')
    response.destroy()
    return
  }
  if ('pieces' in reply) {
    wire.sendPieces(response, reply)
    return
  }
  if ('raw' in reply) return void response.end(reply.raw)
  if ('status' in reply)
    return void response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body ?? { error: 'fails' }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wire.describe(reply)))
}

function sendPieces(response: ServerResponse, reply: PiecesReply, isAnthropic: boolean): void {
  const { pieces, isWhole = true, isHanging = false, input = 100, calls = [] } = reply
  const write = (data: unknown) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (isAnthropic) write({ type: 'message_start', message: { usage: { input_tokens: input, output_tokens: 1 } } })
  for (const text of pieces)
    write(
      isAnthropic
        ? { type: 'content_block_delta', delta: { type: 'text_delta', text } }
        : { choices: [{ index: 0, delta: { content: text }, finish_reason: null }] },
    )
  const describeCall = isAnthropic ? describeBlock : describeParts
  for (const event of calls.flatMap(describeCall)) write(event)
  if (isHanging) return
  if (!isWhole) return void setTimeout(() => response.destroy(), 20)
  for (const event of isAnthropic ? endMessage(reply) : endChat(reply)) write(event)
  response.end()
}

function endMessage({ end, output = 20 }: PiecesReply): unknown[] {
  const reason = end === undefined ? 'end_turn' : REASONS[end]
  const delta = { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: output } }
  return [delta, { type: 'message_stop' }]
}

function endChat({ end, calls, input = 100, output = 20 }: PiecesReply): unknown[] {
  const reason = end === 'refused' ? 'content_filter' : (end ?? (calls ? 'tool_calls' : 'stop'))
  const counted = { choices: [], usage: { prompt_tokens: input, completion_tokens: output } }
  return [{ choices: [{ index: 0, delta: {}, finish_reason: reason }] }, counted, '[DONE]']
}

const REASONS = { stop: 'tool_use', length: 'max_tokens', refused: 'refusal' }

/** The arguments come in two parts. */
function describeParts({ id, name, arguments: written }: FakeCall, index: number): object[] {
  const half = Math.ceil(written.length / 2)
  const called = { index, id, type: 'function', function: { name, arguments: written.slice(0, half) } }
  const rest = { index, function: { arguments: written.slice(half) } }
  return [called, rest].map(part => ({ choices: [{ index: 0, delta: { tool_calls: [part] }, finish_reason: null }] }))
}

/** After a block of text. */
function describeBlock({ id, name, arguments: written }: FakeCall, index: number): object[] {
  const half = Math.ceil(written.length / 2)
  const begin = {
    type: 'content_block_start',
    index: index + 1,
    content_block: { type: 'tool_use', id, name, input: {} },
  }
  const parts = [written.slice(0, half), written.slice(half)].map(text => ({
    ...{ type: 'content_block_delta', index: index + 1, delta: { type: 'input_json_delta', partial_json: text } },
  }))
  return [begin, ...parts]
}

function describeChat({ text, input = 100, output = 20, end = 'stop', cached = 0, calls }: TextReply): object {
  const toolCalls = calls?.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  const plain = { content: text, ...(toolCalls && { tool_calls: toolCalls }) }
  const message = end === 'refused' ? { role: 'assistant', content: null, refusal: text } : plain
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', usage },
    choices: [{ index: 0, message, finish_reason: end === 'refused' ? 'stop' : end }],
  }
}

function describeMessage({ text, input = 100, output = 20, end = 'stop', cached = 0, calls }: TextReply): object {
  const used = calls?.map(({ id, name, arguments: written }) => ({
    ...{ type: 'tool_use', id, name, input: JSON.parse(written) as unknown },
  }))
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', stop_reason: REASONS[end] },
    content: isJson(text)
      ? [
          { type: 'text', text: 'I answer now.' },
          { type: 'tool_use', id: 'toolu_1', name: 'answer', input: JSON.parse(text) as unknown },
        ]
      : [{ type: 'text', text }, ...(used ?? [])],
    usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output },
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
