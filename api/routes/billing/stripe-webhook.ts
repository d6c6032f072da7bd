import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import type { News } from '../../../ops/billing/stripe-news.ts'
import { endCheckout, noteIntent, payCheckout, reverseCheckout } from '../../../sql/checkout.ts'
import type { Floor } from '../../floor.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/billing/stripe-webhook',
  summary: 'Where Stripe tells that a checkout was paid, was left, or that its money went back.',
  auth: ['none'],
  rawBody: true,
  hidden: true,
  reply: { status: 200, schema: Type.Object({ received: Type.Literal(true) }) },
  errors: ['INVALID_WEBHOOK_SIGNATURE', 'PROVIDER_NOT_CONFIGURED', 'BUSY'],
  async handle({ request }, floor) {
    const { stripe } = floor
    if (!stripe) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'checkout', adapters: ['stripe'] })
    const { body, headers } = request
    if (!Buffer.isBuffer(body)) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
    const news = await stripe.read(body, String(headers['stripe-signature'] ?? ''))
    if (news) await act(floor, news)
    return { received: true }
  },
})

async function act(floor: Floor, news: News): Promise<void> {
  const { db, log } = floor
  if (news.kind === 'reversed') {
    const outcome = await reverseCheckout(db, news)
    // Stripe tells in no order: what it says again later may by then be of a payment that we know.
    if (outcome === 'unknown' && news.isOurs) throw new Problem('BUSY')
    const { event, subject } = news
    log.warn({ event, subject, outcome, amountMicros: news.amountMicros.toString() }, 'money of a payment went back')
  } else if (isUuid(news.checkoutId)) {
    await (news.kind === 'paid' ? credit(floor, news) : endCheckout(db, { ...news, id: news.checkoutId, provider }))
  }
}

const provider = 'stripe'

async function credit({ db, log }: Floor, news: News & { kind: 'paid' }): Promise<void> {
  const { event, checkoutId: id, amountMicros, reference, intent } = news
  if (intent) await noteIntent(db, id, intent)
  const outcome = await payCheckout(db, { id, provider, event, amountMicros, reference })
  if (outcome === 'mismatch' || outcome === 'unknown')
    log.error({ event, checkoutId: id, outcome, amountMicros: amountMicros.toString() }, 'a payment nobody asked for')
}
