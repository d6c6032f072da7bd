import type { OpenedProduct } from '../../product-parts.ts'
import { batonDelivery } from './delivery.ts'
import { batonSource } from './source.ts'
import { Tails } from './tails.ts'

/** The calls that wait for changes of batons, which the database announces, and batons as files and places of outputs. */
export default function openBatons(): OpenedProduct {
  const tails = new Tails()
  return {
    parts: { tails },
    calls: { sources: [batonSource], deliveries: [batonDelivery] },
    listens: { baton_changed: id => tails.onNotify(id) },
    onMissed: () => tails.wakeAll(),
    stop: () => tails.endAll(),
  }
}

declare module '../../context.ts' {
  interface ProductParts {
    tails: Tails
  }
}
