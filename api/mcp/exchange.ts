import type { FastifyReply } from 'fastify'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import type { Era } from './era.ts'
import type { Message } from './message.ts'
import type { ToolCall } from './tool-calls.ts'

/** One message of a client, with everything that answers it. */
export interface McpExchange {
  context: ApiContext
  tools: ReadonlyMap<string, ToolCall>
  /** Whether the client asked at the address that lists every tool. */
  isFull: boolean
  message: Message
  era: Era
  request: IncomingCall
  reply: FastifyReply
}
