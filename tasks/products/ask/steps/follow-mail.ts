import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/ask/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Note what became of the mail to a recipient of an ask.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }), key: Type.String() }),
  run: ({ id, key }, { sql }: StepDeps<typeof callers>) => sql.followMail(id, key),
})
