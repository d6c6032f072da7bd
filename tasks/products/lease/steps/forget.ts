import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/lease/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Forget a lease that ended long ago. Queued at its end, it queues itself for then.',
  payload: Type.Object({ leaseId: Type.String({ format: 'uuid' }) }),
  run: ({ leaseId }, { sql, settings }: StepDeps<typeof callers>) =>
    sql.forgetLease(leaseId, settings.get('lease.tombstone_days')),
})
