import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/contract/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete contracts that came to nothing long ago, with their logs.',
  every: '57 * * * *',
  async run({ sql, settings, log }) {
    await forgetInBatches(() => sql.forgetContracts(settings.get('contract.days')), log, 'old contracts deleted')
  },
})
