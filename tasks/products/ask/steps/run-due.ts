import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/ask/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'End an ask whose time is over, remind its recipients, or ask those of the next step.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  run: ({ id }, { sql }: StepDeps<typeof callers>) => sql.runDue(id),
})
