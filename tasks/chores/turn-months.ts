import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Make the tables for the transfers of the next months, and freeze those of months that are over.',
  every: '20 * * * *',
  async run({ ledger, log }) {
    const opened = await ledger.openMonths()
    if (opened > 0) log({ opened }, 'tables of months made')
    for (let month = await ledger.freezeMonth(); month; month = await ledger.freezeMonth())
      log({ month }, 'month frozen')
  },
})
