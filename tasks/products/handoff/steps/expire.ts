import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/handoff/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Let a hand-off that nobody has claimed expire.',
  payload: Type.Object({ handoffId: Type.String({ format: 'uuid' }) }),
  run: ({ handoffId }, { sql }: StepDeps<typeof callers>) => sql.expireHandoff(handoffId),
})
