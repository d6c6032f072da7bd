import { chore } from '#kit'
import type * as callers from '../../../../sql/baton/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 200

export default chore<StepDeps<typeof callers>>({
  summary: 'Remove the content of batons that have expired or were deleted.',
  every: '* * * * *',
  async run({ sql, log }) {
    let removed = 0
    for (;;) {
      const count = await sql.purgeBatons(BATCH)
      removed += count
      if (count < BATCH) break
    }
    if (removed > 0) log({ removed }, 'batons purged')
  },
})
