import { setTimeout as sleep } from 'node:timers/promises'
import { disturbance } from '../disturbance.ts'
import { RECEIVER_MOODS } from '../doubles/receiver.ts'

export default disturbance({
  weight: 4,
  async disturb({ receiver }, random) {
    const [mood, ms] = [random.pick(RECEIVER_MOODS), random.int(1_000, 6_000)]
    // Another disturbance has it already.
    if (receiver.mood !== 'is well') return undefined
    await receiver.set(mood)
    await sleep(ms)
    await receiver.set('is well')
    return { text: `the receiver of webhooks: ${mood}, for ${ms} ms` }
  },
})
