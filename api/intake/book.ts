import type { Call, Refusal } from '../../sql/call.ts'
import { type ApiContext, takesPayments } from '../context.ts'
import type { FundedCall } from './call.ts'
import { addressBucket } from './identity/rate-limit.ts'
import { bookPaid, type Funding } from './x402/funding.ts'

/** `intake` holds the price before the work, `instant` charges for work that is done. */
type BookingKind = 'intake' | 'instant'

type Entry = Pick<Call, 'lane' | 'amountMicros' | 'ceilingMicros' | 'payload' | 'isAsync' | 'seconds'>

/** Writes a call into the ledger. Returns why it was refused, if it was. */
export type Book = (kind: BookingKind, entry: Entry) => Promise<Refusal | undefined>

interface Booked {
  readonly funding: Funding
  readonly refusal?: Refusal
  readonly failure?: { readonly error: unknown }
}

/**
 * Writes a call into the ledger, with its payment if it has one. Returns its funding after that, and why it was refused or
 * failed. Standard clients ask for the price first; once the payment follows, that unpaid request no longer counts against
 * the address.
 */
export async function bookCall(
  context: ApiContext,
  { id, caller, billable, request, funding, idempotency, isDryRun }: FundedCall,
  kind: BookingKind,
  entry: Entry,
): Promise<Booked> {
  const { jobs, limits } = context
  const call: Call = {
    id,
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    serviceKey: billable.name,
    idempotency: isDryRun ? undefined : idempotency,
    ...entry,
  }
  if (funding.kind !== 'payment') return { funding, refusal: await jobs[kind](call) }
  if (!takesPayments(context)) throw new Error('a call is funded by a payment that cannot be settled here')
  const booked = await bookPaid(context, funding, kind, call)
  if (!booked.refusal && !booked.failure) limits.giveBack(addressBucket(request.ip))
  return booked
}
