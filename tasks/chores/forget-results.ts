import { chore } from '#kit'
import type { ChoreHands } from './shape.ts'

export default chore<ChoreHands>({
  summary: 'Forget idempotency keys after a day and the results of jobs after their keeping.',
  every: '*/10 * * * *',
  async run({ jobs, say }) {
    let forgotten = 0
    for (let last = 1; last > 0; ) {
      last = await jobs.forgetResults()
      forgotten += last
    }
    if (forgotten > 0) say({ forgotten }, 'old results forgotten')
  },
})
