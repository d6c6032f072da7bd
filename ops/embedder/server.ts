import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Embedded } from '../../pools/tools/embedding/engine.ts'

interface ServerOptions {
  host: string
  port: number
  model: string
  apiKey?: string | undefined
  /** Throws Unavailable when the model does not work. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

/** Answers as the embeddings of OpenAI do, so that any client of those can call it. */
export async function openEmbeddingServer(options: ServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response, options))
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const MAX_BODY_BYTES = 4 * 2 ** 20
const MAX_TEXTS = 256

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  const aborted = new AbortController()
  response.on('close', () => aborted.abort())
  const [status, body] = await route(request, options, aborted.signal).then(
    found => [200, found] as const,
    (error: Error) => {
      const code = error instanceof Refusal ? error.status : 503
      const type = code < 500 ? 'invalid_request_error' : 'server_error'
      return [code, { error: { message: error.message, type } }] as const
    },
  )
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function route(request: IncomingMessage, options: ServerOptions, signal: AbortSignal): Promise<object> {
  const { method, url = '/' } = request
  checkKey(request, options.apiKey)
  if (method === 'GET' && url === '/v1/models')
    return { object: 'list', data: [{ id: options.model, object: 'model', owned_by: 'local' }] }
  if (method !== 'POST' || url !== '/v1/embeddings') throw new Refusal(404, `There is no ${method} ${url}.`)
  const { input, isBase64 } = readBody(await receive(request), options.model)
  const embedded = await options.embed(input, signal)
  if ('tooLong' in embedded) {
    const { index, tokens, maxTokens } = embedded.tooLong
    throw new Refusal(400, `Text ${index} has ${tokens} tokens, and the model takes ${maxTokens}.`)
  }
  const usage = { prompt_tokens: embedded.tokens, total_tokens: embedded.tokens }
  const data = embedded.vectors.map((vector, index) => ({
    ...{ object: 'embedding', index },
    embedding: isBase64 ? encodeFloats(vector) : Array.from(vector),
  }))
  return { object: 'list', model: options.model, data, usage }
}

function encodeFloats({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

function checkKey({ headers }: IncomingMessage, apiKey: string | undefined): void {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (apiKey === undefined) return
  if (!timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${apiKey}`)))
    throw new Refusal(401, 'The key of this server is missing or wrong.')
}

async function receive(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > MAX_BODY_BYTES) throw new Refusal(413, `The body has more than ${MAX_BODY_BYTES} bytes.`)
    chunks.push(chunk as Buffer)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new Refusal(400, 'The body is not JSON.')
  }
}

const FIELDS = ['model', 'input', 'encoding_format', 'user']

function readBody(body: unknown, name: string): { input: string[]; isBase64: boolean } {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const unknown = Object.keys(fields).find(field => !FIELDS.includes(field))
  if (unknown) throw new Refusal(400, `The model has no option ${unknown}.`)
  const { model, encoding_format: format = 'float' } = fields
  if (model !== name) throw new Refusal(404, `The model here is ${name}.`)
  if (format !== 'float' && format !== 'base64') throw new Refusal(400, 'encoding_format is float or base64.')
  const input = typeof fields.input === 'string' ? [fields.input] : fields.input
  const isValid =
    Array.isArray(input) &&
    input.length > 0 &&
    input.length <= MAX_TEXTS &&
    input.every(text => typeof text === 'string' && text !== '')
  if (!isValid) throw new Refusal(400, `input is a text or a list of 1 to ${MAX_TEXTS} texts, none of them empty.`)
  return { input: input as string[], isBase64: format === 'base64' }
}
