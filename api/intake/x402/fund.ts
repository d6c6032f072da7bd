import { type Facilitator, newId, type PaymentNetwork, Problem } from '#kit'
import type { Call, CallPayment, PaidAnswer, PaidCall, Refusal } from '../../../sql/call.ts'
import { pause } from '../../../sql/line.ts'
import { chunkFailed, chunkSettled, chunkUnknown, claim, isSeen } from '../../../sql/payment.ts'
import type { Floor } from '../../floor.ts'
import { CHUNK_MICROS } from './payload.ts'
import type { Payment, Payments } from './payments.ts'
import { REASONS, refused } from './refusal.ts'

/** Work begins before the money only where the authorization will live long enough to be settled. */
const LEAST_LIFE_SECONDS = 45
const PATIENCE_MS = 30_000
/** Of a payment that was lost from sight; whoever waits longer is told to come again. */
const PENDING_PATIENCE_MS = 5_000
const LOOK_AGAIN_MS = 100

export interface Receipt {
  /** Nothing for a draw-down. */
  chunkId: string | undefined
  leftMicros: bigint
  txHash: string | undefined
}

type Booking = Omit<Call, 'payload' | 'lane' | 'seconds'>

/** The money side of one paid call: how it is funded, and what became of it. */
export class Funding {
  readonly payment: Payment
  /** The call's own id, known before it is booked because its authorization is reserved under it. */
  readonly jobId = newId()
  receipt: Receipt | undefined
  readonly #floor: Floor
  readonly #payments: Payments
  readonly #books: CallPayment
  #mayBePending: boolean
  #isCheckedOnChain = false

  get network(): PaymentNetwork {
    return this.#payments.network
  }

  /** What the call's own authorization opened, if it did. */
  get chunkId(): string | undefined {
    return this.#books.chunk?.id
  }

  /** What settled the call's own authorization, if it was. */
  get txHash(): string | undefined {
    return this.#books.txHash
  }

  constructor(floor: Floor & { payments: Payments }, payment: Payment, fingerprint: Buffer) {
    const { authorization } = payment.signed
    this.#floor = floor
    this.#payments = floor.payments
    this.payment = payment
    this.#mayBePending = payment.isKnown && Number(authorization.validBefore) > Date.now() / 1_000 + LEAST_LIFE_SECONDS
    this.#books = {
      chainId: floor.payments.network.chainId,
      asset: payment.asset.address.toLowerCase(),
      symbol: payment.asset.symbol,
      payer: authorization.from.toLowerCase(),
      nonce: authorization.nonce,
      valueMicros: authorization.value,
      validBefore: authorization.validBefore,
      fingerprint,
    }
  }

  /** Before the work: a wallet that is not known yet, and a price that is settled by itself, pay first. */
  async prepay(booking: Booking): Promise<Refusal | undefined> {
    if (this.#mayBePending && booking.amountMicros < CHUNK_MICROS) return undefined
    return this.#claimAndSettle(booking)
  }

  /** Books the call with its payment. What is left over is credit, what is short opens the next chunk. */
  async book(way: 'intake' | 'instant', call: Call): Promise<Refusal | undefined> {
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
      const answer: PaidAnswer = await this.#floor.jobs.paid(way, { ...call, payment: this.#books })
      if (answer.kind === 'used') throw this.#refused(REASONS.nonceUsed)
      if (answer.kind !== 'paid' && answer.kind !== 'unfunded') return answer
      if (answer.kind === 'paid') {
        this.receipt = answer
        return undefined
      }
      const refusal = await this.#openChunk(call)
      if (refusal) return refusal
    }
    throw new Problem('BUSY')
  }

  /** What has arrived and paid for nothing is credit. */
  async keepCredit(): Promise<void> {
    const { chunk, txHash } = this.#books
    if (chunk && txHash !== undefined && !this.receipt) await chunkSettled(this.#floor.db, chunk.id, txHash)
  }

  async #openChunk(booking: Booking): Promise<Refusal | undefined> {
    if (!this.#mayBePending || booking.amountMicros >= CHUNK_MICROS) return this.#claimAndSettle(booking)
    await this.#checkOnChain()
    this.#mayBePending = false
    this.#books.chunk = this.#newChunk()
    return undefined
  }

  /** One call settles for all of the account that wait: they find credit when it has. */
  async #claimAndSettle(booking: Booking): Promise<Refusal | undefined> {
    if (!(await isSeen(this.#floor.db, this.#books))) await this.#checkOnChain()
    const begun = performance.now()
    while (performance.now() < begun + PATIENCE_MS) {
      this.#books.chunk = this.#newChunk()
      const claimed = await claim(this.#floor.db, this.#claimOf(booking))
      switch (claimed.kind) {
        case 'claimed':
          await this.#settle(this.#books.chunk.id)
          return undefined
        case 'resumed':
          this.#books.chunk = { id: claimed.chunkId, sealed: '' }
          await this.#settle(claimed.chunkId)
          return undefined
        case 'arrived':
          this.#books.chunk = { id: claimed.chunkId, sealed: '' }
          this.#books.txHash = claimed.txHash ?? ''
          return undefined
        case 'pending':
          if (performance.now() > begun + PENDING_PATIENCE_MS) throw pending(claimed.txHash)
          await pause(LOOK_AGAIN_MS)
          break
        case 'wait':
          await pause(LOOK_AGAIN_MS)
          break
        case 'funded':
          this.#books.chunk = undefined
          return undefined
        case 'used':
          throw this.#refused(REASONS.nonceUsed)
        default:
          return claimed
      }
    }
    throw new Problem('BUSY')
  }

  async #settle(chunkId: string): Promise<void> {
    const { db } = this.#floor
    const settlement = await this.#payments.settle(this.payment.signed).catch(asUnknown)
    switch (settlement.status) {
      case 'settled':
        this.#books.txHash = settlement.txHash
        return
      case 'failed':
        await chunkFailed(db, chunkId, settlement.reason)
        throw this.#refused(settlement.reason)
      case 'unknown':
        await chunkUnknown(db, chunkId, settlement.txHash)
        throw pending(settlement.txHash)
    }
  }

  async #checkOnChain(): Promise<void> {
    if (this.#isCheckedOnChain) return
    const checked = await this.#payments.check(this.payment.signed)
    if (!checked.ok) throw this.#refused(checked.reason)
    this.#isCheckedOnChain = true
  }

  #newChunk(): { id: string; sealed: string } {
    const id = newId()
    return { id, sealed: this.#payments.sealedFor(id, this.payment.signed) }
  }

  #claimOf(booking: Booking): PaidCall {
    return { ...booking, lane: 'thread', payload: 'null', payment: this.#books }
  }

  #refused(reason: string): Problem {
    return refused(reason, { payer: this.payment.signed.authorization.from })
  }
}

/** The same payment may be shown again: it is looked for, and never paid twice. */
function pending(txHash: string | undefined): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { reason: 'settlement_pending', transaction: txHash ?? '' })
}

/** A settler that threw may have broadcast: nobody may try again, the chain will tell. */
function asUnknown(): Awaited<ReturnType<Facilitator['settle']>> {
  return { status: 'unknown' }
}
