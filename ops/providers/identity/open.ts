import type { IdentityProvider } from './contract.ts'
import { openDidit } from './didit.ts'
import { openOnfido } from './onfido.ts'
import { openPersona } from './persona.ts'
import type { IdentityConfig } from './settings.ts'
import { openStripe } from './stripe.ts'
import { openSumsub } from './sumsub.ts'
import { openVeriff } from './veriff.ts'

const ADAPTERS = {
  ...{ stripe: openStripe, veriff: openVeriff, persona: openPersona, didit: openDidit },
  ...{ onfido: openOnfido, sumsub: openSumsub },
}

/** Gives undefined without a provider; people verify identities then, if the operator has any. */
export function openIdentityProvider(config: IdentityConfig | undefined): IdentityProvider | undefined {
  return config && ADAPTERS[config.provider](config)
}
