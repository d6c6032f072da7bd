import { type Db, rows, value } from '../db.ts'

export interface BackupCounts {
  tables: number
  rows: number
  objects: number
  copied: number
  absent: number
  sizeBytes: number
}

export interface BackupRun {
  id: string
  address: string
  state: 'running' | 'succeeded' | 'failed'
  started_at: Date
  ended_at: Date | null
  reason: string | null
  counts: BackupCounts | null
}

/** Only who holds the lock of backups may start one. */
export async function startBackup(db: Db, id: string, address: string): Promise<void> {
  await value(db, 'select installation.start_backup($1, $2)', [id, address])
}

export async function succeedBackup(db: Db, id: string, counts: BackupCounts): Promise<void> {
  await value(db, 'select installation.succeed_backup($1, $2)', [id, JSON.stringify(counts)])
}

export async function failBackup(db: Db, id: string, reason: string): Promise<void> {
  await value(db, 'select installation.fail_backup($1, $2)', [id, reason])
}

/** The newest first. */
export function listBackups(db: Db, limit: number): Promise<BackupRun[]> {
  return rows(db, 'select * from installation.list_backups($1)', [limit])
}

export function isBackupDue(db: Db, everyHours: number): Promise<boolean> {
  return value(db, 'select installation.is_backup_due($1)', [everyHours])
}

export function summariseBackups(db: Db): Promise<{ lastAt: string | null; failedSince: number }> {
  return value(db, 'select installation.summarise_backups()')
}
