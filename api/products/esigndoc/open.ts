import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { DocumentWaits } from './document-waits.ts'

/** The calls that wait for a worker to look at documents. */
export default function openEnvelopes({ db }: PlatformParts): OpenedProduct {
  const documentWaits = new DocumentWaits(db)
  return {
    parts: { documentWaits },
    listens: { envelope_documents: key => documentWaits.wake(key) },
    onMissed: () => documentWaits.wakeAll(),
    stop: () => documentWaits.wakeAll(),
  }
}

declare module '../../context.ts' {
  interface ProductParts {
    documentWaits: DocumentWaits
  }
}
