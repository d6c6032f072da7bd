import { createBackup } from '../ops/backup/create.ts'
import { BackupBusy } from '../ops/backup/errors.ts'
import { describeVariables } from '../ops/config.ts'
import { openBackupPlace } from '../ops/providers/backup/open.ts'
import { isBackupDue } from '../sql/installation/backups.ts'
import type { ChoreDeps } from '../tasks/chores/deps.ts'
import type { WorkerContext } from './context.ts'

/** The backups that are made by schedule. Of several workers, the one that holds the lock of backups makes one. */
export function bindBackups({ config, db, settings, store }: WorkerContext): ChoreDeps['backups'] {
  const { address, key, s3 } = config.backup
  if (address === undefined || key === undefined) return undefined
  const place = openBackupPlace(address, s3)
  return {
    async makeIfDue() {
      if (!(await isBackupDue(db, settings.get('backup.every_hours')))) return undefined
      const keep = settings.get('backup.keep')
      const request = { db, url: db.url, config, store, place, keep, variables: describeVariables() }
      try {
        const { id, counts, absent, removed } = await createBackup(request)
        return { id, ...counts, removed, absentKeys: absent.slice(0, 20) }
      } catch (error) {
        if (error instanceof BackupBusy) return undefined
        throw error
      }
    },
  }
}
