import { chore } from '#kit'
import type * as callers from '../../../../sql/coordination/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete locks that nobody has held for long, and old rounds of barriers.',
  every: '41 3 * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetUnused(settings.get('coordination.unused_days'))
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'unused locks and barriers deleted')
  },
})
