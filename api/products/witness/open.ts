import { keySetUrl, openSigningKey } from '../../../ops/products/witness/index.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

/** What other products ask of the key that signs witnesses before they sell one. */
interface WitnessSigning {
  /** Where its public part is. */
  keySetUrl: string
  /** Throws, before any charge, if nothing could be signed. */
  requireKey(): Promise<void>
}

export default function openWitness({ config, db }: PlatformParts): OpenedProduct {
  const requireKey = async () => void (await openSigningKey(db, config.secret))
  return { parts: { signing: { keySetUrl: keySetUrl(config), requireKey } } }
}

declare module '../../context.ts' {
  interface ProductParts {
    signing: WitnessSigning
  }
}
