import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/channel/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete channels that were over a day ago, with all they hold.',
  every: '47 * * * *',
  async run({ sql, log }) {
    await forgetInBatches(() => sql.forgetChannels(), log, 'old channels deleted')
  },
})
