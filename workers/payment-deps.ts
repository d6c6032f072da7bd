import type { Facilitator, SignedPayment } from '#kit'
import { unseal } from '../ops/secrets.ts'
import type { Db } from '../sql/db.ts'
import {
  deleteExpiredPayments,
  listUnresolvedChunks,
  markChunkFailed,
  markChunkSettled,
  markChunkUnknown,
  takeDueChunks,
} from '../sql/payment.ts'
import type { PaymentDeps } from '../tasks/chores/deps.ts'

export function bindPaymentDeps(db: Db, secret: string, facilitator: Facilitator): PaymentDeps {
  const unsealChunk = <Chunk extends { id: string; sealed: string }>({ sealed, ...chunk }: Chunk) => ({
    ...chunk,
    payment: parsePayment(unseal(secret, sealed, chunk.id)),
  })
  return {
    claimDue: async limit => (await takeDueChunks(db, limit)).map(unsealChunk),
    listUnresolved: async (ageSeconds, limit) => (await listUnresolvedChunks(db, ageSeconds, limit)).map(unsealChunk),
    settle: payment => facilitator.settle(payment),
    find: payment => facilitator.find(payment),
    markSettled: (id, txHash) => markChunkSettled(db, id, txHash),
    markFailed: (id, reason) => markChunkFailed(db, id, reason),
    markUnknown: (id, txHash) => markChunkUnknown(db, id, txHash),
    deleteExpired: () => deleteExpiredPayments(db),
  }
}

/** Amounts and times are stored as text, because JSON has no large numbers. */
function parsePayment(text: string): SignedPayment {
  const { authorization, ...payment } = JSON.parse(text) as SignedPayment
  const { value, validAfter, validBefore } = authorization
  const numbers = { value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
  return { ...payment, authorization: { ...authorization, ...numbers } }
}
