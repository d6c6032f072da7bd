import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Remind those who have not signed an envelope, or end it when its time is over.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  run: ({ id }, { sql }: StepDeps<typeof callers>) => sql.runDue(id),
})
