import { chore } from '#kit'
import type * as callers from '../../../../sql/notification/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 1_000

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete notifications past their retention.',
  every: '41 * * * *',
  async run({ sql, settings, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await sql.forgetNotifications(settings.get('notification.days'), BATCH)
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'old notifications deleted')
  },
})
