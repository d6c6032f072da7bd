import type { Facilitator, SignedPayment } from '#kit'
import { open } from '../ops/secrets.ts'
import type { Db } from '../sql/db.ts'
import {
  chunkFailed,
  chunkSettled,
  chunkUnknown,
  forgetPayments,
  listLostChunks,
  takeDueChunks,
} from '../sql/payment.ts'
import type { PaymentHands } from '../tasks/chores/shape.ts'

export function paymentHands(db: Db, secret: string, facilitator: Facilitator): PaymentHands {
  const opened = <Chunk extends { id: string; sealed: string }>({ sealed, ...chunk }: Chunk) => ({
    ...chunk,
    payment: paymentOf(open(secret, sealed, chunk.id)),
  })
  return {
    due: async limit => (await takeDueChunks(db, limit)).map(opened),
    lost: async (ageSeconds, limit) => (await listLostChunks(db, ageSeconds, limit)).map(opened),
    settle: payment => facilitator.settle(payment),
    find: payment => facilitator.find(payment),
    settled: (id, txHash) => chunkSettled(db, id, txHash),
    failed: (id, reason) => chunkFailed(db, id, reason),
    unknown: (id, txHash) => chunkUnknown(db, id, txHash),
    forget: () => forgetPayments(db),
  }
}

/** Amounts and times were written as text, because JSON knows no large numbers. */
function paymentOf(text: string): SignedPayment {
  const { authorization, ...payment } = JSON.parse(text) as SignedPayment
  const { value, validAfter, validBefore } = authorization
  const numbers = { value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
  return { ...payment, authorization: { ...authorization, ...numbers } }
}
