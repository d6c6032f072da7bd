import { afterEach, expect, test, vi } from 'vitest'
import { Bucket } from '../../../ops/providers/backup/bucket.ts'
import { BackupPlaceError } from '../../../ops/providers/backup/contract.ts'
import { StoreUnavailable } from '../../../ops/providers/storage/contract.ts'
import { startS3Server } from '../../support/servers/s3.ts'

test('a bucket that is overloaded is named, and not if what is backed up cannot be read', async () => {
  await using server = await startS3Server()
  const { bucket, url, keys } = server
  const place = new Bucket('s3://coinop/of-it', { bucket, endpoint: url, forcePathStyle: true, ...keys }, 'of-it/')
  async function* fail(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    throw new StoreUnavailable(new Error('aborted'))
  }
  const failed = await place.put('one', fail()).catch(error => error)
  expect(failed).toBeInstanceOf(StoreUnavailable)
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.method === 'PUT', 503)
  const refused = await place.put('one', toBytes('a')).catch(error => error)
  expect(refused).toBeInstanceOf(BackupPlaceError)
  expect(refused.message).toContain('s3://coinop/of-it cannot be used for backups')
})

afterEach(() => vi.unstubAllEnvs())

test('a bucket without credentials is named', async () => {
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
  vi.stubEnv('HOME', '/nowhere')
  const place = new Bucket(
    's3://coinop/of-it',
    { bucket: 'coinop', region: 'eu-test-1', forcePathStyle: true },
    'of-it/',
  )
  const refused = await place.put('one', toBytes('a')).catch(error => error)
  expect(refused).toBeInstanceOf(BackupPlaceError)
  expect(refused.message).toMatch(/^s3:\/\/coinop\/of-it cannot be used for backups: Could not load credentials/)
})

async function* toBytes(text: string) {
  yield Buffer.from(text)
}
