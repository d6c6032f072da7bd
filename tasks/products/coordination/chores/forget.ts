import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/coordination/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete locks that nobody has held for long, and old rounds of barriers.',
  every: '41 3 * * *',
  async run({ sql, settings, log }) {
    await forgetInBatches(
      () => sql.forgetUnused(settings.get('coordination.unused_days')),
      log,
      'unused locks and barriers deleted',
    )
  },
})
