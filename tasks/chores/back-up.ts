import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary:
    'Make a backup when the last one is older than the setting backup.every_hours; one that failed is tried again.',
  every: '*/5 * * * *',
  async run({ backups, log }) {
    const made = await backups?.makeIfDue()
    if (made) log(made, 'backup made')
  },
})
