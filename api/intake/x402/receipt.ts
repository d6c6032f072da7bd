import type { FastifyReply } from 'fastify'
import type { PaymentNetwork } from '#kit'
import type { Funding } from './fund.ts'

/** The receipt of a paid call. Its transaction is empty while the settlement is on its way, and for a draw-down. */
export function sayReceipt(reply: FastifyReply, funding: Funding, chargedMicros: bigint): void {
  const { network, payment, receipt } = funding
  const { version, authorization } = payment.presented
  const facts = {
    chargedMicros: chargedMicros.toString(),
    ...(receipt
      ? {
          drawdown: receipt.chunkId === undefined,
          chunkRemainingMicros: receipt.leftMicros.toString(),
          ...(receipt.chunkId && { chunkId: receipt.chunkId, settlement: receipt.txHash ? 'settled' : 'pending' }),
        }
      : { replayed: true }),
  }
  say(reply, network, version, {
    success: true,
    transaction: receipt?.txHash ?? '',
    payer: authorization.from,
    amount: chargedMicros.toString(),
    extra: facts,
  })
}

/** A payment that was refused: why, in the protocol's words. */
export function sayRefusal(
  reply: FastifyReply,
  network: PaymentNetwork,
  refusal: { reason: string; payer?: unknown },
): void {
  const payer = typeof refusal.payer === 'string' ? { payer: refusal.payer } : {}
  say(reply, network, 1, { success: false, errorReason: refusal.reason, transaction: '', ...payer })
}

function say(reply: FastifyReply, network: PaymentNetwork, version: 1 | 2, words: object): void {
  reply.header('payment-response', encoded({ ...words, network: network.caip2 }))
  if (version === 1) reply.header('x-payment-response', encoded({ ...words, network: network.v1Name }))
  reply.header('cache-control', 'private')
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
