import type { readDropTerms } from '../../../sql/mailbox/messages.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { addressBucket, requireRate } from '../../intake/identity/rate-limit.ts'

export type DropTerms = Awaited<ReturnType<typeof readDropTerms>>

/** Limits the messages of one address, as the owner has set, and those of all to one mailbox. */
export function requireDropRate(context: ApiContext, request: IncomingRequest, terms: DropTerms): void {
  requireRate(context, `drop:${terms.id}:${addressBucket(request.ip)}`, terms.drop_rate)
  requireRate(context, `drop:${terms.id}`, context.settings.get('rate.drops_per_minute'))
}
