import { chore } from '#kit'
import type * as callers from '../../../../sql/contract/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete contracts that came to nothing long ago, with their logs.',
  every: '57 * * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetContracts(settings.get('contract.days'))
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old contracts deleted')
  },
})
