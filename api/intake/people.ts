import { openStripe } from '../../ops/billing/stripe.ts'
import type { Config } from '../../ops/config.ts'
import type { Logger } from '../../ops/log.ts'
import { openMailer } from '../../ops/mail/mailer.ts'
import { openProviders } from '../../ops/sign-in/provider.ts'
import type { Floor } from '../floor.ts'

/** What lets people in and takes their money: mail, sign-in providers, Stripe; each as far as it is configured. */
export function openPeople(config: Config, log: Logger): Pick<Floor, 'mail' | 'providers' | 'stripe'> {
  return {
    mail: openMailer(config, log),
    providers: openProviders(config),
    stripe: config.stripe && openStripe(config.stripe),
  }
}
