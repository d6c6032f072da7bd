import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/screening/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Forget screenings past their retention, and do so again the next day.',
  payload: Type.Object({}),
  run: async (_payload, { sql, log }: StepDeps<typeof callers>) => {
    const forgotten = await sql.forgetScreenings()
    if (forgotten > 0) log({ forgotten }, 'screenings forgotten')
  },
})
