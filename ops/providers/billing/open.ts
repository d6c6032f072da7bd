import type { Config } from '../../config.ts'
import type { BillingProvider } from './contract.ts'
import { openStripeBilling } from './stripe.ts'

/** Gives undefined without Stripe; top-ups are then off, or test money that the api books itself (TEST_CHECKOUT). */
export function openBilling({ stripe }: Pick<Config, 'stripe'>): BillingProvider | undefined {
  return stripe && openStripeBilling(stripe)
}
