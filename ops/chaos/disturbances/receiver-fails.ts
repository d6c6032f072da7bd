import { setTimeout as sleep } from 'node:timers/promises'
import { disturbance } from '../disturbance.ts'
import { RECEIVER_FAULTS } from '../doubles/receiver.ts'

export default disturbance({
  weight: 4,
  async disturb({ receiver }, random) {
    const [state, ms] = [random.pick(RECEIVER_FAULTS), random.int(1_000, 6_000)]
    // Another disturbance has it already.
    if (receiver.state !== 'works') return undefined
    await receiver.set(state)
    await sleep(ms)
    await receiver.set('works')
    return { text: `the receiver of webhooks: ${state}, for ${ms} ms` }
  },
})
