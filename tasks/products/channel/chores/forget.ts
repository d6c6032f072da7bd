import { chore } from '#kit'
import type * as callers from '../../../../sql/channel/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete channels that were over a day ago, with all they hold.',
  every: '47 * * * *',
  async run({ sql, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetChannels()
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old channels deleted')
  },
})
