import { chore } from '#kit'
import type { StepDeps } from '../../step-deps.ts'

interface SealingDeps extends StepDeps {
  /** Witnesses batons that have ended without the witness that was paid for. */
  sealDue(limit: number): Promise<{ sealed: number; failed: number }>
}

/** The content of each is hashed. */
const BATCH = 50

export default chore<SealingDeps>({
  summary: 'Witness chained batons that have ended without it.',
  every: '* * * * *',
  async run({ sealDue, log }) {
    const total = { sealed: 0, failed: 0 }
    for (;;) {
      const { sealed, failed } = await sealDue(BATCH)
      total.sealed += sealed
      total.failed += failed
      if (sealed < BATCH) break
    }
    if (total.sealed + total.failed > 0) log(total, 'batons sealed')
  },
})
