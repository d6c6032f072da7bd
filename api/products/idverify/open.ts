import type { IdentityProvider } from '../../../ops/providers/identity/contract.ts'
import { openIdentityProvider } from '../../../ops/providers/identity/open.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

declare module '../../context.ts' {
  interface ProductParts {
    /** Who verifies identities on pages of its own; undefined if the operator's reviewers alone do. */
    identityProvider: IdentityProvider | undefined
  }
}

export default function openIdentities({ config }: PlatformParts): OpenedProduct {
  return { parts: { identityProvider: openIdentityProvider(config.identity) } }
}
