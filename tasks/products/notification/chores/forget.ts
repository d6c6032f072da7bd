import { chore, forgetInBatches } from '#kit'
import type * as callers from '../../../../sql/notification/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

const BATCH = 1_000

export default chore<StepDeps<typeof callers>>({
  summary: 'Delete notifications past their retention.',
  every: '41 * * * *',
  async run({ sql, settings, log }) {
    await forgetInBatches(
      () => sql.forgetNotifications(settings.get('notification.days'), BATCH),
      log,
      'old notifications deleted',
    )
  },
})
