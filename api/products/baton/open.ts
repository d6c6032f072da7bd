import type { OpenedProduct } from '../../product-parts.ts'
import { Tails } from './tails.ts'

/** The calls that wait for changes of batons, which the database announces. */
export default function openBatons(): OpenedProduct {
  const tails = new Tails()
  return {
    parts: { tails },
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
