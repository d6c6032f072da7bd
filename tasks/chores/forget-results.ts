import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Delete idempotency keys after a day, and results of jobs after their retention.',
  every: '*/10 * * * *',
  async run({ jobs, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await jobs.forgetResults()
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old results deleted')
  },
})
