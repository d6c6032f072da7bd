import { openModelProvider } from '../../../ops/chaos/doubles/model-provider.ts'
import { startS3Server } from '../servers/s3.ts'

// The store or the provider of language models, each a host of its own: which, and its address, are the arguments.
const [which, host] = process.argv.slice(2)

async function startStore(): Promise<Record<string, string>> {
  const { bucket, url, keys } = await startS3Server(host)
  return {
    ...{ S3_BUCKET: bucket, S3_ENDPOINT: url, S3_FORCE_PATH_STYLE: 'true', S3_REGION: keys.region },
    ...{ S3_ACCESS_KEY_ID: keys.accessKeyId, S3_SECRET_ACCESS_KEY: keys.secretAccessKey },
  }
}

process.send?.(which === 'store' ? await startStore() : (await openModelProvider(host)).env)
process.on('disconnect', () => process.exit(0))
