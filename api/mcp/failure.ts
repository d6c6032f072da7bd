import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem, ProblemCode } from '#kit'
import { setRetryAfter, toProblem } from '../intake/reply/problem.ts'
import { describeAccess } from '../oauth/challenge.ts'
import { CODES, isForTransport, McpError } from './protocol.ts'

/** Codes of JSON-RPC for what comes before a message is read. */
const CODE_OF: Partial<Record<ProblemCode, number>> = {
  INVALID_JSON: CODES.parse,
  EMPTY_BODY: CODES.invalidRequest,
  BODY_INCOMPLETE: CODES.parse,
  BODY_TOO_LARGE: CODES.invalidRequest,
  UNSUPPORTED_MEDIA_TYPE: CODES.invalidRequest,
  INTERNAL: CODES.internal,
}

/** Answers a request that was refused before its message was read. */
export function replyFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  if (!(error instanceof McpError) && problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
  return reply.type('application/json; charset=utf-8').send(answerError(error, null, reply))
}

/** The answer to a message that failed, as JSON. It sets the HTTP status. */
export function answerError(error: unknown, id: string | number | null, reply: FastifyReply): string {
  if (error instanceof McpError) {
    reply.code(error.status)
    return print(id, error.toBody())
  }
  const problem = toProblem(error)
  setProblemHeaders(reply, problem)
  const { code, message } = problem
  return print(id, { code: CODE_OF[code] ?? CODES.refused, message, data: problem.toBody() })
}

function print(id: string | number | null, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

function setProblemHeaders(reply: FastifyReply, problem: Problem): void {
  const isAuth = isForTransport(problem) && problem.status === 401
  reply.code(problem.status)
  if (isAuth || problem.code === 'INSUFFICIENT_SCOPE')
    reply.header('www-authenticate', describeAccess(reply.request, problem))
  setRetryAfter(reply, problem)
}
