import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/contract/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'End a contract that was not signed in time.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  run: ({ id }, { sql }: StepDeps<typeof callers>) => sql.expireContract(id),
})
