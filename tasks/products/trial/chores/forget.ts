import { chore } from '#kit'
import type * as callers from '../../../../sql/trial/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Forget how often each network has tried something on earlier days.',
  every: '27 3 * * *',
  async run({ sql }) {
    await sql.forgetTrialUses()
  },
})
