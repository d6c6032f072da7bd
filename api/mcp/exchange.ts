import type { FastifyReply } from 'fastify'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import type { Era } from './era.ts'
import type { EventStream } from './live/event-stream.ts'
import type { Session } from './live/session.ts'
import type { Message } from './message.ts'
import type { ToolCall } from './tool-calls.ts'
import type { ToolListName } from './tool-list.ts'

/** One message of a client, with everything that answers it. */
export interface McpExchange {
  context: ApiContext
  tools: ReadonlyMap<string, ToolCall>
  /** Which tools are listed at the address at which the client asked. */
  list: ToolListName
  message: Message
  era: Era
  /** Undefined for a client that did not begin with `initialize`, or did not send the id that it got then. */
  session: Session | undefined
  /** Takes messages before the result; undefined if the client takes none. */
  stream: EventStream | undefined
  request: IncomingCall
  reply: FastifyReply
}
