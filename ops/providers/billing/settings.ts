import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings, type ProviderConfig, readPair } from '../../variables/declaration.ts'
import { Flag, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    stripe?: { secretKey: string; webhookSecret: string; apiUrl?: string }
    /** Top-ups are test money and new accounts are test accounts. */
    hasTestCheckout: boolean
  }
}

const variables = {
  STRIPE_SECRET_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'no Stripe',
    description: 'Key of the Stripe account that receives top-ups.',
  }),
  STRIPE_WEBHOOK_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description:
      'Secret that signs what Stripe sends to `/v1/billing/stripe-webhook`: `checkout.session.*`, `charge.refunded`, `charge.dispute.*`, `refund.*`.',
  }),
  STRIPE_API_URL: OptionalUrl({
    displayDefault: "Stripe's own",
    description: 'Another server with the same API as Stripe.',
  }),
  TEST_CHECKOUT: Flag(false, 'Top-ups are test money and new accounts are test accounts; `npm start` sets it.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Top-ups by card',
  variables,
  read: values => ({ stripe: readStripeConfig(values), hasTestCheckout: values.TEST_CHECKOUT }),
})

function readStripeConfig(values: Values): ProviderConfig['stripe'] {
  const [secretKey, webhookSecret] = readPair(values, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET')
  if (!secretKey || !webhookSecret) return undefined
  if (values.TEST_CHECKOUT) throw new ConfigError('TEST_CHECKOUT must be off when STRIPE_SECRET_KEY is set.')
  return { secretKey, webhookSecret, apiUrl: values.STRIPE_API_URL }
}
