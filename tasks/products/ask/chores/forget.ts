import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/ask/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete asks that ended long ago, with their replies, files and logs.',
  every: '52 * * * *',
  async run({ sql, settings, log }) {
    await forgetInBatches(() => sql.forgetAsks(settings.get('ask.days')), log, 'old asks deleted')
  },
})
