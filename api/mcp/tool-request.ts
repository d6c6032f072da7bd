import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import { rememberFingerprint } from '../intake/body/receive.ts'
import type { Identity } from '../intake/identity/identify.ts'
import type { Fields } from './message.ts'
import type { ToolCall } from './tool-calls.ts'

interface Given {
  args: Fields
  identity: Identity
  payment: string | undefined
  idempotencyKey: string | undefined
}

/**
 * The request that the same call would be over REST: the HTTP request that brought the message, with another address and
 * body. What comes after it cannot tell the two apart.
 */
export function makeToolRequest(request: FastifyRequest, tool: ToolCall, given: Given): FastifyRequest {
  const { entry, isOperation, auth } = tool
  const { params, query, body } = splitArguments(tool, given.args)
  const { name, summary } = entry
  const { caller, payment } = given.identity
  // Written out, because an object that has the request as its prototype is several times slower.
  const inner = {
    id: request.id,
    log: request.log,
    ip: request.ip,
    raw: request.raw,
    server: request.server,
    protocol: request.protocol,
    method: entry.method,
    url: makeAddress(entry.path, params, query),
    headers: makeHeaders(request, given),
    params,
    query,
    body,
    caller,
    payment,
    routeOptions: { config: { entry: name, summary, auth, isOperation } },
  } as unknown as FastifyRequest
  rememberFingerprint(inner, body)
  return inner
}

/** What the transport says of its own body is not said of the call. */
function makeHeaders({ headers }: FastifyRequest, { payment, idempotencyKey }: Given): FastifyRequest['headers'] {
  const inner: FastifyRequest['headers'] = { ...headers, 'content-type': 'application/json' }
  inner.accept = undefined
  inner['accept-encoding'] = undefined
  inner['if-none-match'] = undefined
  if (payment !== undefined) inner['payment-signature'] = payment
  if (idempotencyKey !== undefined) inner['idempotency-key'] = idempotencyKey
  return inner
}

/** A tool has one list of arguments; over REST they are in the path, the query and the body. */
function splitArguments({ entry, inPath, inQuery, hasWildcard }: ToolCall, args: Fields) {
  if (inPath.length === 0 && inQuery.size === 0 && entry.body) return { params: {}, query: {}, body: args }
  const named = Object.entries(args)
  const params = Object.fromEntries(named.filter(([name]) => inPath.includes(name)))
  const missing = inPath.find(name => params[name] === undefined)
  if (missing !== undefined) throw new Problem('MISSING_FIELD', { field: missing })
  if (hasWildcard) params['*'] = params.key
  const rest = named.filter(([name]) => !inPath.includes(name))
  const query = Object.fromEntries(rest.filter(([name]) => inQuery.has(name)))
  const others = Object.fromEntries(rest.filter(([name]) => !inQuery.has(name)))
  if (entry.body) return { params, query, body: others }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: unknown, allowed: [...inPath, ...inQuery] })
  return { params, query, body: undefined }
}

function makeAddress(path: string, params: Fields, query: Fields): string {
  const filled = path.includes('{')
    ? path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name])))
    : path
  const given = Object.entries(query).map(([name, value]) => [name, String(value)])
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled
}

/** Takes what a route would reply over HTTP: its headers, and its body if it sends one itself. */
export class ToolReply {
  readonly headers = new Map<string, unknown>()
  statusCode = 200
  sent = false
  payload: unknown

  header(name: string, value: unknown): this {
    this.headers.set(name.toLowerCase(), value)
    return this
  }

  getHeader(name: string): unknown {
    return this.headers.get(name.toLowerCase())
  }

  hasHeader(name: string): boolean {
    return this.headers.has(name.toLowerCase())
  }

  type(contentType: string): this {
    return this.header('content-type', contentType)
  }

  code(statusCode: number): this {
    this.statusCode = statusCode
    return this
  }

  send(payload?: unknown): this {
    this.sent = true
    this.payload = payload
    return this
  }

  /** Routes know replies of Fastify; these are the members of it that they use. */
  asFastifyReply(): FastifyReply {
    return this as unknown as FastifyReply
  }
}
