/** A backup cannot be made, read or restored; the message is one sentence for the operator. */
export class BackupError extends Error {
  override readonly name: string = 'BackupError'
}

/** Another process makes a backup of this database. */
export class BackupBusy extends BackupError {
  override readonly name = 'BackupBusy'

  constructor() {
    super('Another backup of this database is being made.')
  }
}
