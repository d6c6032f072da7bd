import { chore } from '#kit'
import type * as callers from '../../../../sql/spending/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

export default chore<StepDeps<typeof callers>>({
  summary: 'Tell accounts that have spent as much, or have as little left, as they want to be told of.',
  every: '* * * * *',
  async run({ sql, log }) {
    const alarms = await sql.checkAlarms()
    if (alarms > 0) log({ alarms }, 'owners were told of their spending')
    const low = await sql.checkBalances()
    if (low > 0) log({ low }, 'owners were told of their low balance')
  },
})
