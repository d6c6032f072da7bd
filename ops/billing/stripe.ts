import type { Stripe } from 'stripe'
import { Problem } from '#kit'
import type { Config } from '../config.ts'

const MICROS_PER_CENT = 10_000n

export interface Payment {
  /** What Stripe calls this piece of news; it is told again until we say that we have heard. */
  event: string
  checkoutId: string
  amountMicros: bigint
  reference: string
}

/** Stripe Checkout: a page of theirs takes the card, and a signed message tells us that it was paid. */
export interface StripeDoor {
  open(checkout: {
    id: string
    amountMicros: bigint
    email?: string
    returnUrl: string
  }): Promise<{ url: string; reference: string }>
  /** What a message says was paid; nothing when it is of no concern. Throws when Stripe has not signed it. */
  read(message: Buffer, signature: string): Promise<Payment | undefined>
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
      return paymentIn(event)
    },
  }
}

function paymentIn(event: Stripe.Event): Payment | undefined {
  if (event.type !== 'checkout.session.completed' && event.type !== 'checkout.session.async_payment_succeeded')
    return undefined
  const {
    id,
    client_reference_id: checkoutId,
    payment_status: status,
    amount_total: cents,
    currency,
  } = event.data.object
  if (status !== 'paid' || currency !== 'usd' || !checkoutId || cents === null) return undefined
  return { event: event.id, checkoutId, amountMicros: BigInt(cents) * MICROS_PER_CENT, reference: id }
}

async function connect({ secretKey, apiUrl }: NonNullable<Config['stripe']>): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const shared = { maxNetworkRetries: 2, timeout: 15_000, telemetry: false }
  if (!apiUrl) return new Stripe(secretKey, shared)
  const { hostname, port, protocol } = new URL(apiUrl)
  return new Stripe(secretKey, { ...shared, host: hostname, port, protocol: protocol === 'http:' ? 'http' : 'https' })
}
