import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const PROVIDER_FAULTS = [
  'stalls',
  'dies in mid answer',
  'answers half a JSON',
  'lies about usage',
  'answers 429',
  'answers 500',
] as const
type ProviderState = (typeof PROVIDER_FAULTS)[number] | 'works'

/** A provider of language models that speaks the protocol of OpenAI, and fails as providers do. */
export interface ModelProvider extends AsyncDisposable {
  env: Record<string, string>
  state: ProviderState
}

const WORDS = 'The tide comes twice a day and goes as often.'.split(' ')
const USAGE = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 }
const LIE = { prompt_tokens: 900_000_000, completion_tokens: 900_000_000, total_tokens: 1_800_000_000 }

export async function openModelProvider(host = '127.0.0.1'): Promise<ModelProvider> {
  const server = createServer((request, response) => {
    void readBody(request).then(({ stream }) => answer(response, provider.state, stream === true))
  })
  server.listen(0, host)
  await once(server, 'listening')
  const url = `http://${host}:${(server.address() as AddressInfo).port}/v1`
  const provider: ModelProvider = {
    env: { LLM_PROVIDER: 'openai', LLM_URL: url, LLM_API_KEY: 'chaos', LLM_VALUE: 'medium 1 5' },
    state: 'works',
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return provider
}

async function readBody(request: IncomingMessage): Promise<{ stream?: boolean }> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean }
}

function answer(response: ServerResponse, state: ProviderState, isStream: boolean): void {
  if (state === 'stalls') return
  if (state === 'answers 429' || state === 'answers 500') {
    const status = state === 'answers 429' ? 429 : 500
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"not now"}}')
  } else if (isStream) writeStream(response, state)
  else writeWhole(response, state)
}

function writeWhole(response: ServerResponse, state: ProviderState): void {
  const message = { role: 'assistant', content: WORDS.join(' ') }
  const usage = state === 'lies about usage' ? LIE : USAGE
  const text = JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 0, model: 'medium', usage },
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  })
  const half = text.slice(0, text.length / 2)
  response.setHeader('content-type', 'application/json')
  if (state === 'answers half a JSON') response.end(half)
  else if (state === 'dies in mid answer') {
    response.setHeader('content-length', text.length)
    response.write(half, () => response.destroy())
  } else response.end(text)
}

function writeStream(response: ServerResponse, state: ProviderState): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (fields: object) =>
    response.write(`data: ${JSON.stringify({ id: 'c', model: 'medium', ...fields })}\n\n`)
  const chunk = (delta: object, finish: string | null) =>
    write({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })
  for (const word of WORDS.slice(0, WORDS.length / 2)) chunk({ content: `${word} ` }, null)
  if (state === 'dies in mid answer') return void setImmediate(() => response.destroy())
  if (state === 'answers half a JSON') return void response.end('data: {"choices": [{"delta": {"cont')
  for (const word of WORDS.slice(WORDS.length / 2)) chunk({ content: `${word} ` }, null)
  chunk({}, 'stop')
  write({ choices: [], usage: state === 'lies about usage' ? LIE : USAGE })
  response.end('data: [DONE]\n\n')
}
