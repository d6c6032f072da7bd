import type { PaymentNetwork, ProblemCode } from '#kit'
import type { IncomingCall } from '../../incoming-call.ts'
import type { AnswerSink } from '../reply/sink.ts'
import type { PaymentFunding } from './funding.ts'

interface Charge {
  chargedMicros: bigint
  heldMicros?: bigint
  extensions?: object | undefined
}

export function setReceiptHeaders(reply: AnswerSink, funding: PaymentFunding, charge: Charge): void {
  setHeaders(reply, funding.network, funding.payment.payload.version, describeReceipt(funding, charge))
}

/** The same as the header has, for an answer of which the headers were sent before. */
export function encodeReceipt(funding: PaymentFunding, charge: Charge): string {
  return encoded({ ...describeReceipt(funding, charge), network: funding.network.caip2 })
}

/**
 * The receipt of a paid call: what it was charged, and what it still holds. Its transaction is empty while the
 * settlement is on its way, and for a draw-down.
 */
function describeReceipt(funding: PaymentFunding, { chargedMicros, heldMicros = 0n, extensions }: Charge): object {
  return {
    success: true,
    transaction: funding.receipt?.txHash ?? '',
    payer: funding.payment.payload.authorization.from,
    amount: chargedMicros.toString(),
    extra: { chargedMicros: chargedMicros.toString(), ...creditFacts(funding, chargedMicros + heldMicros) },
    ...(extensions && { extensions }),
  }
}

/** The signed receipt of a call that was paid for and is answered, under the address at which it was offered. */
export function proveAnswer({ url, server }: IncomingCall, { network, payment }: PaymentFunding): object | undefined {
  const resourceUrl = `${server.publicUrl}${url.split('?')[0]}`
  const facts = { network: network.caip2, payer: payment.payload.authorization.from }
  return server.offers?.proofs?.signReceipt(resourceUrl, facts)
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

/** The receipt of a failed call: charged nothing where the payment itself was settled, else why it was not taken. */
export function setFailureHeaders(reply: AnswerSink, funding: PaymentFunding, code: ProblemCode): void {
  if (funding.receipt?.chunkId) {
    setReceiptHeaders(reply, funding, { chargedMicros: 0n })
    return
  }
  const { version, authorization } = funding.payment.payload
  setHeaders(reply, funding.network, version, {
    success: false,
    errorReason: code,
    transaction: '',
    payer: authorization.from,
    extra: { chargedMicros: '0', ...(funding.receipt && creditFacts(funding, 0n)) },
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
