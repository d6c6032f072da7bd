import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/connector/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 1_000

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete expired codes and tokens of connectors, and clients that nobody has approved.',
  every: '*/10 * * * *',
  async run({ sql, log }) {
    await forgetInBatches(() => sql.forgetExpiredConnections(BATCH), log, 'expired tokens of connectors deleted')
  },
})
