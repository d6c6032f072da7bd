import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Note of a recipient whose address takes no mail that it bounced.',
  payload: Type.Object({
    ...{ recipient: Type.String({ format: 'uuid' }), name: Type.String(), key: Type.String() },
  }),
  run: ({ recipient, name, key }, { sql }: StepDeps<typeof callers>) => sql.followMail(recipient, name, key),
})
