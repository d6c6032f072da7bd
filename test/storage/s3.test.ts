import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { S3Store } from '../../ops/storage/s3.ts'
import { chunked, patterned } from '../support/bytes.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { type Home, keepsTheContract } from './contract.ts'

describe('the S3 driver', () => keepsTheContract(openHome))

const key = `scratch/${newId()}/${newId()}`

test('does not get in with a wrong secret', async () => {
  await using server = await startS3Server()
  const store = storeOn(server, { secretAccessKey: 'wrong' })
  const error = await store.put(key, Buffer.from('x'), { contentType: 'image/png' }).catch(caught => caught)
  expect(error.name).toBe('SignatureDoesNotMatch')
  expect(server.objects.size).toBe(0)
})

test('gives an upload in parts up when the store fails in the middle of it', async () => {
  await using server = await startS3Server()
  const store = storeOn(server)
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.url!.includes('partNumber=2'), 500)
  await expect(store.put(key, chunked(patterned(11 * 2 ** 20)), { contentType: 'image/png' })).rejects.toThrow()
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
})

test('rides out one failure of the store', async () => {
  await using server = await startS3Server()
  server.failNext(request => request.method === 'PUT', 503)
  const stored = await storeOn(server).put(key, Buffer.from('x'), { contentType: 'image/png' })
  expect(stored.sizeBytes).toBe(1)
})

test('says that the store is full', async () => {
  await using server = await startS3Server()
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.method === 'PUT', 507)
  const put = storeOn(server).put(key, Buffer.from('x'), { contentType: 'image/png' })
  await expect(put).rejects.toMatchObject({ code: 'STORAGE_FULL' })
})

function storeOn({ url, bucket, keys }: S3Server, changes: Record<string, string> = {}): S3Store {
  return new S3Store({ bucket, endpoint: url, forcePathStyle: true, ...keys, ...changes })
}

async function openHome(): Promise<Home> {
  const server = await startS3Server()
  return {
    store: storeOn(server),
    leftBehind: async () => [...server.objects.keys(), ...server.uploads.keys()],
    fetch,
    passTime: seconds => server.setClockAhead(seconds * 1000),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
