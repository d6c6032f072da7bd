import { setTimeout as sleep } from 'node:timers/promises'
import { disturbance } from '../disturbance.ts'
import { PROVIDER_MOODS } from '../doubles/model-provider.ts'

export default disturbance({
  weight: 4,
  async disturb({ provider }, random) {
    const [mood, ms] = [random.pick(PROVIDER_MOODS), random.int(1_000, 6_000)]
    provider.mood = mood
    await sleep(ms)
    provider.mood = 'is well'
    return { text: `the provider of language models: ${mood}, for ${ms} ms` }
  },
})
