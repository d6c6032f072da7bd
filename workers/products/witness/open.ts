import { sealDueBatons } from '../../../ops/witness/due.ts'
import { forgetWitnesses } from '../../../sql/witness/index.ts'
import type { WorkerProduct } from '../../context.ts'

const witnesses: WorkerProduct = {
  bindDeps: ({ db, config, store, log }) => ({
    witnesses: {
      sealDue: limit => sealDueBatons({ db, config, store, log }, limit),
      forget: limit => forgetWitnesses(db, limit),
    },
  }),
}

export default witnesses
