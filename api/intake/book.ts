import type { Call, Refusal } from '../../sql/call.ts'
import type { ApiContext } from '../context.ts'
import type { FundedCall } from './call.ts'
import { addressBucket } from './identity/rate-limit.ts'

/** `intake` holds the price before the work, `instant` charges for work that is done. */
type BookingKind = 'intake' | 'instant'

type Entry = Pick<Call, 'lane' | 'amountMicros' | 'ceilingMicros' | 'payload' | 'isAsync' | 'seconds'>

/**
 * Writes a call into the ledger, with its payment if it has one. Returns why it was refused, if it was. Standard clients
 * ask for the price first; once the payment follows, that unpaid request no longer counts against the address.
 */
export async function bookCall(
  { jobs, limits }: ApiContext,
  { id, caller, billable, request, funding, idempotency, isDryRun }: FundedCall,
  kind: BookingKind,
  entry: Entry,
): Promise<Refusal | undefined> {
  const call: Call = {
    id,
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    serviceKey: billable.name,
    idempotency: isDryRun ? undefined : idempotency,
    ...entry,
  }
  if (!funding) return jobs[kind](call)
  const refusal = await funding.book(kind, call)
  if (!refusal) limits.giveBack(addressBucket(request.ip))
  return refusal
}
