import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/idverify/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'End a verification that was not used in time.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  run: ({ id }, { sql }: StepDeps<typeof callers>) => sql.expireWhenDue(id),
})
