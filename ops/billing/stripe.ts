import type { Stripe } from 'stripe'
import { Problem } from '#kit'
import type { Config } from '../config.ts'
import { type News, newsIn } from './stripe-news.ts'

const MICROS_PER_CENT = 10_000n

/** Stripe Checkout: a page of theirs takes the card, and a signed message tells us that it was paid. */
export interface StripeDoor {
  open(checkout: {
    id: string
    amountMicros: bigint
    email?: string
    returnUrl: string
  }): Promise<{ url: string; reference: string }>
  /** What a message means; nothing when it is of no concern. Throws when Stripe has not signed it. */
  read(message: Buffer, signature: string): Promise<News | undefined>
}

export function openStripe(config: NonNullable<Config['stripe']>): StripeDoor {
  const opening = connect(config)
  return {
    open: async ({ id, amountMicros, returnUrl }) => {
      const stripe = await opening
      try {
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: id,
            payment_intent_data: { metadata: { checkout: id } },
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: 'usd',
                  unit_amount: Number(amountMicros / MICROS_PER_CENT),
                  product_data: { name: 'Prepaid credit' },
                },
              },
            ],
            success_url: `${returnUrl}?checkout=done`,
            cancel_url: `${returnUrl}?checkout=cancelled`,
          },
          { idempotencyKey: id },
        )
        return { url: session.url!, reference: session.id }
      } catch {
        throw new Problem('PROVIDER_UNAVAILABLE')
      }
    },
    read: async (message, signature) => {
      const stripe = await opening
      const event = await stripe.webhooks
        .constructEventAsync(message, signature, config.webhookSecret)
        .catch(() => undefined)
      if (!event) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
      return newsIn(event)
    },
  }
}

async function connect({ secretKey, apiUrl }: NonNullable<Config['stripe']>): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const shared = { maxNetworkRetries: 2, timeout: 15_000, telemetry: false }
  if (!apiUrl) return new Stripe(secretKey, shared)
  const { hostname, port, protocol } = new URL(apiUrl)
  return new Stripe(secretKey, { ...shared, host: hostname, port, protocol: protocol === 'http:' ? 'http' : 'https' })
}
