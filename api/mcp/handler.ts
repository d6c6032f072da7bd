import type { FastifyInstance, FastifyReply } from 'fastify'
import { type AuthMode, Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import { jsonBody } from '../intake/body/json.ts'
import { countCall, toCall } from '../intake/identity/identify.ts'
import { type Era, readEra } from './era.ts'
import { answerError, replyFailure } from './failure.ts'
import { idOf, type Message, readMessage } from './message.ts'
import { performMethod } from './methods.ts'
import { requireAllowed } from './origin.ts'
import { CODES, McpError, UNNAMED_VERSION } from './protocol.ts'
import { indexToolCalls, type ToolCall } from './tool-calls.ts'

// Decision 0085: answer MCP with our own handler.

const AUTH: readonly AuthMode[] = ['none', 'key', 'wallet', 'x402']
const JSON_TYPE = 'application/json; charset=utf-8'
/** The one revision with batches names no limit. */
const MAX_BATCH = 20

/** MCP over HTTP, without sessions and streams: each POST is answered with one JSON document. */
export function registerMcp(app: FastifyInstance, context: ApiContext): void {
  indexToolCalls(context)
  for (const [url, isFull] of [
    ['/mcp', false],
    ['/mcp/full', true],
  ] as const) {
    app.route({
      method: 'POST',
      url,
      config: { entry: 'mcp', summary: 'MCP', auth: AUTH, takesKeyInQuery: true, resource: url },
      onRequest: async request => requireAllowed(context, request),
      errorHandler: (error, request, reply) => void replyFailure(error, request, reply),
      handler: (request, reply) =>
        answerPost({ context, tools: indexToolCalls(context), isFull, request: toCall(request), reply }),
    })
  }
}

interface Post {
  context: ApiContext
  tools: ReadonlyMap<string, ToolCall>
  isFull: boolean
  request: IncomingCall
  reply: FastifyReply
}

async function answerPost(post: Post): Promise<FastifyReply> {
  const { request, reply } = post
  reply.header('cache-control', 'no-store')
  const body = jsonBody(request)
  if (body === undefined) throw new Problem('EMPTY_BODY')
  if (Array.isArray(body)) return answerBatch(post, body)
  const text = await answerMessage(post, body)
  return text === undefined ? reply.code(202).send() : reply.type(JSON_TYPE).send(text)
}

/** The answer to one message as JSON; undefined for a notification. */
async function answerMessage(post: Post, body: unknown): Promise<string | undefined> {
  try {
    const message = readMessage(body)
    const era = readEra(message, post.request.headers)
    return await answerRequest(post, message, era)
  } catch (error) {
    return answerError(error, idOf(body), post.reply)
  }
}

async function answerRequest(post: Post, message: Message, era: Era): Promise<string | undefined> {
  if (message.id === undefined) return undefined
  const result = await performMethod({ ...post, message, era })
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${text}}`
}

/** Only the revision 2025-03-26 has batches. Each message counts as a call; they are answered one after the other. */
async function answerBatch(post: Post, batch: readonly unknown[]): Promise<FastifyReply> {
  const { request, reply } = post
  const version = request.headers['mcp-protocol-version'] ?? UNNAMED_VERSION
  if (version !== UNNAMED_VERSION || batch.length === 0 || batch.length > MAX_BATCH) {
    throw new McpError(
      CODES.invalidRequest,
      `The body must be one message, or ${UNNAMED_VERSION} and 1 to ${MAX_BATCH}.`,
      {
        status: 400,
      },
    )
  }
  for (const _further of batch.slice(1)) countCall(post.context, request, reply, request.caller)
  const answers: string[] = []
  for (const body of batch) {
    const text = await answerMessage(post, body)
    if (text !== undefined) answers.push(text)
  }
  return answers.length === 0
    ? reply.code(202).send()
    : reply
        .code(200)
        .type(JSON_TYPE)
        .send(`[${answers.join(',')}]`)
}
