import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

/** An expired mailbox may hold thousands of messages, so few are ended in one transaction. */
const BATCH = 20

export default chore<ChoreDeps>({
  summary: 'Delete what expired checkpoints and mailboxes hold, and forget those that ended long ago.',
  every: '* * * * *',
  async run({ leases, log }) {
    let swept = 0
    for (let batch = BATCH; batch >= BATCH; ) {
      batch = await leases.sweep(BATCH)
      swept += batch
    }
    if (swept > 0) log({ swept }, 'leases ended or forgotten')
  },
})
