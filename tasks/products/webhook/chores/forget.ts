import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/webhook/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete webhook deliveries past their retention, and deleted webhooks that have none left.',
  every: '23 * * * *',
  async run({ sql, settings, log }) {
    await forgetInBatches(
      () => sql.forgetDeliveries(settings.get('webhook.delivery_days')),
      log,
      'old webhook deliveries deleted',
    )
  },
})
