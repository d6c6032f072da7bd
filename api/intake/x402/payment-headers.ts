import type { PaymentNetwork, ProblemCode } from '#kit'
import type { AnswerSink } from '../reply/sink.ts'
import type { PaymentFunding } from './funding.ts'

/**
 * The receipt of a paid call: what it was charged, and what it still holds. Its transaction is empty while the
 * settlement is on its way, and for a draw-down.
 */
export function setReceiptHeaders(
  reply: AnswerSink,
  funding: PaymentFunding,
  { chargedMicros, heldMicros = 0n, extensions }: { chargedMicros: bigint; heldMicros?: bigint; extensions?: object },
): void {
  const { network, payment, receipt } = funding
  const { version, authorization } = payment.payload
  setHeaders(reply, network, version, {
    success: true,
    transaction: receipt?.txHash ?? '',
    payer: authorization.from,
    amount: chargedMicros.toString(),
    extra: { chargedMicros: chargedMicros.toString(), ...creditFacts(funding, chargedMicros + heldMicros) },
    ...(extensions && { extensions }),
  })
}

/** Where the payment's money is now. What arrived and was not used is credit of its wallet. */
function creditFacts({ receipt }: PaymentFunding, usedMicros: bigint): object {
  if (!receipt) return { replayed: true }
  const { leftMicros, heldMicros, chunkId, txHash } = receipt
  return {
    drawdown: chunkId === undefined,
    chunkRemainingMicros: (leftMicros + heldMicros - usedMicros).toString(),
    ...(chunkId && { chunkId, settlement: txHash ? 'settled' : 'pending' }),
  }
}

/** The receipt of a failed call: charged nothing if the payment was taken, else why the payment was not taken. */
export function setFailureHeaders(reply: AnswerSink, funding: PaymentFunding, code: ProblemCode): void {
  if (funding.receipt) {
    setReceiptHeaders(reply, funding, { chargedMicros: 0n })
    return
  }
  const { version, authorization } = funding.payment.payload
  setHeaders(reply, funding.network, version, {
    success: false,
    errorReason: code,
    transaction: '',
    payer: authorization.from,
    extra: { chargedMicros: '0' },
  })
}

/** Tells why a payment was refused, in the protocol's words. */
export function setRefusalHeaders(
  reply: AnswerSink,
  network: PaymentNetwork,
  refusal: { reason?: unknown; payer?: unknown },
): void {
  const payer = typeof refusal.payer === 'string' ? { payer: refusal.payer } : {}
  setHeaders(reply, network, 1, { success: false, errorReason: refusal.reason, transaction: '', ...payer })
}

function setHeaders(reply: AnswerSink, network: PaymentNetwork, version: 1 | 2, facts: object): void {
  reply.header('payment-response', encoded({ ...facts, network: network.caip2 }))
  if (version === 1) reply.header('x-payment-response', encoded({ ...facts, network: network.v1Name }))
  reply.header('cache-control', 'private')
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
