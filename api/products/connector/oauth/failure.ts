import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#kit'
import { setRetryAfter, toProblem } from '../../../intake/reply/problem.ts'

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'

/** A refusal in the words of OAuth. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.name = 'OAuthError'
    this.code = code
    this.status = code === 'invalid_client' ? 401 : 400
  }
}

/** Answers a failed request as OAuth clients expect it. */
export function replyOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-store')
  if (error instanceof OAuthError) {
    return reply.code(error.status).send({ error: error.code, error_description: error.message })
  }
  const problem = toProblem(error)
  if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
  setRetryAfter(reply, problem)
  return reply.code(problem.status).send({ error: nameProblem(problem), error_description: problem.message })
}

function nameProblem({ code, status }: Problem): string {
  if (code === 'RATE_LIMITED' || code === 'BUSY') return 'temporarily_unavailable'
  return status < 500 ? 'invalid_request' : 'server_error'
}
