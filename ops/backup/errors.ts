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

/** What a backup states of itself cannot be read or was changed. */
export class DamagedManifest extends BackupError {
  override readonly name = 'DamagedManifest'
  /** Or the passphrase is another one. */
  readonly isMaybeKey: boolean

  constructor(message: string, isMaybeKey = false) {
    super(message)
    this.isMaybeKey = isMaybeKey
  }
}
