import { drawBatons } from '../../../sql/baton/index.ts'
import type { WorkerProduct } from '../../context.ts'
import { batonDelivery } from './delivery.ts'

/** Batons as files of jobs and as places of their outputs. */
const batons: WorkerProduct = {
  draws: { batonId: drawBatons },
  delivery: batonDelivery,
}

export default batons
