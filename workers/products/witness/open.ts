import { sealDueBatons } from '../../../ops/products/witness/due.ts'
import type { WorkerProduct } from '../../context.ts'

const witnesses: WorkerProduct = {
  bindDeps: ({ db, config, store, log }) => ({
    sealDue: (limit: number) => sealDueBatons({ db, config, store, log }, limit),
  }),
}

export default witnesses
