import { chore } from '#kit'
import type * as callers from '../../../../sql/witness/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 1_000

export default chore<StepDeps<typeof callers>>({
  summary: 'Forget records of witnesses that were kept for their time.',
  every: '* * * * *',
  async run({ sql, log }) {
    const forgotten = await sql.forgetWitnesses(BATCH)
    if (forgotten > 0) log({ forgotten }, 'witness records forgotten')
  },
})
