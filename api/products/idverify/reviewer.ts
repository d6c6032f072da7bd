import { Problem } from '#kit'
import { REVIEW } from '../../../ops/products/idverify/review-link.ts'
import { findReviewer } from '../../../sql/idverify/reviews.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'

export const REVIEWER_ERRORS = ['NOT_FOUND', 'RATE_LIMITED', 'MISSING_AUTH'] as const

/** The name of the reviewer who has the token. Throws NOT_FOUND for one that is unknown or over. */
export async function requireReviewer(context: ApiContext, ip: string, text: string): Promise<string> {
  const token = REVIEW.hash(context.config.secret, text)
  // A page shows several images.
  const perMinute = 10 * context.settings.get('rate.verifications_per_minute')
  requireTokenRate(context, { kind: 'identity-review', ip, perAddress: perMinute, token, perToken: perMinute })
  if (!REVIEW.hasForm(text)) throw new Problem('NOT_FOUND')
  return findReviewer(context.db, token)
}

/** The same for programs of the operator. */
export function requireBearerReviewer(context: ApiContext, { ip, headers }: IncomingCall): Promise<string> {
  const [, text] = /^bearer +(\S+)$/i.exec(String(headers.authorization ?? '')) ?? []
  if (text === undefined) throw new Problem('MISSING_AUTH')
  return requireReviewer(context, ip, text)
}
