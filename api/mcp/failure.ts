import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem, ProblemCode } from '#kit'
import { setRetryAfter, toProblem } from '../intake/reply/problem.ts'
import { resourceMetadataUrl } from '../oauth/metadata.ts'
import { SCOPES } from '../oauth/scopes.ts'
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
  if (isAuth || problem.code === 'INSUFFICIENT_SCOPE') reply.header('www-authenticate', describeAccess(reply, problem))
  setRetryAfter(reply, problem)
}

const ERRORS: Partial<Record<ProblemCode, string>> = {
  UNAUTHENTICATED: 'invalid_token',
  INSUFFICIENT_SCOPE: 'insufficient_scope',
}

/**
 * Where a client learns how to get a token, and what to ask for: all that its user may approve, because the official client of
 * the first generation cannot ask for more later.
 */
function describeAccess({ request, server }: FastifyReply, { code }: Problem): string {
  const error = ERRORS[code]
  const scope = SCOPES.join(' ')
  const metadata = resourceMetadataUrl(server.publicUrl, request.routeOptions.config.resource ?? '')
  return `Bearer ${error ? `error="${error}", ` : ''}resource_metadata="${metadata}", scope="${scope}"`
}
