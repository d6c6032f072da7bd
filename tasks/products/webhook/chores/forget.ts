import { chore } from '#kit'
import type * as callers from '../../../../sql/webhook/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete webhook deliveries past their retention, and deleted webhooks that have none left.',
  every: '23 * * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetDeliveries(settings.get('webhook.delivery_days'))
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old webhook deliveries deleted')
  },
})
