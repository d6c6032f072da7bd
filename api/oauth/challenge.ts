import type { FastifyRequest } from 'fastify'
import type { Problem, ProblemCode } from '#kit'
import { resourceMetadataUrl } from './metadata.ts'
import { SCOPES } from './scopes.ts'

const ERRORS: Partial<Record<ProblemCode, string>> = {
  UNAUTHENTICATED: 'invalid_token',
  INSUFFICIENT_SCOPE: 'insufficient_scope',
}

/**
 * The value of `WWW-Authenticate`: where a client learns how to get a token, and what to ask for: all that its user may
 * approve, because the official client of the first generation cannot ask for more later.
 */
export function describeAccess({ server, routeOptions }: FastifyRequest, { code }: Problem): string {
  const error = ERRORS[code]
  const scope = SCOPES.join(' ')
  const metadata = resourceMetadataUrl(server.publicUrl, routeOptions.config.resource ?? '')
  return `Bearer ${error ? `error="${error}", ` : ''}resource_metadata="${metadata}", scope="${scope}"`
}
