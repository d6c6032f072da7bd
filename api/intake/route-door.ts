import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { NamedRoute } from '../catalog.ts'
import type { Floor } from '../floor.ts'
import type { Caller } from './authenticate.ts'
import { jsonBody } from './body.ts'
import { CSRF_HEADER, csrfToken, requireCsrf } from './csrf.ts'
import { sessionOf } from './session.ts'
import { validate, validateText } from './validate.ts'
import { strangerAt } from './x402/stranger.ts'

/** The way of a call on a route: shape, identity, handler, answer. */
export function routeDoor(floor: Floor, route: NamedRoute) {
  const identify = identityOf(route)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const params = { ...(request.params as object) }
    const query = { ...(request.query as object) }
    if (route.params) validateText(route.params, params)
    if (route.query) validateText(route.query, query)
    const body = bodyOf(request, route)
    const caller = await identify(floor, request, reply, route)
    const answer = await route.handle({ caller: caller!, params, query, body, request, reply }, floor)
    return answer === undefined || reply.sent ? reply : send(reply, route, answer)
  }
}

type Identify = (
  floor: Floor,
  request: FastifyRequest,
  reply: FastifyReply,
  route: NamedRoute,
) => Promise<Caller | undefined>

/** A cookie counts only where nothing else does, so that no page elsewhere can lend a call to a signed-in browser. */
function identityOf({ auth }: NamedRoute): Identify {
  if (auth.includes('session')) return sessionCaller
  if (auth.includes('none'))
    return async (floor, request, reply) => request.caller ?? strangerAt(floor, request, reply, auth)
  return bearerCaller
}

const bearerCaller: Identify = async (floor, request, reply, route) => {
  if (request.caller) return request.caller
  const stranger = await strangerAt(floor, request, reply, route.auth)
  if (stranger) return stranger
  const { headers, server } = request
  const isPaid = (headers['payment-signature'] ?? headers['x-payment']) !== undefined
  if (isPaid && route.errors.includes('X402_NOT_APPLICABLE')) throw new Problem('X402_NOT_APPLICABLE')
  if (server.offers && route.auth.includes('wallet')) reply.header('payment-required', server.offers.signIn(request))
  throw new Problem('MISSING_AUTH')
}

const sessionCaller: Identify = async (floor, request, reply) => {
  if (request.headers.authorization !== undefined) throw new Problem('UNAUTHENTICATED', { expects: 'session' })
  const session = await sessionOf(floor, request)
  if (!session) throw new Problem('MISSING_AUTH', { expects: 'session' })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    requireCsrf(floor.config, request, session.word, request.headers[CSRF_HEADER])
  reply.header(CSRF_HEADER, csrfToken(floor.config, session.word)).header('cache-control', 'no-store')
  request.caller = session.caller
  return session.caller
}

function send(reply: FastifyReply, { reply: { status, contentType } }: NamedRoute, answer: unknown): FastifyReply {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .send(body)
}

function bodyOf(request: FastifyRequest, route: NamedRoute): unknown {
  if (!route.body) return undefined
  const body = jsonBody(request) ?? (route.bodyOptional ? {} : undefined)
  if (body === undefined) throw new Problem('EMPTY_BODY')
  validate(route.body, body)
  return body
}
