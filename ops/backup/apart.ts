import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Config } from '../config.ts'
import type { BackupPlace } from '../providers/backup/contract.ts'
import { BackupError } from './errors.ts'

/** Throws if backups would be among the objects that they are of: each would then have a copy of all that were made before. */
export function requireApart({ address }: BackupPlace, config: Pick<Config, 'dataDir' | 's3' | 'backup'>): void {
  const { s3, backup } = config
  if (address.startsWith('s3://')) {
    const [bucket] = address.slice('s3://'.length).split('/')
    if (bucket === s3?.bucket && backup.s3.endpoint === s3?.endpoint)
      throw new BackupError(`${address} is the bucket of the objects; name another bucket for backups.`)
  } else if (!s3) {
    const [place, objects] = [findReal(address), findReal(join(config.dataDir, 'objects'))]
    if (isWithin(place, objects) || isWithin(objects, place))
      throw new BackupError(`${address} is not apart from the objects in ${objects}; name another folder for backups.`)
  }
}

/** Follows links, also for a folder that is still to be made. */
function findReal(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path)
  return join(findReal(dirname(path)), basename(path))
}

function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(\/|$)/.test(relative(folder, path))
}
