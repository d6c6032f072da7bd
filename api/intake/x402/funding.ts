import { type Facilitator, newId, type PaymentNetwork, Problem } from '#kit'
import { seal } from '../../../ops/secrets.ts'
import { readAccount } from '../../../sql/account.ts'
import type { Call, CallPayment, PaidAnswer, Refusal } from '../../../sql/call.ts'
import { pause } from '../../../sql/connection.ts'
import {
  claimPayment,
  creditDrawnPayment,
  isPaymentSeen,
  markChunkFailed,
  markChunkSettled,
  markChunkUnknown,
} from '../../../sql/payment.ts'
import type { PaidContext } from '../../context.ts'
import { PaymentProblem, REASONS, refused } from './errors.ts'
import type { Payment } from './payments.ts'
import { CHUNK_MICROS } from './payments.ts'

/** Work may begin before settlement only if the authorization stays valid long enough to be settled. */
const MIN_LIFE_SECONDS = 45
const PATIENCE_MS = 30_000
/** How long a call waits for a payment in doubt before the client is told to retry. */
const PENDING_PATIENCE_MS = 5_000
const RETRY_MS = 100

interface Receipt {
  /** Undefined for a draw-down. */
  readonly chunkId: string | undefined
  /** What is left of the wallet's credit beside what this call holds. */
  readonly leftMicros: bigint
  readonly heldMicros: bigint
  readonly txHash: string | undefined
}

/** How a call is paid for: from the balance of its account, or by the payment that came with it. A value: whatever changes it returns the next. */
export type Funding = { readonly kind: 'free' } | { readonly kind: 'credit' } | PaymentFunding

/** Pays for one call: from credit of the wallet, from a chunk to be settled later, or by settling first. */
export interface PaymentFunding {
  readonly kind: 'payment'
  readonly payment: Payment
  readonly network: PaymentNetwork
  /** As the ledger knows it: with the chunk that it opened and the transaction that settled it, if any. */
  readonly entry: Readonly<CallPayment>
  /** Work may begin before it is settled. */
  readonly mayBePending: boolean
  readonly isCheckedOnChain: boolean
  readonly receipt: Receipt | undefined
}

/** What the money is moved by. */
type FundingContext = Pick<PaidContext, 'db' | 'jobs' | 'config' | 'payments'>

/** The funding after a step. Money may have moved before a step was refused or failed, so the funding comes with both. */
interface FundingStep {
  readonly funding: PaymentFunding
  readonly refusal?: Refusal
  readonly failure?: { readonly error: unknown }
}

type Booking = Omit<Call, 'payload' | 'lane' | 'seconds'>

/** Opens the funding by a payment. Settles before the work for unknown wallets and for prices of at least one chunk. */
export async function prepay(
  context: FundingContext,
  payment: Payment,
  fingerprint: Buffer,
  booking: Booking,
): Promise<Omit<FundingStep, 'failure'>> {
  const funding = openFunding(context, payment, fingerprint)
  if (funding.mayBePending && booking.amountMicros < CHUNK_MICROS) return { funding }
  return claimAndSettle(context, funding, booking)
}

function openFunding({ payments }: FundingContext, payment: Payment, fingerprint: Buffer): PaymentFunding {
  const { authorization } = payment.signed
  const { network, clock } = payments
  const nowMs = Date.now() - clock.aheadMs
  return {
    kind: 'payment',
    payment,
    network,
    mayBePending: payment.isKnown && Number(authorization.validBefore) > nowMs / 1_000 + MIN_LIFE_SECONDS,
    isCheckedOnChain: false,
    receipt: undefined,
    entry: {
      chainId: network.chainId,
      asset: payment.asset.address.toLowerCase(),
      symbol: payment.asset.symbol,
      payer: authorization.from.toLowerCase(),
      nonce: authorization.nonce,
      valueMicros: authorization.value,
      validBefore: authorization.validBefore,
      fingerprint,
    },
  }
}

/** Books a call with its payment. What is left over becomes credit; when credit is short, a new chunk is opened. */
export async function bookPaid(
  context: FundingContext,
  funding: PaymentFunding,
  way: 'intake' | 'instant',
  call: Call,
): Promise<FundingStep> {
  const until = performance.now() + PATIENCE_MS
  let reached = funding
  try {
    while (performance.now() < until) {
      const answer: PaidAnswer = await context.jobs.takePaid(way, { ...call, payment: reached.entry })
      if (answer.kind === 'used') return { funding: reached, failure: { error: await refuseUsed(context, reached) } }
      if (answer.kind === 'paid') return { funding: withReceipt(reached, answer, call.amountMicros) }
      if (answer.kind !== 'unfunded') return { funding: reached, refusal: answer }
      const step = await openChunk(context, reached, call)
      if (step.refusal) return step
      reached = step.funding
    }
    return { funding: reached, failure: { error: new Problem('BUSY') } }
  } catch (error) {
    return { funding: reached, failure: { error } }
  }
}

/** Credits money that arrived but paid for nothing to the wallet. The receipt then tells the credit it has. */
export async function keepCredit({ db }: Pick<FundingContext, 'db'>, funding: PaymentFunding): Promise<PaymentFunding> {
  const { chunk, txHash } = funding.entry
  if (!chunk || txHash === undefined || funding.receipt) return funding
  await markChunkSettled(db, chunk.id, txHash)
  const account = await readAccount(db, funding.payment.caller.accountId)
  const leftMicros = BigInt(account?.balanceMicros ?? 0)
  return { ...funding, receipt: { chunkId: chunk.id, leftMicros, heldMicros: 0n, txHash } }
}

