import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Problem, type ProblemCode } from '#kit'
import { DatabaseAway } from '../../sql/db.ts'
import { challengeOf } from './challenge.ts'

const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  BUSY: 1,
  PROVIDER_UNAVAILABLE: 5,
  IDEMPOTENCY_IN_FLIGHT: 1,
  STORAGE_FULL: 30,
}

/** What Fastify itself refuses, in our words. */
const OF_STATUS: Record<number, ProblemCode> = {
  400: 'INVALID_PARAM',
  404: 'NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  414: 'INVALID_PARAM',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  431: 'INVALID_PARAM',
}

/** The one place where what was thrown becomes an answer. */
export function replyProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error)
  if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
  const retryAfter = problem.hints.retryAfterSeconds ?? RETRY_AFTER_SECONDS[problem.code]
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter))
  if (problem.status === 402) return challenge(problem, request, reply)
  if (problem.code === 'METHOD_NOT_ALLOWED') reply.header('allow', (problem.hints.allowed as string[]).join(', '))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.code(problem.status).type('application/json; charset=utf-8').send(JSON.stringify(problem.toBody()))
}

function challenge(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { header, body } = challengeOf(problem, request)
  return reply
    .code(402)
    .header('payment-required', header)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DatabaseAway) return new Problem('BUSY')
  const status = (error as Partial<FastifyError> | null)?.statusCode
  const code = status === undefined ? undefined : OF_STATUS[status]
  return code ? new Problem(code, { reason: (error as Error).message }) : new Problem('INTERNAL')
}
