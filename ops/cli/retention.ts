import { listRetention } from '../../sql/product/retention.ts'
import { formatTable } from './print.ts'
import type { Runs } from './verb.ts'

export const runs: Runs = {
  async ''({ db }) {
    const kept = await listRetention(db)
    const lines = kept.map(({ product, of, after, removedBy, due }) => [product, of, after, removedBy, due])
    return { data: kept, text: formatTable(['product', 'kept', 'until after', 'removed by', 'due'], lines) }
  },
}
