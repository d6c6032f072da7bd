import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { payCheckout } from '../../../sql/checkout.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/billing/stripe-webhook',
  summary: 'Where Stripe tells that a checkout was paid.',
  auth: ['none'],
  rawBody: true,
  hidden: true,
  reply: { status: 200, schema: Type.Object({ received: Type.Literal(true) }) },
  errors: ['INVALID_WEBHOOK_SIGNATURE', 'PROVIDER_NOT_CONFIGURED'],
  async handle({ request }, { stripe, db, log }) {
    if (!stripe) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'checkout', adapters: ['stripe'] })
    const { body, headers } = request
    if (!Buffer.isBuffer(body)) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
    const payment = await stripe.read(body, String(headers['stripe-signature'] ?? ''))
    if (!payment || !isUuid(payment.checkoutId)) return { received: true }
    const { event, checkoutId: id, amountMicros, reference } = payment
    const outcome = await payCheckout(db, { id, provider: 'stripe', event, amountMicros, reference })
    if (outcome === 'mismatch' || outcome === 'unknown')
      log.error({ event, checkoutId: id, outcome, amountMicros: amountMicros.toString() }, 'a payment nobody asked for')
    return { received: true }
  },
})
