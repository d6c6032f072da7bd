import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '#kit'
import { StoreUnavailable } from '../../../ops/providers/storage/contract.ts'
import { S3Store } from '../../../ops/providers/storage/s3.ts'
import { readAnswer } from '../../../ops/providers/storage/s3-time-limits.ts'
import { createBytes, toChunks } from '../../support/data/bytes.ts'
import { freshFolder } from '../../support/machine/folder.ts'
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

test.each([429, 500, 502, 503, 504])('a server that answers every attempt with %s is unavailable', async status => {
  await using server = await startS3Server()
  const store = createStore(server)
  for (let attempt = 0; attempt < 6; attempt++) server.failNext(() => true, status)
  await expect(store.put(key, Buffer.from('x'), { contentType: 'image/png' })).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(store.read(key)).rejects.toBeInstanceOf(StoreUnavailable)
})

test('what refused an upload is told, though its parts cannot be removed', async () => {
  await using server = await startS3Server()
  for (let attempt = 0; attempt < 3; attempt++) server.failNext(request => request.method === 'DELETE', 500)
  const put = createStore(server).put(key, toChunks(createBytes(11 * 2 ** 20)), {
    contentType: 'image/png',
    maxBytes: 9e6,
  })
  await expect(put).rejects.toMatchObject({ code: 'STORED_INPUT_TOO_LARGE' })
})

test('an answer that is cut is an error of the store, and leaves no file', async () => {
  await using server = await startCuttingServer()
  await using folder = await freshFolder()
  const path = join(folder.path, 'file')
  await expect(server.store.fetchTo(key, path)).rejects.toBeInstanceOf(StoreUnavailable)
  expect(existsSync(path)).toBe(false)
  await expect(buffer(await server.store.read(key))).rejects.toBeInstanceOf(StoreUnavailable)
})

test('an answer that is cut before it is read does not end the process', async () => {
  await using server = await startCuttingServer()
  const body = await server.store.read(key)
  await server.hasCut
  await expect(buffer(body)).rejects.toBeInstanceOf(StoreUnavailable)
})

test('an answer may pause while its reader does something else, and no longer than the limit while it waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const body = new PassThrough({ objectMode: true })
  // More than is kept for the reader.
  const part = Buffer.alloc(200_000)
  body.write(part)
  body.write(part)
  const chunks = readAnswer(body, 1_000)[Symbol.asyncIterator]()
  expect((await chunks.next()).value).toEqual(part)
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await chunks.next()).value).toEqual(part)
  const waiting = expect(chunks.next()).rejects.toBeInstanceOf(StoreUnavailable)
  await vi.advanceTimersByTimeAsync(1_001)
  await waiting
  expect(body.destroyed).toBe(true)
})

test('an answer that nothing reads is closed with its reader', async () => {
  const body = new PassThrough()
  readAnswer(body).destroy()
  await once(body, 'close')
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

test('an upload to a server that falls silent is tried once, and one that is taken slowly is not cut', async () => {
  let puts = 0
  let isSilent = true
  const server = createServer((request, response) => {
    puts += 1
    if (isSilent) return void request.resume()
    // A MiB each tenth of a second is some seconds for the whole, and less than the limit for what sockets keep of it.
    let taken = 0
    request.on('data', (chunk: Buffer) => {
      taken += chunk.length
      if (taken < 2 ** 20) return
      taken = 0
      request.pause()
      setTimeout(() => request.resume(), 100)
    })
    request.once('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'eu-test-1' }
  const store = new S3Store({ bucket: 'coinop', endpoint: url, forcePathStyle: true, ...keys }, 3_000)
  const put = (sizeBytes: number) => store.put(key, Buffer.alloc(sizeBytes), { contentType: 'image/png' })
  await expect(put(2 ** 20)).rejects.toBeInstanceOf(StoreUnavailable)
  expect(puts).toBe(1)
  isSilent = false
  await expect(put(48 * 2 ** 20)).resolves.toMatchObject({ sizeBytes: 48 * 2 ** 20 })
  expect(puts).toBe(2)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** A server that sends half of each answer and then closes the connection. */
async function startCuttingServer() {
  const { promise: hasCut, resolve } = Promise.withResolvers<void>()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('12345', () => {
      response.socket!.destroy()
      resolve()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'eu-test-1' }
  return {
    hasCut,
    store: new S3Store({ bucket: 'coinop', endpoint: url, forcePathStyle: true, ...keys }),
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

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
