import { type Facilitator, newId, type PaymentNetwork, Problem } from '#kit'
import { readAccount } from '../../../sql/account.ts'
import type { Call, CallPayment, PaidAnswer, PaidCall, Refusal } from '../../../sql/call.ts'
import { pause } from '../../../sql/connection.ts'
import {
  claimPayment,
  creditDrawnPayment,
  isPaymentSeen,
  markChunkFailed,
  markChunkSettled,
  markChunkUnknown,
} from '../../../sql/payment.ts'
import type { ApiContext } from '../../context.ts'
import { PaymentProblem, REASONS, refused } from './errors.ts'
import { CHUNK_MICROS } from './payload.ts'
import type { Payment, Payments } from './payments.ts'

/** Work may begin before settlement only if the authorization stays valid long enough to be settled. */
const MIN_LIFE_SECONDS = 45
const PATIENCE_MS = 30_000
/** How long a call waits for a payment in doubt before the client is told to retry. */
const PENDING_PATIENCE_MS = 5_000
const RETRY_MS = 100

interface Receipt {
  /** Undefined for a draw-down. */
  chunkId: string | undefined
  /** What is left of the wallet's credit beside what this call holds. */
  leftMicros: bigint
  heldMicros: bigint
  txHash: string | undefined
}

type Booking = Omit<Call, 'payload' | 'lane' | 'seconds'>

/** Pays for one call: from credit, from a chunk to be settled later, or by settling first. */
export class Funding implements AsyncDisposable {
  readonly payment: Payment
  /** The call's id, fixed before it is booked because its authorization is claimed under it. */
  readonly jobId: string
  receipt: Receipt | undefined
  readonly #context: ApiContext
  readonly #payments: Payments
  readonly #entry: CallPayment
  #mayBePending: boolean
  #isCheckedOnChain = false

  get network(): PaymentNetwork {
    return this.#payments.network
  }

  /** The chunk opened by this call's authorization, if any. */
  get chunkId(): string | undefined {
    return this.#entry.chunk?.id
  }

  /** The transaction that settled this call's authorization, if any. */
  get txHash(): string | undefined {
    return this.#entry.txHash
  }

