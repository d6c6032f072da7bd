import type { OpenedProduct } from '../../product-parts.ts'
import { Waits } from './waits.ts'

declare module '../../context.ts' {
  interface ProductParts {
    /** Calls that wait for locks and barriers. */
    coordinationWaits: Waits
  }
}

export default function openCoordination(): OpenedProduct {
  const waits = new Waits()
  return {
    parts: { coordinationWaits: waits },
    listens: { coordination: key => waits.wake(key) },
    onMissed: () => waits.wakeAll(),
    stop: () => waits.endAll(),
  }
}
