import { Problem } from '#kit'
import { readAccount } from '../../sql/account.ts'
import type { ApiContext } from '../context.ts'
import { takesPayments } from '../context.ts'
import type { FundedCall, PricedCall } from './call.ts'
import type { Caller } from './identity/caller.ts'
import { answerRefusal, insufficientBalance } from './reply/refusal.ts'
import { REASONS, refused } from './x402/errors.ts'
import { type Funding, prepay } from './x402/funding.ts'
import { CHUNK_MICROS } from './x402/payload.ts'
import { paymentRequired } from './x402/payment-required.ts'
import type { Payment } from './x402/payments.ts'

const FREE: Funding = { kind: 'free' }
const CREDIT: Funding = { kind: 'credit' }

/** Prepares the payment of a call. A prepaid account needs nothing here: its money is held when the call is booked. */
export async function fundCall(context: ApiContext, call: PricedCall): Promise<FundedCall> {
  const { caller, payment, idempotencyKey: key, fingerprint, hold } = call
  const isFree = hold.amountMicros === 0n
  if (!caller) throw isFree ? missingIdentity(context) : paymentRequired(context, call.billable, hold)
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint! }
  const funded = { ...call, caller, idempotency, answer: undefined }
  if (isFree || call.isDryRun) return { ...funded, funding: FREE }
  if (!payment || !takesPayments(context)) return { ...funded, funding: CREDIT }
  requireEnough(payment, hold.amountMicros)
  const { id, billable } = call
  const { amountMicros } = hold
  const booking = { id, accountId: caller.accountId, serviceKey: billable.name, amountMicros, idempotency }
  const { funding, refusal } = await prepay(context, payment, fingerprint!, booking)
  return { ...funded, funding, answer: refusal && answerRefusal(call, refusal, amountMicros) }
}

/**
 * Bytes take space, so they are received only of callers who can pay. A repeat of an earlier call costs nothing, and is known
 * once it is received.
 */
export async function requireMeans(context: ApiContext, call: PricedCall): Promise<Caller> {
  const { billable, caller, payment, idempotencyKey, hold } = call
  const { amountMicros } = hold
  if (!caller) throw paymentRequired(context, billable, hold)
  if (payment) requireEnough(payment, amountMicros)
  else if (idempotencyKey === undefined) {
    const balanceMicros = BigInt((await readAccount(context.db, caller.accountId))?.balanceMicros ?? 0)
    if (balanceMicros < amountMicros) throw insufficientBalance(billable.name, amountMicros, balanceMicros)
  }
  return caller
}

/** A call that costs nothing may still be its owner's alone. */
function missingIdentity(context: ApiContext): Problem {
  return new Problem(takesPayments(context) ? 'SIGN_IN_REQUIRED' : 'MISSING_AUTH')
}

/** A payment must cover at least one chunk; what the call does not use becomes credit of the wallet. */
function requireEnough({ signed }: Payment, amountMicros: bigint): void {
  const leastMicros = amountMicros < CHUNK_MICROS ? CHUNK_MICROS : amountMicros
  const { value, from } = signed.authorization
  if (value >= leastMicros) return
  throw refused(REASONS.value, {
    payer: from,
    amountMicros: amountMicros.toString(),
    leastMicros: leastMicros.toString(),
    givenMicros: value.toString(),
  })
}
