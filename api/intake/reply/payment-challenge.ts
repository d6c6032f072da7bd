import { PRICE_FLOOR, type Problem } from '#kit'
import type { RequestWithBody } from '../../incoming-call.ts'

/**
 * The 402 in both forms: the header that v2 clients read and the body that all others do. With no facilitator
 * configured it offers no payment, only the way to a prepaid balance.
 */
export function buildChallenge(
  problem: Problem,
  request: RequestWithBody,
): { header: string; body: Record<string, unknown> } {
  const { code, error: message, ...hints } = problem.toBody()
  const { header, body } =
    request.server.offers?.make(request, priceOf(problem), reasonOf(problem)) ?? buildWithoutOffers(request, code)
  return {
    header,
    body: {
      ...hints,
      x402Version: 2,
      error: 'PAYMENT_REQUIRED',
      code,
      ...(message === 'PAYMENT_REQUIRED' ? {} : { message }),
      ...body,
    },
  }
}

function priceOf({ hints: { amountMicros } }: Problem): bigint {
  return typeof amountMicros === 'string' ? BigInt(amountMicros) : PRICE_FLOOR
}

function reasonOf({ hints: { reason } }: Problem): string | undefined {
  return typeof reason === 'string' ? reason : undefined
}

function buildWithoutOffers(request: RequestWithBody, code: string): { header: string; body: Record<string, unknown> } {
  const url = `${request.server.publicUrl}${request.url.split('?')[0]}`
  const resource = { url, description: request.routeOptions.config.summary ?? '', mimeType: 'application/json' }
  const offer = { x402Version: 2, error: 'PAYMENT_REQUIRED', resource, accepts: [] }
  return {
    header: Buffer.from(JSON.stringify(offer)).toString('base64'),
    body: { resource, accepted: [], accepts: [], howToPay: describeAccount(request.server.publicUrl, code) },
  }
}

/** No client can pay by itself here, so it is told what to ask a person for. */
function describeAccount(publicUrl: string, code: string): string {
  return code === 'INSUFFICIENT_BALANCE'
    ? `Add funds at ${publicUrl}/dashboard/billing, then send the same request again.`
    : `Send an API key of a prepaid account as Authorization: Bearer. A person opens the account at ${publicUrl}/sign-in; x402 payments are not taken here.`
}
