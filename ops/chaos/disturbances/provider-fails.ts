import { setTimeout as sleep } from 'node:timers/promises'
import { disturbance } from '../disturbance.ts'
import { PROVIDER_FAULTS } from '../doubles/model-provider.ts'

export default disturbance({
  weight: 4,
  async disturb({ provider }, random) {
    const [state, ms] = [random.pick(PROVIDER_FAULTS), random.int(1_000, 6_000)]
    provider.state = state
    await sleep(ms)
    provider.state = 'works'
    return { text: `the provider of language models: ${state}, for ${ms} ms` }
  },
})
