import type { Stripe } from 'stripe'
import type { BillingEvent } from './contract.ts'

const MICROS_PER_CENT = 10_000n

/** Gives undefined for an event that does not concern us. */
export function parseStripeEvent(event: Stripe.Event): BillingEvent | undefined {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return parsePaid(event.id, event.data.object)
    case 'checkout.session.expired':
      return parseEnded(event.id, event.data.object, 'expired')
    case 'checkout.session.async_payment_failed':
      return parseEnded(event.id, event.data.object, 'failed')
    case 'charge.refunded':
      return parseRefundedCharge(event.id, event.data.object)
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return parseRefund(event.data.object)
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return parseDispute(event.id, event.type, event.data.object)
    default:
      return undefined
  }
}

function parsePaid(event: string, session: Stripe.Checkout.Session): BillingEvent | undefined {
  const { id: reference, client_reference_id: checkoutId, payment_status: status, amount_total: cents } = session
  if (status !== 'paid' || session.currency !== 'usd' || !checkoutId || cents === null) return undefined
  const amountMicros = BigInt(cents) * MICROS_PER_CENT
  return { kind: 'paid', event, checkoutId, amountMicros, reference, intent: readId(session.payment_intent) }
}

function parseEnded(
  event: string,
  session: Stripe.Checkout.Session,
  reason: 'expired' | 'failed',
): BillingEvent | undefined {
  const { client_reference_id: checkoutId } = session
  return checkoutId ? { kind: 'ended', event, checkoutId, reason } : undefined
}

/** A charge reports the total that was refunded, so several refunds arrive as one growing amount. */
function parseRefundedCharge(event: string, charge: Stripe.Charge): BillingEvent | undefined {
  const intent = readId(charge.payment_intent)
  if (!intent || charge.currency !== 'usd') return undefined
  const amountMicros = BigInt(charge.amount_refunded) * MICROS_PER_CENT
  const isOurs = charge.metadata?.checkout !== undefined
  return { kind: 'reversed', event, intent, subject: charge.id, amountMicros, isClosed: false, isOurs }
}

/** A refund counts from its start; it may fail weeks after it succeeded. */
function parseRefund({ id, amount, currency, status, ...refund }: Stripe.Refund): BillingEvent | undefined {
  const intent = readId(refund.payment_intent)
  const charge = readId(refund.charge)
  if (!intent || !charge || currency !== 'usd' || amount <= 0) return undefined
  const isFailed = status === 'failed' || status === 'canceled'
  return { kind: 'refund', id, charge, intent, amountMicros: BigInt(amount) * MICROS_PER_CENT, isFailed }
}

/**
 * A dispute takes the money at its start and returns it when we win. An inquiry takes no money, so it counts only once
 * it becomes a dispute.
 */
function parseDispute(event: string, type: string, dispute: Stripe.Dispute): BillingEvent | undefined {
  const { id: subject, amount, currency, status } = dispute
  const intent = readId(dispute.payment_intent)
  const isInquiry = status.startsWith('warning_')
  if (!intent || currency !== 'usd' || (isInquiry && type !== 'charge.dispute.closed')) return undefined
  const isReturned = type === 'charge.dispute.funds_reinstated' || status === 'won' || isInquiry
  const amountMicros = isReturned ? 0n : BigInt(amount) * MICROS_PER_CENT
  return { kind: 'reversed', event, intent, subject, amountMicros, isClosed: isReturned, isOurs: false }
}

function readId(reference: string | { id: string } | null): string | undefined {
  return typeof reference === 'string' ? reference : (reference?.id ?? undefined)
}
