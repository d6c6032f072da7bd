import type { Static, TObject } from 'typebox'
import { declareSettings, readPair } from '../../variables/declaration.ts'
import { Flag, OptionalText, OptionalUrl, Text, TOKEN_RULE } from '../../variables/kinds.ts'
import type { S3Config } from '../storage/settings.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    backup: BackupConfig
  }
}

export interface BackupConfig {
  /** A folder, or `s3://bucket/prefix`. */
  address?: string
  /** The passphrase from which the key of the backups is derived. */
  key?: string
  /** How to reach the bucket of such an address. */
  s3: Omit<S3Config, 'bucket'>
}

const variables = {
  BACKUP_TO: OptionalText({
    displayDefault: 'none; `--to` names it',
    description: 'Where backups go: a folder on another disk, or `s3://bucket/prefix`. See ops/backup.md.',
  }),
  BACKUP_KEY: OptionalText({
    ...TOKEN_RULE,
    isSecret: true,
    displayDefault: 'no backups',
    description: 'Passphrase that encrypts the backups. Keep it apart from them: without it they cannot be read.',
  }),
  BACKUP_S3_REGION: Text({ default: 'us-east-1', description: 'Region of that bucket.' }),
  BACKUP_S3_ENDPOINT: OptionalUrl({ displayDefault: 'AWS', description: 'Address of an S3 server other than AWS.' }),
  BACKUP_S3_ACCESS_KEY_ID: OptionalText({ displayDefault: 'the AWS chain', description: 'Access key of that bucket.' }),
  BACKUP_S3_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key.',
  }),
  BACKUP_S3_FORCE_PATH_STYLE: Flag(false, 'Puts that bucket into the path.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Backups',
  variables,
  secretsOf: { worker: ['BACKUP_KEY', 'BACKUP_S3_SECRET_ACCESS_KEY'] },
  read: values => ({ backup: readBackupConfig(values) }),
})

function readBackupConfig(values: Values): BackupConfig {
  const [accessKeyId, secretAccessKey] = readPair(values, 'BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY')
  return {
    address: values.BACKUP_TO,
    key: values.BACKUP_KEY,
    s3: {
      region: values.BACKUP_S3_REGION,
      endpoint: values.BACKUP_S3_ENDPOINT,
      accessKeyId,
      secretAccessKey,
      forcePathStyle: values.BACKUP_S3_FORCE_PATH_STYLE,
    },
  }
}
