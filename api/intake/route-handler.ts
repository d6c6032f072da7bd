import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '#kit'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import type { Address, IncomingCall } from '../incoming-call.ts'
import { requireScopeOf } from '../oauth/scopes.ts'
import { drain } from './body/drain.ts'
import { jsonBody } from './body/json.ts'
import { decodeHeader } from './header-text.ts'
import type { Caller } from './identity/caller.ts'
import { carriesPayment, toCall } from './identity/identify.ts'
import type { AnswerSink } from './reply/sink.ts'
import { rejectUnknownQuery, validate, validateText } from './validate.ts'

/** The path of a call on a route that costs nothing: its schemas, its caller, its own work, its answer. */
export function routeHandler(context: ApiContext, route: NamedRoute) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // What belongs to an account must not be kept by a cache on the way.
    if (!route.auth.includes('none')) reply.header('cache-control', 'no-store')
    const answer = await performRoute(context, route, toCall(request), reply).catch((error: unknown) => {
      if (route.streamBody) drain(request.raw)
      throw error
    })
    return answer === undefined || reply.sent ? reply : send(reply, route, answer)
  }
}

/** What the route answers, whatever the protocol; undefined if its handler has replied itself. */
export async function performRoute(
  context: ApiContext,
  route: NamedRoute,
  request: IncomingCall,
  reply: AnswerSink,
): Promise<unknown> {
  const address = readAddress(route, request)
  const body = readBody(request, route)
  const caller = route.auth.includes('none') ? request.caller : requireCaller(request, route)
  return route.handle(
    { ...address, caller: caller!, body, request, reply, job: undefined, content: undefined },
    context,
  )
}

/** Where wallets pay, a route that they may use offers to sign in with one. */
function requireCaller(request: IncomingCall, route: NamedRoute): Caller {
  if (route.auth.includes('session')) return requireSession(request)
  const { caller } = request
  if (caller) {
    requireScopeOf(route, caller)
    if (!isAccepted(route, caller)) throw new Problem('FORBIDDEN')
    return caller
  }
  if (carriesPayment(request) && route.errors.includes('X402_NOT_APPLICABLE')) throw new Problem('X402_NOT_APPLICABLE')
  throw new Problem(request.server.offers && route.auth.includes('wallet') ? 'SIGN_IN_REQUIRED' : 'MISSING_AUTH')
}

/**
 * A kind of credential that the route does not name does not open it. What a connector may is said by its scopes. A wallet
 * that signs each request counts as a payer.
 */
function isAccepted({ auth }: NamedRoute, { via }: Caller): boolean {
  return via === 'connector' || auth.includes(via) || (via === 'x402' && auth.includes('wallet'))
}

/** A session cookie counts only on session routes, so that other sites cannot use a signed-in browser's cookie. */
function requireSession({ headers, caller }: IncomingCall): Caller {
  const reason = 'a person who is signed in to the dashboard makes this call; keys are refused'
  if (headers.authorization !== undefined) throw new Problem('UNAUTHENTICATED', { expects: 'session', reason })
  if (!caller) throw new Problem('MISSING_AUTH', { expects: 'session', reason })
  return caller
}

function send(reply: AnswerSink, { reply: { status, contentType } }: NamedRoute, answer: unknown): AnswerSink {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .send(body)
}

function readBody(request: IncomingCall, route: NamedRoute): unknown {
  if (!route.body || route.streamBody) return undefined
  const given = jsonBody(request) ?? (route.bodyOptional ? {} : undefined)
  if (given === undefined) throw new Problem('EMPTY_BODY')
  const body = route.arrayField && Array.isArray(given) ? { [route.arrayField]: given } : given
  validate(route.body, body, request)
  return body
}

/** The parameters of a route's path and query and the headers that it declares, checked. */
export function readAddress(route: NamedRoute, request: IncomingCall): Address {
  const { params, query, headers } = route
  const given = {
    params: { ...(request.params as object) },
    query: { ...(request.query as object) },
    headers: pickHeaders(headers, request),
  }
  // Tools that look for services add words of their own to addresses that are open to all.
  if (!route.auth.includes('none')) rejectUnknownQuery(given.query, query)
  if (params) validateText(params, given.params)
  if (query) checkPart('query', query, given.query)
  if (headers) checkPart('headers', headers, given.headers)
  return given
}

/** Tells where a missing field belongs, because it may stand in the body of the call. */
function checkPart(part: 'query' | 'headers', schema: TSchema, values: unknown): void {
  try {
    validateText(schema, values)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'MISSING_FIELD') throw error
    throw new Problem(error.code, { ...error.hints, in: part })
  }
}

function pickHeaders(schema: TSchema | undefined, request: IncomingCall): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as { properties?: object }
  const given = Object.keys(properties).map(name => [name, request.headers[name.toLowerCase()]] as const)
  const sent = given.filter(([, text]) => text !== undefined)
  return Object.fromEntries(sent.map(([name, text]) => [name, typeof text === 'string' ? decodeHeader(text) : text]))
}
