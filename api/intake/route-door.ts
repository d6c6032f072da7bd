import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { NamedRoute } from '../catalog.ts'
import type { Floor } from '../floor.ts'
import { jsonBody } from './body.ts'
import { validate, validateText } from './validate.ts'

/** The way of a call on a route: shape, identity, handler, answer. */
export function routeDoor(floor: Floor, route: NamedRoute) {
  const needsCaller = !route.auth.includes('none')
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const params = { ...(request.params as object) }
    const query = { ...(request.query as object) }
    if (route.params) validateText(route.params, params)
    if (route.query) validateText(route.query, query)
    const body = bodyOf(request, route)
    if (needsCaller && !request.caller) throw new Problem('MISSING_AUTH')
    const answer = await route.handle({ caller: request.caller!, params, query, body, request, reply }, floor)
    return answer === undefined || reply.sent ? reply : send(reply, route, answer)
  }
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
