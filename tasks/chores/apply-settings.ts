import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Make changes of settings and prices at the time for which an operator has scheduled them.',
  every: '* * * * *',
  async run({ settings, log }) {
    const applied = await settings.applyDue()
    if (applied > 0) log({ applied }, 'scheduled changes made')
  },
})
