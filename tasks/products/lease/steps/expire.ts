import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/lease/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'End a lease when its time is over or when it was handed off for good, and delete what it holds.',
  payload: Type.Object({ leaseId: Type.String({ format: 'uuid' }) }),
  run: ({ leaseId }, { sql }: StepDeps<typeof callers>) => sql.expireLease(leaseId),
})
