import { chore, forgetInBatches } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Delete idempotency keys after a day, and results of jobs after their retention.',
  every: '*/10 * * * *',
  async run({ jobs, log }) {
    await forgetInBatches(() => jobs.forgetResults(), log, 'old results deleted')
  },
})
