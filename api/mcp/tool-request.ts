import { Problem } from '#kit'
import { findNearest } from '../../tasks/formats/words/nearest.ts'
import type { Identity, IncomingCall } from '../incoming-call.ts'
import { MAX_PRICE_HEADER } from '../intake/call-handler.ts'
import type { Fields } from './message.ts'
import { describeMissing, readHeaderArguments, type StoredFile, streamBody } from './tool-body.ts'
import type { ToolCall } from './tool-calls.ts'

/** What a message says of its call besides the arguments. */
export interface ToolOptions {
  payment: string | undefined
  idempotencyKey: string | undefined
  maxPriceMicros: string | undefined
  waitSeconds: number | undefined
}

interface Given extends ToolOptions {
  args: Fields
  identity: Identity
  stored: StoredFile | undefined
}

/**
 * The request that the same call would be over REST: the HTTP request that brought the message, with another address and
 * body. What comes after it cannot tell the two apart.
 */
export function makeToolRequest(request: IncomingCall, tool: ToolCall, given: Given): IncomingCall {
  const { entry, isOperation, auth } = tool
  const { params, query, headers, body } = splitArguments(tool, given)
  const { name, summary } = entry
  const { caller, payment } = given.identity
  // Written out, because an object that has the request as its prototype is several times slower.
  return Object.freeze({
    id: request.id,
    log: request.log,
    ip: request.ip,
    raw: request.raw,
    server: request.server,
    protocol: request.protocol,
    method: entry.method,
    url: makeAddress(entry.path, params, query),
    headers: { ...makeHeaders(request, given), ...headers },
    params,
    query,
    body,
    caller,
    payment,
    isTool: true,
    routeOptions: { config: { entry: name, summary, auth, isOperation } },
  })
}

/** What the transport says of its own body is not said of the call. */
function makeHeaders({ headers }: IncomingCall, options: ToolOptions): IncomingCall['headers'] {
  const { payment, idempotencyKey, maxPriceMicros, waitSeconds } = options
  const inner: IncomingCall['headers'] = { ...headers, 'content-type': 'application/json' }
  inner.accept = undefined
  inner['accept-encoding'] = undefined
  inner['if-none-match'] = undefined
  if (payment !== undefined) inner['payment-signature'] = payment
  if (idempotencyKey !== undefined) inner['idempotency-key'] = idempotencyKey
  if (maxPriceMicros !== undefined) inner[MAX_PRICE_HEADER] = maxPriceMicros
  if (waitSeconds !== undefined) inner.prefer ??= `wait=${waitSeconds}`
  return inner
}

/** A tool has one list of arguments; over REST they are in the path, the query, the headers and the body. */
function splitArguments({ entry, inPath, inQuery, inHeaders, hasWildcard }: ToolCall, { args, stored }: Given) {
  if (inPath.length + inQuery.size + inHeaders.size === 0 && entry.body && !entry.streamBody) {
    return { params: {}, query: {}, headers: {}, body: args }
  }
  const named = Object.entries(args)
  const params = Object.fromEntries(named.filter(([name]) => inPath.includes(name)))
  const missing = inPath.find(name => params[name] === undefined)
  if (missing !== undefined) throw new Problem('MISSING_FIELD', describeMissing(entry, missing))
  if (hasWildcard) params['*'] = params.key
  const rest = named.filter(([name]) => !inPath.includes(name))
  const query = Object.fromEntries(rest.filter(([name]) => inQuery.has(name)))
  const headers = readHeaderArguments(inHeaders, args)
  const others = Object.fromEntries(rest.filter(([name]) => !inQuery.has(name) && !inHeaders.has(name)))
  const allowed = [...inPath, ...inQuery, ...inHeaders.keys()]
  if (entry.streamBody) {
    const { body, ...about } = streamBody(entry, others, { allowed, stored })
    return { params, query, headers: { ...headers, ...about }, body }
  }
  if (entry.body) return { params, query, headers, body: others }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    const near = findNearest(unknown, allowed)
    throw new Problem('UNKNOWN_FIELD', { field: unknown, allowed, ...(near && { didYouMean: near }) })
  }
  return { params, query, headers, body: undefined }
}

function makeAddress(path: string, params: Fields, query: Fields): string {
  const filled = path.includes('{')
    ? path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name])))
    : path
  const given = Object.entries(query).map(([name, value]) => [name, String(value)])
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled
}
