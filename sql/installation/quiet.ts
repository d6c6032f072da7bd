import { type Db, value } from '../db.ts'
import { RestoreUnfinished } from './restoring.ts'

export interface Installation {
  id: string
  /** Since when it settles, sends and asks nothing; null if it does. */
  quietSince: string | null
  /** The backup that it was restored from. */
  restoredFrom: string | null
}

/** Throws if a backup is being restored into the database. */
export async function readInstallation(db: Db): Promise<Installation> {
  const { isRestoring, ...found } = await value<Installation & { isRestoring: boolean }>(
    db,
    'select installation.read()',
  )
  if (isRestoring) throw new RestoreUnfinished()
  return found
}

/** False if it was so already. */
export function setQuiet(db: Db, isQuiet: boolean): Promise<boolean> {
  return value(db, 'select installation.set_quiet($1)', [isQuiet])
}

/** Whether it became quiet, or was woken, since a process read its configuration. */
export async function hasQuietChanged(db: Db, { isQuiet }: { isQuiet: boolean }): Promise<boolean> {
  return ((await readInstallation(db)).quietSince !== null) !== isQuiet
}
