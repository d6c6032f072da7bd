import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { StoreUnavailable } from '../../../ops/providers/storage/contract.ts'
import { S3Store } from '../../../ops/providers/storage/s3.ts'
import { createBytes, toChunks } from '../../support/data/bytes.ts'
import { type S3Server, startS3Server } from '../../support/servers/s3.ts'
import { type StoreFixture, testStoreContract } from './contract.ts'

describe('the S3 store', () => testStoreContract(openFixture))

const key = `scratch/${newId()}/${newId()}`

test('is rejected with a wrong secret', async () => {
  await using server = await startS3Server()
  const store = createStore(server, { secretAccessKey: 'wrong' })
  const error = await store.put(key, Buffer.from('x'), { contentType: 'image/png' }).catch(caught => caught)
  expect(error.name).toBe('SignatureDoesNotMatch')
  expect(server.objects.size).toBe(0)
})

test('aborts a multi-part upload when the server fails', async () => {
  await using server = await startS3Server()
  const store = createStore(server)
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.url!.includes('partNumber=2'), 500)
  await expect(store.put(key, toChunks(createBytes(11 * 2 ** 20)), { contentType: 'image/png' })).rejects.toThrow()
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
})

test('retries after one failure of the server', async () => {
  await using server = await startS3Server()
  server.failNext(request => request.method === 'PUT', 503)
  const stored = await createStore(server).put(key, Buffer.from('x'), { contentType: 'image/png' })
  expect(stored.sizeBytes).toBe(1)
})

test('reports a full store', async () => {
  await using server = await startS3Server()
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.method === 'PUT', 507)
  const put = createStore(server).put(key, Buffer.from('x'), { contentType: 'image/png' })
  await expect(put).rejects.toMatchObject({ code: 'STORAGE_FULL' })
})

test('a server that is silent or gone is reported as unavailable, after seconds', async () => {
  const silent = createServer(() => undefined)
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'eu-test-1' }
  const store = new S3Store({ bucket: 'coinop', endpoint: url, forcePathStyle: true, ...keys })
  await expect(store.read(key)).rejects.toBeInstanceOf(StoreUnavailable)
  silent.closeAllConnections()
  silent.close()
  await once(silent, 'close')
  await expect(store.put(key, Buffer.from('x'), { contentType: 'image/png' })).rejects.toBeInstanceOf(StoreUnavailable)
})

function createStore({ url, bucket, keys }: S3Server, changes: Record<string, string> = {}): S3Store {
  return new S3Store({ bucket, endpoint: url, forcePathStyle: true, ...keys, ...changes })
}

async function openFixture(): Promise<StoreFixture> {
  const server = await startS3Server()
  return {
    store: createStore(server),
    listStored: async () => [...server.objects.keys(), ...server.uploads.keys()],
    fetch,
    advanceTime: seconds => server.setClockAhead(seconds * 1000),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
