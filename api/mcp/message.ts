import { isObject } from '../intake/x402/payments.ts'
import { CODES, McpError } from './protocol.ts'

export type Fields = Record<string, unknown>

/** A request, or without an id a notification. */
export interface Message {
  id: string | number | undefined
  method: string
  params: Fields
}

/** The id of whatever was sent, for an error about it. */
export function idOf(body: unknown): string | number | null {
  const id = isObject(body) ? body.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

export function readMessage(body: unknown): Message {
  if (!isObject(body) || body.jsonrpc !== '2.0') throw invalidRequest('The body must be one JSON-RPC 2.0 message.')
  const { method, params = {}, id } = body
  if (typeof method !== 'string') throw invalidRequest('The message has no method; this server sends no requests.')
  if (!isObject(params)) throw new McpError(CODES.invalidParams, 'params must be an object.', { status: 400 })
  if (id !== undefined && typeof id !== 'string' && !Number.isFinite(id)) {
    throw invalidRequest('The id must be a string or a number.')
  }
  return { id: id as string | number | undefined, method, params }
}

function invalidRequest(message: string): McpError {
  return new McpError(CODES.invalidRequest, message, { status: 400 })
}

export function metaOf({ params }: Pick<Message, 'params'>): Fields {
  return isObject(params._meta) ? params._meta : {}
}
