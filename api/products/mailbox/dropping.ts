import type { readDropTerms } from '../../../sql/mailbox/messages.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { requireAddressRate, requireRate } from '../../intake/identity/rate-limit.ts'

export type DropTerms = Awaited<ReturnType<typeof readDropTerms>>

/** Limits the messages of one address, as the owner has set, and those of all to one mailbox. */
export function requireDropRate(context: ApiContext, request: IncomingRequest, terms: DropTerms): void {
  requireAddressRate(context, { kind: `drop:${terms.id}`, ip: request.ip, perAddress: terms.drop_rate })
  requireRate(context, `drop:${terms.id}`, context.settings.get('rate.drops_per_minute'))
}
