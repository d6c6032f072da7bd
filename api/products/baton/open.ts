import { type BatonUses, openBatonUses } from '../../../sql/baton/index.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { batonDelivery } from './delivery.ts'
import { batonSource } from './source.ts'
import { Tails } from './tails.ts'
import { receiveUploads } from './upload.ts'

/**
 * Reads and writes of batons, calls that wait for their changes, which the database announces, batons as files and places of
 * outputs, and what is uploaded into them.
 */
export default function openBatons({ databaseUrl, db }: PlatformParts): OpenedProduct {
  const [batons, tails] = [openBatonUses(db, databaseUrl, 'api'), new Tails()]
  return {
    parts: { batons, tails },
    calls: { sources: [batonSource], deliveries: [batonDelivery] },
    uploads: receiveUploads({ db }),
    listens: { baton_changed: id => tails.onNotify(id) },
    onMissed: () => tails.wakeAll(),
    stop: () => tails.endAll(),
    close: () => batons.close(),
  }
}

declare module '../../context.ts' {
  interface ProductParts {
    batons: BatonUses
    tails: Tails
  }
}
