import type { Stripe } from 'stripe'

const MICROS_PER_CENT = 10_000n

/** What a message of Stripe's means for the books. `event` is its name: it is told again until we say that we have heard. */
export type News =
  | {
      kind: 'paid'
      event: string
      checkoutId: string
      amountMicros: bigint
      reference: string
      intent: string | undefined
    }
  | { kind: 'ended'; event: string; checkoutId: string; how: 'expired' | 'failed' }
  | {
      kind: 'reversed'
      event: string
      intent: string
      subject: string
      amountMicros: bigint
      isClosed: boolean
      /** Ours by its own words, so that a payment we have not heard of yet is worth waiting for. */
      isOurs: boolean
    }

/** Nothing where a message is of no concern. */
export function newsIn(event: Stripe.Event): News | undefined {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paid(event.id, event.data.object)
    case 'checkout.session.expired':
      return ended(event.id, event.data.object, 'expired')
    case 'checkout.session.async_payment_failed':
      return ended(event.id, event.data.object, 'failed')
    case 'charge.refunded':
      return refunded(event.id, event.data.object)
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return disputed(event.id, event.type, event.data.object)
    default:
      return undefined
  }
}

function paid(event: string, session: Stripe.Checkout.Session): News | undefined {
  const { id: reference, client_reference_id: checkoutId, payment_status: status, amount_total: cents } = session
  if (status !== 'paid' || session.currency !== 'usd' || !checkoutId || cents === null) return undefined
  const amountMicros = BigInt(cents) * MICROS_PER_CENT
  return { kind: 'paid', event, checkoutId, amountMicros, reference, intent: idOf(session.payment_intent) }
}

function ended(event: string, session: Stripe.Checkout.Session, how: 'expired' | 'failed'): News | undefined {
  const { client_reference_id: checkoutId } = session
  return checkoutId ? { kind: 'ended', event, checkoutId, how } : undefined
}

/** A charge says how much of it was refunded in all, so that several refunds are one growing amount. */
function refunded(event: string, charge: Stripe.Charge): News | undefined {
  const intent = idOf(charge.payment_intent)
  if (!intent || charge.currency !== 'usd') return undefined
  const amountMicros = BigInt(charge.amount_refunded) * MICROS_PER_CENT
  const isOurs = charge.metadata?.checkout !== undefined
  return { kind: 'reversed', event, intent, subject: charge.id, amountMicros, isClosed: false, isOurs }
}

/**
 * The money of a dispute is gone from its beginning and comes back when it is won. An inquiry takes no money, so that
 * it only counts once it becomes more.
 */
function disputed(event: string, type: string, dispute: Stripe.Dispute): News | undefined {
  const { id: subject, amount, currency, status } = dispute
  const intent = idOf(dispute.payment_intent)
  const isInquiry = status.startsWith('warning_')
  if (!intent || currency !== 'usd' || (isInquiry && type !== 'charge.dispute.closed')) return undefined
  const isBack = type === 'charge.dispute.funds_reinstated' || status === 'won' || isInquiry
  const amountMicros = isBack ? 0n : BigInt(amount) * MICROS_PER_CENT
  return { kind: 'reversed', event, intent, subject, amountMicros, isClosed: isBack, isOurs: false }
}

function idOf(named: string | { id: string } | null): string | undefined {
  return typeof named === 'string' ? named : (named?.id ?? undefined)
}
