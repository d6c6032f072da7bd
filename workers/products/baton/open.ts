import { drawBatons, purgeBatons } from '../../../sql/baton/index.ts'
import type { WorkerProduct } from '../../context.ts'
import { batonDelivery } from './delivery.ts'

/** Batons as files of jobs, as places of their outputs, and the end of batons that are over. */
const batons: WorkerProduct = {
  draws: { batonId: drawBatons },
  delivery: batonDelivery,
  bindDeps: ({ db }) => ({ batons: { purge: limit => purgeBatons(db, limit) } }),
}

export default batons
