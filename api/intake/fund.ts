import { clampPrice, computeMaxAmount, findCeiling, findTariff, LARGEST_FACTS, PRICE_FLOOR, Problem } from '#kit'
import { readAccount } from '../../sql/account.ts'
import type { Call, Refusal } from '../../sql/call.ts'
import type { Settings } from '../../sql/setting.ts'
import type { ApiContext } from '../context.ts'
import type { Billable } from './billable.ts'
import type { FundedCall, Hold, PricedCall, StagedCall } from './call.ts'
import { makeInputReady } from './files/stage-files.ts'
import type { Caller } from './identity/caller.ts'
import { answerRefusal, insufficientBalance } from './reply/refusal.ts'
import { deliveryMicros } from './stage-call.ts'
import { REASONS, refused } from './x402/errors.ts'
import { type Funding, prepay } from './x402/funding.ts'
import { paymentRequired } from './x402/payment-required.ts'
import type { Payment } from './x402/payments.ts'
import { CHUNK_MICROS } from './x402/payments.ts'
import { probePrice } from './x402/probe.ts'

const FREE: Funding = { kind: 'free' }
const CREDIT: Funding = { kind: 'credit' }

/** Decides the price. A payment for a single call needs the exact price now; an account's hold can be raised later. */
export async function priceCall(context: ApiContext, call: StagedCall): Promise<PricedCall> {
  const { billable, staged } = call
  if (billable.quote) return { ...call, hold: holdQuote(billable, await billable.quote(describeAsked(call), context)) }
  const units = billable.countUnits && (await billable.countUnits(describeAsked(call), context))
  const hold = addDelivery(holdFor(billable, staged.input, context.settings, units), deliveryMicros(call))
  const hasAccount = call.caller !== undefined && call.payment === undefined
  return { ...call, hold: hold.tariff || hasAccount ? hold : await probePrice(context, { ...call, hold }) }
}

function describeAsked({ request, address, caller, staged }: StagedCall) {
  return { request, address, caller, input: staged.input }
}

function holdQuote({ price: { unit, rateMicros } }: Billable, quotedMicros: bigint): Hold {
  const isFree = quotedMicros === 0n
  const amountMicros = isFree ? 0n : clampPrice(quotedMicros)
  const tariff = { unit, rateMicros, baseMicros: amountMicros, units: 0, expectedUnits: 0, ...(isFree && { isFree }) }
  return { amountMicros, ceilingMicros: amountMicros, tariff, rates: undefined }
}

function addDelivery(hold: Hold, micros: bigint): Hold {
  return { ...hold, amountMicros: hold.amountMicros + micros, ceilingMicros: hold.ceilingMicros + micros }
}

function holdFor({ price, name, input: schema }: Billable, input: unknown, settings: Settings, units?: number): Hold {
  const rates = settings.ratesOf(name)
  if (price.basis === 'content') {
    const ceilingMicros = findCeiling(price, makeInputReady(schema, input, LARGEST_FACTS) as never, rates)
    return { amountMicros: PRICE_FLOOR, ceilingMicros, tariff: undefined, rates }
  }
  const found = findTariff(price, makeInputReady(schema, input) as never, rates)
  const tariff = units === undefined ? found : { ...found, units, expectedUnits: units, isFree: units === 0 }
  const amountMicros = computeMaxAmount(tariff)
  return { amountMicros, ceilingMicros: amountMicros, tariff, rates }
}

/** Prepares the payment of a call. A prepaid account needs nothing here: its money is held when the call is booked. */
export async function fundCall(context: ApiContext, call: PricedCall): Promise<FundedCall> {
  const { caller, payment, idempotencyKey: key, fingerprint, hold } = call
  const isFree = hold.amountMicros === 0n
  if (!caller) throw isFree ? missingIdentity(context) : paymentRequired(context, call.billable, hold)
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint! }
  const funded = { ...call, caller, idempotency, answer: undefined }
  if (isFree || call.isDryRun) return { ...funded, funding: FREE }
  const { db, jobs, config, payments } = context
  if (!payment || !payments) return { ...funded, funding: CREDIT }
  requireEnough(payment, hold.amountMicros)
  const { id, billable } = call
  const { amountMicros } = hold
  const booking = { id, accountId: caller.accountId, serviceKey: billable.name, amountMicros, idempotency }
  const { funding, refusal } = await prepay({ db, jobs, config, payments }, payment, fingerprint!, booking)
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
  return new Problem(context.payments ? 'SIGN_IN_REQUIRED' : 'MISSING_AUTH')
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

/** `intake` holds the price before the work, `instant` charges for work that is done. */
export type BookingKind = 'intake' | 'instant'

export type BookingEntry = Pick<Call, 'lane' | 'amountMicros' | 'ceilingMicros' | 'payload' | 'isAsync' | 'seconds'>

/** Writes a call into the ledger. Returns why it was refused, if it was. */
export type Book = (kind: BookingKind, entry: BookingEntry) => Promise<Refusal | undefined>

/** Books a call, and tells how it is paid for since. */
export interface CallLedger {
  book: Book
  readFunding(): Funding
}
