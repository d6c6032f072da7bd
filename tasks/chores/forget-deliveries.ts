import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Delete webhook deliveries past their retention, and deleted webhooks that have none left.',
  every: '23 * * * *',
  async run({ webhooks, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await webhooks.forgetDeliveries()
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old webhook deliveries deleted')
  },
})
