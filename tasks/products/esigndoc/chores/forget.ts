import { chore } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete drafts and envelopes that came to nothing long ago, with their documents and logs.',
  every: '41 * * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetEnvelopes(settings.get('esigndoc.days'))
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old envelopes deleted')
  },
})
