import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { Flag, OptionalText, OptionalUrl, Text } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a bucket, objects are files in the data folder. */
    s3?: S3Config
  }
}

export interface S3Config {
  bucket: string
  region: string
  endpoint?: string
  accessKeyId?: string
  secretAccessKey?: string
  forcePathStyle: boolean
}

const variables = {
  S3_BUCKET: OptionalText({
    displayDefault: 'objects in DATA_DIR',
    description: 'Bucket of an S3 object store to use instead of DATA_DIR.',
  }),
  S3_REGION: Text({ default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ENDPOINT: OptionalUrl({ displayDefault: 'AWS', description: 'Address of an S3 server other than AWS.' }),
  S3_ACCESS_KEY_ID: OptionalText({ displayDefault: 'the AWS chain', description: 'Access key of the bucket.' }),
  S3_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key.',
  }),
  S3_FORCE_PATH_STYLE: Flag(false, 'Puts the bucket into the path, which most S3 servers other than AWS need.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Object store',
  isLocal: true,
  variables,
  read: values => ({ s3: readS3Config(values) }),
})

function readS3Config(values: Values): S3Config | undefined {
  const { S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = values
  if (!S3_BUCKET) {
    if (!(S3_ENDPOINT || S3_ACCESS_KEY_ID || S3_SECRET_ACCESS_KEY)) return undefined
    throw new ConfigError('S3_BUCKET must be set when another S3 variable is set.')
  }
  if (!S3_ACCESS_KEY_ID !== !S3_SECRET_ACCESS_KEY) {
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.')
  }
  return {
    bucket: S3_BUCKET,
    region: values.S3_REGION,
    endpoint: S3_ENDPOINT,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    forcePathStyle: values.S3_FORCE_PATH_STYLE,
  }
}
