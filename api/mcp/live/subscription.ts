import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { isObject } from '../../intake/x402/payments.ts'
import type { McpExchange } from '../exchange.ts'
import { CODES, McpError, META } from '../protocol.ts'
import { EventStream } from './event-stream.ts'
import { CallCancelled } from './run.ts'
import { canToolsChange } from './tool-listeners.ts'

/** What clients of earlier revisions accept when they ask for the stream. */
export const EVENTS = 'text/event-stream'

/** The modern era: a request whose answer comes when the process stops; until then its stream has what was subscribed to. */
export async function listenToTools({ context, request, reply, stream, message }: McpExchange): Promise<object> {
  if (!stream)
    throw new McpError(CODES.invalidRequest, 'Subscriptions need Accept: text/event-stream.', { status: 400 })
  const { notifications } = message.params
  if (!isObject(notifications))
    throw new McpError(CODES.invalidParams, 'Invalid params: notifications must be an object.', { status: 400 })
  const meta = { [META.subscriptionId]: message.id }
  const isWanted = canToolsChange(context) && notifications.toolsListChanged === true
  const client = nameClient(request)
  // A client takes a refusal for one only before it is told that it is heard.
  if (isWanted) context.toolListeners.requirePlace(client)
  stream.send({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: meta, notifications: isWanted ? { toolsListChanged: true } : {} },
  })
  if (isWanted) {
    const listening = { stream, meta, client, response: reply.raw }
    if (!(await context.toolListeners.listen(listening))) throw new CallCancelled()
  }
  return { _meta: meta }
}

/** Earlier revisions: a stream of its own, which the client opens after it has begun. */
export async function streamEvents(
  context: ApiContext,
  { request, reply }: { request: IncomingCall; reply: AnswerSink },
): Promise<void> {
  // Clients take this for a server that has no such stream.
  if (!canToolsChange(context)) throw new Problem('METHOD_NOT_ALLOWED', { allowed: ['POST'] })
  const stream = new EventStream(reply)
  await context.toolListeners.listen({ stream, client: nameClient(request), response: reply.raw })
  stream.end(undefined)
}

function nameClient({ caller, ip }: IncomingCall): string {
  return caller?.accountId ?? ip
}
