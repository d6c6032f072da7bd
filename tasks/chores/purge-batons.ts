import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

const BATCH = 200

export default chore<ChoreDeps>({
  summary: 'Remove the content of batons that have expired or were deleted.',
  every: '* * * * *',
  async run({ batons, log }) {
    let removed = 0
    for (;;) {
      const count = await batons.purge(BATCH)
      removed += count
      if (count < BATCH) break
    }
    if (removed > 0) log({ removed }, 'batons purged')
  },
})
