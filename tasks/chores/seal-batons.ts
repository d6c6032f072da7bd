import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

/** The content of each is hashed. */
const BATCH = 50
const FORGET_BATCH = 1_000

export default chore<ChoreDeps>({
  summary: 'Witness chained batons that have ended without it, and forget records that were kept for their time.',
  every: '* * * * *',
  async run({ witnesses, log }) {
    const total = { sealed: 0, failed: 0 }
    for (;;) {
      const { sealed, failed } = await witnesses.sealDue(BATCH)
      total.sealed += sealed
      total.failed += failed
      if (sealed < BATCH) break
    }
    if (total.sealed + total.failed > 0) log(total, 'batons sealed')
    const forgotten = await witnesses.forget(FORGET_BATCH)
    if (forgotten > 0) log({ forgotten }, 'witness records forgotten')
  },
})
