import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { fieldEntries, Problem } from '#kit'
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
  const headers = makeHeaders(request, given)
  const { name, summary } = entry
  const { caller, payment } = given.identity
  const inner: FastifyRequest = Object.create(request, {
    ...ownValue('method', entry.method),
    ...ownValue('url', makeAddress(entry.path, params, query)),
    ...ownValue('headers', headers),
    ...ownValue('params', params),
    ...ownValue('query', query),
    ...ownValue('body', body),
    ...ownValue('caller', caller),
    ...ownValue('payment', payment),
    ...ownValue('routeOptions', { config: { entry: name, summary, auth, isOperation } }),
  })
  rememberFingerprint(inner, body)
  return inner
}

function ownValue(name: string, value: unknown): PropertyDescriptorMap {
  return { [name]: { value, writable: true, enumerable: true } }
}

/** What the transport says of its own body is not said of the call. */
function makeHeaders({ headers }: FastifyRequest, { payment, idempotencyKey }: Given): FastifyRequest['headers'] {
  const { accept: _accept, 'accept-encoding': _encoding, 'if-none-match': _etag, ...others } = headers
  return {
    ...others,
    'content-type': 'application/json',
    ...(payment !== undefined && { 'payment-signature': payment }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

/** A tool has one list of arguments; over REST they are in the path, the query and the body. */
function splitArguments(tool: ToolCall, args: Fields): { params: Fields; query: Fields; body: unknown } {
  const { entry } = tool
  const inPath = new Set([...entry.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!))
  const inQuery = namesOf(entry.query)
  const named = Object.entries(args)
  const params = Object.fromEntries(named.filter(([name]) => inPath.has(name)))
  const missing = [...inPath].find(name => params[name] === undefined)
  if (missing !== undefined) throw new Problem('MISSING_FIELD', { field: missing })
  if (tool.kind === 'route' && tool.route.at.endsWith('/*')) params['*'] = params.key
  const rest = named.filter(([name]) => !inPath.has(name))
  if (!entry.body) {
    const [unknown] = rest.find(([name]) => !inQuery.has(name)) ?? []
    if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: unknown, allowed: [...inQuery] })
    return { params, query: Object.fromEntries(rest), body: undefined }
  }
  return {
    params,
    query: Object.fromEntries(rest.filter(([name]) => inQuery.has(name))),
    body: Object.fromEntries(rest.filter(([name]) => !inQuery.has(name))),
  }
}

function namesOf(schema: TSchema | undefined): Set<string> {
  return new Set(schema ? fieldEntries(schema).map(([name]) => name) : [])
}

function makeAddress(path: string, params: Fields, query: Fields): string {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name])))
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
