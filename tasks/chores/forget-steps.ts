import { chore, forgetInBatches } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Delete steps that failed for good, after their retention.',
  every: '41 * * * *',
  async run({ steps, log }) {
    await forgetInBatches(() => steps.forgetDead(), log, 'dead steps deleted')
  },
})
