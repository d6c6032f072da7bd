import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import type { BillingEvent } from '../../../ops/providers/billing/contract.ts'
import { finishCheckout, noteIntent, noteRefund, payCheckout, reverseCheckout } from '../../../sql/checkout.ts'
import type { ApiContext } from '../../context.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/billing/stripe-webhook',
  summary:
    'Receive events from Stripe: a checkout was paid or abandoned, its payment was reversed, or a refund of it failed.',
  auth: ['none'],
  rawBody: true,
  hidden: true,
  reply: { status: 200, schema: Type.Object({ received: Type.Literal(true) }) },
  errors: ['INVALID_WEBHOOK_SIGNATURE', 'PROVIDER_NOT_CONFIGURED', 'BUSY'],
  async handle({ request }, context) {
    const { stripe } = context
    if (!stripe) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'checkout', adapters: ['stripe'] })
    const { body, headers } = request
    if (!Buffer.isBuffer(body)) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
    const notification = await stripe.readEvent(body, String(headers['stripe-signature'] ?? ''))
    if (notification) await applyNotification(context, notification)
    return { received: true }
  },
})

async function applyNotification(context: ApiContext, notification: BillingEvent): Promise<void> {
  const { db, log } = context
  if (notification.kind === 'reversed') {
    const outcome = await reverseCheckout(db, notification)
    // Stripe sends events in no particular order, and BUSY makes it send this one again, after the payment is known.
    if (outcome === 'unknown' && notification.isOurs) throw new Problem('BUSY')
    const { event, subject } = notification
    log.warn({ event, subject, outcome, amountMicros: notification.amountMicros.toString() }, 'a payment was reversed')
  } else if (notification.kind === 'refund') {
    const { id: refund, charge, isFailed } = notification
    const outcome = await noteRefund(db, notification)
    const amountMicros = notification.amountMicros.toString()
    log.warn({ refund, charge, outcome, amountMicros }, isFailed ? 'a refund failed' : 'a payment is being refunded')
  } else if (isUuid(notification.checkoutId)) {
    await (notification.kind === 'paid'
      ? creditPayment(context, notification)
      : finishCheckout(db, { ...notification, id: notification.checkoutId, provider }))
  }
}

const provider = 'stripe'

async function creditPayment({ db, log }: ApiContext, notification: BillingEvent & { kind: 'paid' }): Promise<void> {
  const { event, checkoutId: id, amountMicros, reference, intent } = notification
  if (intent) await noteIntent(db, id, intent)
  const outcome = await payCheckout(db, { id, provider, event, amountMicros, reference })
  if (outcome === 'mismatch' || outcome === 'unknown')
    log.error(
      { event, checkoutId: id, outcome, amountMicros: amountMicros.toString() },
      'a payment does not match a checkout',
    )
}
