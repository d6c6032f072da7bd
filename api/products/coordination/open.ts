import { type LockUses, openLockUses } from '../../../sql/coordination/locks.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

export default function openCoordination({ databaseUrl, db }: PlatformParts): OpenedProduct {
  const locks = openLockUses(db, databaseUrl, 'api')
  return { parts: { locks }, close: () => locks.close() }
}

declare module '../../context.ts' {
  interface ProductParts {
    locks: LockUses
  }
}