function withReceipt(
  funding: PaymentFunding,
  { chunkId, leftMicros, txHash }: Extract<PaidAnswer, { kind: 'paid' }>,
  heldMicros: bigint,
): PaymentFunding {
  return { ...funding, receipt: { chunkId, leftMicros, heldMicros, txHash } }
}

function withEntry(funding: PaymentFunding, facts: Pick<CallPayment, 'chunk' | 'txHash'>): PaymentFunding {
  return { ...funding, entry: { ...funding.entry, ...facts } }
}

async function openChunk(context: FundingContext, funding: PaymentFunding, booking: Booking): Promise<FundingStep> {
  if (!funding.mayBePending || booking.amountMicros >= CHUNK_MICROS) return claimAndSettle(context, funding, booking)
  const checked = await checkFunding(context, funding)
  return { funding: withEntry({ ...checked, mayBePending: false }, { chunk: createChunk(context, funding) }) }
}

/** Of concurrent calls of one account, one settles; the others wait and then find credit. */
async function claimAndSettle(
  context: FundingContext,
  funding: PaymentFunding,
  booking: Booking,
): Promise<FundingStep> {
  const { db } = context
  const checked = (await isPaymentSeen(db, funding.entry)) ? funding : await checkFunding(context, funding)
  const startedMs = performance.now()
  while (performance.now() < startedMs + PATIENCE_MS) {
    const opened = withEntry(checked, { chunk: createChunk(context, checked) })
    const claimed = await claimPayment(db, { ...booking, lane: 'thread', payload: 'null', payment: opened.entry })
    switch (claimed.kind) {
      case 'claimed':
        return { funding: await broadcast(context, opened) }
      case 'resumed':
        return { funding: await broadcast(context, withEntry(checked, { chunk: { id: claimed.chunkId, sealed: '' } })) }
      case 'arrived': {
        const chunk = { id: claimed.chunkId, sealed: '' }
        return { funding: withEntry(checked, { chunk, txHash: claimed.txHash ?? '' }) }
      }
      case 'pending':
        if (performance.now() > startedMs + PENDING_PATIENCE_MS) throw settlementPending(claimed.txHash)
        await pause(RETRY_MS)
        break
      case 'wait':
        await pause(RETRY_MS)
        break
      case 'funded':
        return { funding: withEntry(checked, { chunk: undefined }) }
      case 'used':
        throw await refuseUsed(context, opened)
      default:
        return { funding: checked, refusal: claimed }
    }
  }
  throw new Problem('BUSY')
}

/** Broadcasts the authorization of the opened chunk. */
async function broadcast({ db, payments }: FundingContext, funding: PaymentFunding): Promise<PaymentFunding> {
  const chunkId = funding.entry.chunk!.id
  const settlement = await payments.facilitator.settle(funding.payment.signed).catch(asUnknown)
  switch (settlement.status) {
    case 'settled':
      return withEntry(funding, { chunk: funding.entry.chunk, txHash: settlement.txHash })
    case 'failed':
      await markChunkFailed(db, chunkId, settlement.reason)
      throw refusePayment(funding, settlement.reason)
    case 'unknown':
      await markChunkUnknown(db, chunkId, settlement.txHash)
      throw settlementPending(settlement.txHash)
  }
}

async function checkFunding({ payments }: FundingContext, funding: PaymentFunding): Promise<PaymentFunding> {
  if (funding.isCheckedOnChain) return funding
  const checked = await payments.checkOrFind(funding.payment.signed)
  if (!checked.ok) throw refusePayment(funding, checked.reason)
  return { ...funding, isCheckedOnChain: true }
}

/** The authorization is encrypted for storage until it is settled: bound to the secret and to this chunk. */
function createChunk({ config }: FundingContext, { payment }: PaymentFunding): { id: string; sealed: string } {
  const id = newId()
  return { id, sealed: seal(config.secret, JSON.stringify(payment.signed, withoutBigints), id) }
}

function withoutBigints(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** A draw-down is never broadcast by us. Where its payer has done so, its money is credited, and the next call finds it. */
async function refuseUsed({ db, payments }: FundingContext, funding: PaymentFunding): Promise<Problem> {
  const trace = await payments.facilitator.find(funding.payment.signed).catch(() => undefined)
  if (trace?.state === 'used' && trace.txHash)
    await creditDrawnPayment(db, { ...funding.entry, chunk: { id: newId(), sealed: '' } }, trace.txHash)
  return refusePayment(funding, REASONS.nonceUsed)
}

function refusePayment({ payment }: PaymentFunding, reason: string): Problem {
  return refused(reason, { payer: payment.signed.authorization.from })
}

/** The client may send the same payment again: it is looked up and never paid twice. */
function settlementPending(txHash: string | undefined): PaymentProblem {
  return new PaymentProblem('PROVIDER_UNAVAILABLE', { reason: 'settlement_pending', transaction: txHash ?? '' })
}

/** A failed settlement may have been broadcast, so it is not retried; the chain is asked later. */
function asUnknown(): Awaited<ReturnType<Facilitator['settle']>> {
  return { status: 'unknown' }
}
