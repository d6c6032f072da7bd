import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/screening/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'End a monitor when its time is over.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  run: ({ id }, { sql }: StepDeps<typeof callers>) => sql.endMonitorWhenDue(id),
})
