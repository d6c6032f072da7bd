import { resolve } from 'node:path'
import { ConfigError } from '../../variables/declaration.ts'
import { Bucket } from './bucket.ts'
import type { BackupPlace } from './contract.ts'
import { Folder } from './folder.ts'
import type { BackupConfig } from './settings.ts'

/** Words of lower-case letters, digits and dashes, which keys in the store may have. */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})((?:\/[a-z0-9][a-z0-9-]{0,31}){0,3})\/?$/

/** A folder, or a bucket with the beginning of its keys. */
export function openBackupPlace(address: string, s3: BackupConfig['s3']): BackupPlace {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address) && !address.startsWith('s3:'))
    throw new ConfigError(`Backups go to a folder or to s3://bucket/prefix, not to ${JSON.stringify(address)}.`)
  if (!address.startsWith('s3:')) return new Folder(resolve(address))
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(address) ?? []
  if (bucket === undefined)
    throw new ConfigError(
      `A bucket for backups is named s3://bucket/prefix, the prefix of at most three words of lower-case letters, digits and dashes, not ${JSON.stringify(address)}.`,
    )
  return new Bucket(address, { ...s3, bucket }, prefix === '' ? '' : `${prefix.slice(1)}/`)
}
