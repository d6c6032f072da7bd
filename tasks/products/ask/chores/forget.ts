import { chore } from '#kit'
import type * as callers from '../../../../sql/ask/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete asks that ended long ago, with their replies, files and logs.',
  every: '52 * * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetAsks(settings.get('ask.days'))
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old asks deleted')
  },
})
