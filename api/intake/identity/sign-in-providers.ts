import type { Config } from '../../../ops/config.ts'
import type { Logger } from '../../../ops/log.ts'
import { openBilling } from '../../../ops/providers/billing/open.ts'
import { openMailer } from '../../../ops/providers/mail/open.ts'
import { openSignInProviders } from '../../../ops/providers/sign-in/open.ts'
import type { ApiContext } from '../../context.ts'

/** Opens mail, sign-in and billing providers, each only if it is configured. */
export function openIdentityProviders(config: Config, log: Logger): Pick<ApiContext, 'mail' | 'providers' | 'stripe'> {
  return {
    mail: openMailer(config, log),
    providers: openSignInProviders(config),
    stripe: openBilling(config),
  }
}
