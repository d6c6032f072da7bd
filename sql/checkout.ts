import { newId } from '#kit'
import { type Db, value } from './db.ts'

export type CheckoutProvider = 'stripe' | 'test'

interface Checkout {
  id: string
  provider: CheckoutProvider
  amountMicros: string
  paidAt: string | null
}

export async function openCheckout(
  db: Db,
  checkout: { accountId: string; provider: CheckoutProvider; amountMicros: bigint },
): Promise<string> {
  const id = newId()
  const { accountId, provider, amountMicros } = checkout
  await value(db, 'select checkout.open($1, $2, $3, $4)', [id, accountId, provider, amountMicros])
  return id
}

/** Records the provider's id of a checkout. */
export async function noteCheckout(db: Db, id: string, reference: string): Promise<void> {
  await value(db, 'select checkout.note($1, $2)', [id, reference])
}

export async function readCheckout(db: Db, accountId: string, id: string): Promise<Checkout | undefined> {
  return (await value<Checkout | null>(db, 'select checkout.read($1, $2)', [accountId, id])) ?? undefined
}

/** Records the id by which the provider's later events refer to the payment. */
export async function noteIntent(db: Db, id: string, intent: string): Promise<void> {
  await value(db, 'select checkout.note_intent($1, $2)', [id, intent])
}

/** Records that a checkout will not be paid. */
export function finishCheckout(
  db: Db,
  checkout: { id: string; provider: CheckoutProvider; reason: 'expired' | 'failed' },
): Promise<boolean> {
  const { id, provider, reason } = checkout
  return value(db, 'select checkout.finish($1, $2, $3)', [id, provider, reason])
}

interface Reversal {
  event: string
  intent: string
  /** The dispute, or the charge with all its refunds, that the event is about. */
  subject: string
  /** How much of the payment it has returned to the payer so far. */
  amountMicros: bigint
  /** Whether later events cannot change it any more. */
  isClosed: boolean
}

/** Takes from the account what was returned to the payer. A repeated event changes nothing. */
export function reverseCheckout(db: Db, reversal: Reversal): Promise<'reversed' | 'repeat' | 'late' | 'unknown'> {
  const { event, intent, subject, amountMicros, isClosed } = reversal
  return value(db, 'select checkout.reverse($1, $2, $3, $4, $5)', [event, intent, subject, amountMicros, isClosed])
}

interface CardRefund {
  id: string
  charge: string
  intent: string
  amountMicros: bigint
  /** The money did not reach the payer and is back with us. */
  isFailed: boolean
}

/** Takes one refund from the account, or gives it back if it failed. A repeated event changes nothing. */
export function noteRefund(db: Db, refund: CardRefund): Promise<'reversed' | 'repeat' | 'unknown'> {
  const { id, charge, intent, amountMicros, isFailed } = refund
  return value(db, 'select checkout.note_refund($1, $2, $3, $4, $5)', [id, charge, intent, amountMicros, isFailed])
}

/** Credits a checkout that was paid. A repeated event changes nothing. */
export function payCheckout(
  db: Db,
  paid: { id: string; provider: CheckoutProvider; event: string; amountMicros: bigint; reference?: string },
): Promise<'paid' | 'repeat' | 'mismatch' | 'unknown'> {
  const { id, provider, event, amountMicros, reference } = paid
  const values = [id, provider, event, amountMicros, reference ?? null]
  return value(db, 'select checkout.pay($1, $2, $3, $4, $5)', values)
}
