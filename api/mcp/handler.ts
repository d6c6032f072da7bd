import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuthMode, Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import { jsonBody } from '../intake/body/json.ts'
import { countCall, toCall } from '../intake/identity/identify.ts'
import { readEra } from './era.ts'
import type { McpExchange } from './exchange.ts'
import { answerError, replyFailure } from './failure.ts'
import { acceptsEvents, EventStream } from './live/event-stream.ts'
import { isAnswer, takeAnswer } from './live/open-calls.ts'
import { CallCancelled } from './live/run.ts'
import { readSession } from './live/session.ts'
import { streamEvents } from './live/subscription.ts'
import { canToolsChange } from './live/tool-listeners.ts'
import { idOf, readMessage } from './message.ts'
import { performMethod } from './methods.ts'
import { requireAllowed } from './origin.ts'
import { CODES, McpError, META, UNNAMED_VERSION } from './protocol.ts'
import { indexToolCalls } from './tool-calls.ts'

// Decision 0085: answer MCP with our own handler.

const AUTH: readonly AuthMode[] = ['none', 'key', 'wallet', 'x402']
const JSON_TYPE = 'application/json; charset=utf-8'
/** The one revision with batches names no limit. */
const MAX_BATCH = 20

/** MCP over HTTP: each POST is answered with one JSON document, or with events if something is told before the result. */
export function registerMcp(app: FastifyInstance, context: ApiContext): void {
  indexToolCalls(context)
  for (const [url, list] of [
    ['/mcp', 'featured'],
    ['/mcp/full', 'full'],
    ['/mcp/few', 'few'],
  ] as const) {
    app.route({
      method: 'POST',
      url,
      config: { entry: 'mcp', summary: 'MCP', auth: AUTH, takesKeyInQuery: true, resource: url },
      onRequest: async request => requireAllowed(context, request),
      errorHandler: (error, request, reply) => void replyFailure(error, request, reply),
      handler: (request, reply) =>
        answerPost({ context, tools: indexToolCalls(context), list, request: toCall(request), reply }),
    })
    // The full list is also a document, whose route answers there.
    if (list === 'full' || !canToolsChange(context)) continue
    app.route({
      method: 'GET',
      url,
      config: { entry: 'mcp events', summary: 'MCP: tells when the tools change.', auth: AUTH, takesKeyInQuery: true },
      onRequest: async request => requireAllowed(context, request),
      handler: async (request, reply) => {
        await streamEvents(context, { request: toCall(request), reply })
        return reply
      },
    })
  }
}

type Post = Pick<McpExchange, 'context' | 'tools' | 'list' | 'request' | 'reply'>

async function answerPost(post: Post): Promise<FastifyReply> {
  const { request, reply } = post
  reply.header('cache-control', 'no-store')
  const body = jsonBody(request)
  if (body === undefined) throw new Problem('EMPTY_BODY')
  if (Array.isArray(body)) return answerBatch(post, body)
  const stream = acceptsEvents(request.headers.accept) ? new EventStream(reply) : undefined
  const text = await answerMessage({ ...post, stream }, body)
  if (stream?.hasStarted) {
    stream.end(text)
    return reply
  }
  return text === undefined ? reply.code(202).send() : reply.type(JSON_TYPE).send(text)
}

type Connection = Post & Pick<McpExchange, 'stream'>

/** The answer to one message as JSON; undefined for a notification, an answer, and a request that was taken back. */
async function answerMessage(post: Connection, body: unknown): Promise<string | undefined> {
  const { context, request } = post
  try {
    const session = readSession(context.config.secret, request.headers)
    if (session && isAnswer(body)) return void (await takeAnswer(context.openCalls, session, body))
    const message = readMessage(body)
    const era = readEra(message, request.headers)
    return await answerRequest({ ...post, message, era, session })
  } catch (error) {
    if (error instanceof CallCancelled) return undefined
    return answerError(error, idOf(body), post.reply)
  }
}

async function answerRequest(exchange: McpExchange): Promise<string | undefined> {
  const { context, message, session } = exchange
  if (message.id === undefined) {
    if (session && message.method === 'notifications/cancelled')
      await context.openCalls.cancel(session, message.params.requestId)
    return undefined
  }
  const result = await performMethod(exchange)
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${text}}`
}

const OF_ONE_CALL = [
  'x-service-charged-micros',
  'x-service-original-charged-micros',
  'x-service-job-id',
  'idempotency-replayed',
]

/** What one message of a batch was charged. The answer as a whole has no header of a single call. */
function takeCharge(reply: FastifyReply): bigint | undefined {
  const charged = reply.getHeader('x-service-charged-micros')
  for (const name of OF_ONE_CALL) reply.removeHeader(name)
  return charged === undefined ? undefined : BigInt(String(charged))
}

function requireBatch(headers: FastifyRequest['headers'], messages: number): void {
  const version = headers['mcp-protocol-version'] ?? UNNAMED_VERSION
  if (version !== UNNAMED_VERSION || messages === 0 || messages > MAX_BATCH) {
    throw new McpError(
      CODES.invalidRequest,
      `Batches are only of the protocol version ${UNNAMED_VERSION}, and have 1 to ${MAX_BATCH} messages; send one message.`,
      { status: 400 },
    )
  }
  if (headers['idempotency-key'] !== undefined && messages > 1) {
    const text = `A batch takes no Idempotency-Key header; give each message its own as ${META.idempotencyKey} in _meta.`
    throw new McpError(CODES.invalidRequest, text, { status: 400 })
  }
}

/** Only the revision 2025-03-26 has batches. Each message counts as a call; they are answered one after the other. */
async function answerBatch(post: Post, batch: readonly unknown[]): Promise<FastifyReply> {
  const { request, reply } = post
  requireBatch(request.headers, batch.length)
  for (const _further of batch.slice(1)) countCall(post.context, request, reply, request.caller)
  const answers: string[] = []
  let chargedMicros: bigint | undefined
  for (const body of batch) {
    const text = await answerMessage({ ...post, stream: undefined }, body)
    if (text !== undefined) answers.push(text)
    const charge = takeCharge(reply)
    if (charge !== undefined) chargedMicros = (chargedMicros ?? 0n) + charge
  }
  if (chargedMicros !== undefined) reply.header('x-service-charged-micros', String(chargedMicros))
  return answers.length === 0
    ? reply.code(202).send()
    : reply
        .code(200)
        .type(JSON_TYPE)
        .send(`[${answers.join(',')}]`)
}