  constructor(
    context: ApiContext & { payments: Payments },
    payment: Payment,
    fingerprint: Buffer,
    jobId: string = newId(),
  ) {
    const { authorization } = payment.signed
    this.jobId = jobId
    this.#context = context
    this.#payments = context.payments
    this.payment = payment
    this.#mayBePending = payment.isKnown && Number(authorization.validBefore) > Date.now() / 1_000 + MIN_LIFE_SECONDS
    this.#entry = {
      chainId: context.payments.network.chainId,
      asset: payment.asset.address.toLowerCase(),
      symbol: payment.asset.symbol,
      payer: authorization.from.toLowerCase(),
      nonce: authorization.nonce,
      valueMicros: authorization.value,
      validBefore: authorization.validBefore,
      fingerprint,
    }
  }

  /** Settles before the work for unknown wallets and for prices of at least one chunk. */
  async prepay(booking: Booking): Promise<Refusal | undefined> {
    if (this.#mayBePending && booking.amountMicros < CHUNK_MICROS) return undefined
    return this.#claimAndSettle(booking)
  }

  /** Books the call with its payment. What is left over becomes credit; when credit is short, a new chunk is opened. */
  async book(way: 'intake' | 'instant', call: Call): Promise<Refusal | undefined> {
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
      const answer: PaidAnswer = await this.#context.jobs.takePaid(way, { ...call, payment: this.#entry })
      if (answer.kind === 'used') throw await this.#refuseUsed()
      if (answer.kind !== 'paid' && answer.kind !== 'unfunded') return answer
      if (answer.kind === 'paid') {
        this.receipt = { ...answer, heldMicros: call.amountMicros }
        return undefined
      }
      const refusal = await this.#openChunk(call)
      if (refusal) return refusal
    }
    throw new Problem('BUSY')
  }

  /** Credits money that arrived but paid for nothing to the wallet. The receipt then tells the credit it has. */
  async keepCredit(): Promise<void> {
    const { chunk, txHash } = this.#entry
    if (!chunk || txHash === undefined || this.receipt) return
    await markChunkSettled(this.#context.db, chunk.id, txHash)
    const account = await readAccount(this.#context.db, this.payment.caller.accountId)
    const leftMicros = BigInt(account?.balanceMicros ?? 0)
    this.receipt = { chunkId: chunk.id, leftMicros, heldMicros: 0n, txHash }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.keepCredit()
  }

  async #openChunk(booking: Booking): Promise<Refusal | undefined> {
    if (!this.#mayBePending || booking.amountMicros >= CHUNK_MICROS) return this.#claimAndSettle(booking)
    await this.#checkOnChain()
    this.#mayBePending = false
    this.#entry.chunk = this.#createChunk()
    return undefined
  }

  /** Of concurrent calls of one account, one settles; the others wait and then find credit. */
  async #claimAndSettle(booking: Booking): Promise<Refusal | undefined> {
    if (!(await isPaymentSeen(this.#context.db, this.#entry))) await this.#checkOnChain()
    const startedMs = performance.now()
    while (performance.now() < startedMs + PATIENCE_MS) {
      this.#entry.chunk = this.#createChunk()
      const claimed = await claimPayment(this.#context.db, this.#claimRequest(booking))
      switch (claimed.kind) {
        case 'claimed':
          await this.#settle(this.#entry.chunk.id)
          return undefined
        case 'resumed':
          this.#entry.chunk = { id: claimed.chunkId, sealed: '' }
          await this.#settle(claimed.chunkId)
          return undefined
        case 'arrived':
          this.#entry.chunk = { id: claimed.chunkId, sealed: '' }
          this.#entry.txHash = claimed.txHash ?? ''
          return undefined
        case 'pending':
          if (performance.now() > startedMs + PENDING_PATIENCE_MS) throw settlementPending(claimed.txHash)
          await pause(RETRY_MS)
          break
        case 'wait':
          await pause(RETRY_MS)
          break
        case 'funded':
          this.#entry.chunk = undefined
          return undefined
        case 'used':
          throw await this.#refuseUsed()
        default:
          return claimed
      }
    }
    throw new Problem('BUSY')
  }

  async #settle(chunkId: string): Promise<void> {
    const { db } = this.#context
    const settlement = await this.#payments.settle(this.payment.signed).catch(asUnknown)
    switch (settlement.status) {
      case 'settled':
        this.#entry.txHash = settlement.txHash
        return
      case 'failed':
        await markChunkFailed(db, chunkId, settlement.reason)
        throw this.#refused(settlement.reason)
      case 'unknown':
        await markChunkUnknown(db, chunkId, settlement.txHash)
        throw settlementPending(settlement.txHash)
    }
  }

  async #checkOnChain(): Promise<void> {
    if (this.#isCheckedOnChain) return
    const checked = await this.#payments.checkOrFind(this.payment.signed)
    if (!checked.ok) throw this.#refused(checked.reason)
    this.#isCheckedOnChain = true
  }

  #createChunk(): { id: string; sealed: string } {
    const id = newId()
    return { id, sealed: this.#payments.sealPayment(id, this.payment.signed) }
  }

  #claimRequest(booking: Booking): PaidCall {
    return { ...booking, lane: 'thread', payload: 'null', payment: this.#entry }
  }

  /** A draw-down is never broadcast by us. Where its payer has done so, its money is credited, and the next call finds it. */
  async #refuseUsed(): Promise<Problem> {
    const { signed } = this.payment
    const trace = await this.#payments.facilitator.find(signed).catch(() => undefined)
    if (trace?.state === 'used' && trace.txHash)
      await creditDrawnPayment(this.#context.db, { ...this.#entry, chunk: { id: newId(), sealed: '' } }, trace.txHash)
    return this.#refused(REASONS.nonceUsed)
  }

  #refused(reason: string): Problem {
    return refused(reason, { payer: this.payment.signed.authorization.from })
  }
}

/** The client may send the same payment again: it is looked up and never paid twice. */
function settlementPending(txHash: string | undefined): PaymentProblem {
  return new PaymentProblem('PROVIDER_UNAVAILABLE', { reason: 'settlement_pending', transaction: txHash ?? '' })
}

/** A failed settlement may have been broadcast, so it is not retried; the chain is asked later. */
function asUnknown(): Awaited<ReturnType<Facilitator['settle']>> {
  return { status: 'unknown' }
}
