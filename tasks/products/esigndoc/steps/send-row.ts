import { Type } from 'typebox'
import { newId, step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Send an envelope of a batch, and charge for it.',
  payload: Type.Object({
    batch: Type.String({ format: 'uuid' }),
    ...{ position: Type.Integer(), charge: Type.String(), baton: Type.Object({}, { additionalProperties: true }) },
  }),
  run: ({ batch, position, charge, baton }, { sql }: StepDeps<typeof callers>) =>
    sql.sendRow({ batch, position }, newId(), BigInt(charge), baton),
})
