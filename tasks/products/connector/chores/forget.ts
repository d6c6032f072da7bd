import { chore } from '#kit'
import type * as callers from '../../../../sql/connector/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 1_000

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete expired codes and tokens of connectors, and clients that nobody has approved.',
  every: '*/10 * * * *',
  async run({ sql, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetExpiredConnections(BATCH)
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'expired tokens of connectors deleted')
  },
})
