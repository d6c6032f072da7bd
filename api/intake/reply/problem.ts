import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Problem, type ProblemCode } from '#kit'
import { StoreUnavailable } from '../../../ops/providers/storage/contract.ts'
import { DatabaseUnavailable } from '../../../sql/connection.ts'
import { describeAccess } from '../../oauth/challenge.ts'
import { PaymentProblem } from '../x402/errors.ts'
import { setRefusalHeaders } from '../x402/payment-headers.ts'
import { buildChallenge } from './payment-challenge.ts'
import type { AnswerSink } from './sink.ts'

const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  BUSY: 1,
  PROVIDER_UNAVAILABLE: 5,
  IDEMPOTENCY_IN_FLIGHT: 1,
  STORAGE_FULL: 30,
}

/** Problem codes for what Fastify itself refuses. */
const CODE_BY_STATUS: Record<number, ProblemCode> = {
  400: 'INVALID_PARAM',
  404: 'NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  414: 'INVALID_PARAM',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  431: 'HEADERS_TOO_LARGE',
}

/** The one place where a thrown error becomes a response. */
export function replyProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const { offers } = request.server
  const hasReceipt = reply.hasHeader('payment-response')
  if (problem instanceof PaymentProblem && offers && !hasReceipt)
    setRefusalHeaders(reply, offers.network, problem.hints)
  if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
  setRetryAfter(reply, problem)
  if (problem.status === 402) return replyChallenge(problem, request, reply)
  if (problem.code === 'METHOD_NOT_ALLOWED') reply.header('allow', (problem.hints.allowed as string[]).join(', '))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  if (problem.code === 'INSUFFICIENT_SCOPE') reply.header('www-authenticate', describeAccess(request, problem))
  const offer = problem.code === 'SIGN_IN_REQUIRED' ? offers?.signIn(request) : undefined
  if (offer) reply.header('payment-required', offer.header).header('cache-control', 'no-store')
  return sendBody(problem.status, { ...offer?.body, ...problem.toBody() }, request, reply)
}

/** In the form of the protocol that the call belongs to. */
function sendBody(
  status: number,
  body: Record<string, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { problemForm } = request.routeOptions.config
  const written = problemForm?.write(body, status) ?? { body, headers: {} }
  return reply
    .code(status)
    .headers(written.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(written.body))
}

export function setRetryAfter(reply: AnswerSink, { code, hints }: Problem): void {
  const retryAfter = hints.retryAfterSeconds ?? RETRY_AFTER_SECONDS[code]
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter))
}

function replyChallenge(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { header, body } = buildChallenge(problem, request)
  reply.header('payment-required', header).header('cache-control', 'no-store')
  return sendBody(402, body, request, reply)
}

/** What Postgres says when its disk is full. */
const DISK_FULL = '53100'

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DatabaseUnavailable || error instanceof StoreUnavailable) return new Problem('BUSY')
  if ((error as { code?: unknown } | null)?.code === DISK_FULL) return new Problem('STORAGE_FULL')
  if (isUnstorableText(error))
    return new Problem('INVALID_PARAM', { reason: 'A text has characters that are no text.' })
  const status = (error as Partial<FastifyError> | null)?.statusCode
  const code = status === undefined ? undefined : CODE_BY_STATUS[status]
  return code ? new Problem(code, { reason: (error as Error).message }) : new Problem('INTERNAL')
}

/** The database keeps no NUL characters and no halves of surrogate pairs: it refuses them as bytes or as escapes of JSON. */
function isUnstorableText(error: unknown): boolean {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: unknown }
  return code === '22021' || code === '22P05' || (code === '22P02' && /^Unicode .*surrogate/.test(String(detail)))
}
