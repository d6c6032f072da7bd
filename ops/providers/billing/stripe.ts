import type { Stripe } from 'stripe'
import { Problem } from '#kit'
import type { Config } from '../../config.ts'
import type { BillingProvider } from './contract.ts'
import { parseStripeEvent } from './stripe-events.ts'

const MICROS_PER_CENT = 10_000n

/** Stripe Checkout. The SDK is loaded here, so that an installation without Stripe does not pay for it. */
export function openStripeBilling(config: NonNullable<Config['stripe']>): BillingProvider {
  const connecting = connect(config)
  return {
    openCheckout: async ({ id, amountMicros, returnUrl }) => {
      const stripe = await connecting
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
    readEvent: async (message, signature) => {
      const stripe = await connecting
      const event = await stripe.webhooks
        .constructEventAsync(message, signature, config.webhookSecret)
        .catch(() => undefined)
      if (!event) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
      return parseStripeEvent(event)
    },
  }
}

async function connect({ secretKey, apiUrl }: NonNullable<Config['stripe']>): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const options = { maxNetworkRetries: 2, timeout: 15_000, telemetry: false }
  if (!apiUrl) return new Stripe(secretKey, options)
  const { hostname, port, protocol } = new URL(apiUrl)
  return new Stripe(secretKey, { ...options, host: hostname, port, protocol: protocol === 'http:' ? 'http' : 'https' })
}
