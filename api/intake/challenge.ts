import type { FastifyRequest } from 'fastify'
import type { Problem } from '#kit'

/**
 * The 402 in both forms: the header that v2 clients read and the body that all others do. With no facilitator
 * configured it offers no payment, only the way to a prepaid balance.
 */
export function challengeOf(
  problem: Problem,
  request: FastifyRequest,
): { header: string; body: Record<string, unknown> } {
  const url = `${request.server.publicUrl}${request.url.split('?')[0]}`
  const resource = { url, description: request.routeOptions.config.summary ?? '', mimeType: 'application/json' }
  const offer = { x402Version: 2, error: 'PAYMENT_REQUIRED', resource, accepts: [] }
  const { code, error: message, ...hints } = problem.toBody()
  return {
    header: Buffer.from(JSON.stringify(offer)).toString('base64'),
    body: {
      ...hints,
      x402Version: 2,
      error: 'PAYMENT_REQUIRED',
      code,
      ...(message === 'PAYMENT_REQUIRED' ? {} : { message }),
      resource,
      accepted: [],
      accepts: [],
    },
  }
}
