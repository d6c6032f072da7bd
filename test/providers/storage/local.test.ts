import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { registerObjectRoutes } from '../../../api/intake/files/object-routes.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { createBytes, toChunks } from '../../support/data/bytes.ts'
import { openTestServer, PUBLIC_URL } from '../../support/intake/object-routes.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type StoreFixture, testStoreContract } from './contract.ts'

describe('the local store', () => testStoreContract(openFixture))

const newKey = () => `scratch/${newId()}/${newId()}`

test('stores an object in one read-only file that only its owner can reach', async () => {
  await using folder = await freshFolder()
  const store = createStore(folder.path)
  const key = newKey()
  await store.put(key, Buffer.from('content'), { contentType: 'application/octet-stream' })
  expect(await listFiles(folder.path)).toEqual([store.localPath(key)])
  expect(await readFile(store.localPath(key), 'utf8')).toBe('content')
  expect((await stat(store.localPath(key))).mode & 0o777).toBe(0o444)
  expect((await stat(join(folder.path, 'objects'))).mode & 0o777).toBe(0o700)
})

test('gives an object to a job without copying it', async () => {
  await using folder = await freshFolder()
  const store = createStore(folder.path)
  const [key, path] = [newKey(), join(folder.path, 'input')]
  await store.put(key, Buffer.from('content'), { contentType: 'image/png' })
  await store.fetchTo(key, path)
  expect((await stat(path)).ino).toBe((await stat(store.localPath(key))).ino)
})

test('rejects a URL for another key or signed with another secret', async () => {
  await using folder = await freshFolder()
  const [store, other] = [createStore(folder.path), createStore(folder.path, 'another secret of enough letters')]
  const key = newKey()
  const url = new URL(await other.presignGet(key, { expiresInSeconds: 60 }))
  const query = Object.fromEntries(url.searchParams)
  expect(other.verifyGet(key, query)).toEqual({})
  expect(() => store.verifyGet(key, query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  expect(() => store.verifyGet('../../etc/passwd', query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  expect(() => other.verifyGet(key, { ...query, expires: [query.expires, query.expires] })).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  )
})

test('does not accept the signature of a form for a URL', async () => {
  await using folder = await freshFolder()
  const store = createStore(folder.path)
  const key = newKey()
  const { fields } = await store.presignPost(key, { maxBytes: 8, expiresInSeconds: 60 })
  const query = { expires: fields.expires, signature: fields.signature }
  expect(() => store.verifyGet(key, query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})

const canMountTmpfs = checkMount()

test.skipIf(!canMountTmpfs).each([
  ['a stream', (bytes: Buffer) => toChunks(bytes)],
  ['bytes', (bytes: Buffer) => bytes],
])('reports a full disk while it stores %s, and leaves nothing behind', async (_name, body) => {
  await using disk = await mountTinyDisk()
  const store = createStore(disk.path)
  const put = store.put(newKey(), body(createBytes(2 * 2 ** 20)), { contentType: 'image/png' })
  await expect(put).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  expect(await listFiles(disk.path)).toEqual([])
  const small = await store.put(newKey(), body(createBytes(1000)), { contentType: 'image/png' })
  expect(small.sizeBytes).toBe(1000)
})

function createStore(dataDir: string, secret = 'a secret of more than enough letters', now?: () => number): LocalStore {
  return new LocalStore({ dataDir, secret, publicUrl: PUBLIC_URL }, now)
}

async function openFixture(): Promise<StoreFixture> {
  const folder = await freshFolder()
  let aheadMs = 0
  const store = createStore(folder.path, undefined, () => Date.now() + aheadMs)
  const server = await openTestServer(app => registerObjectRoutes(app, store))
  return {
    store,
    listStored: () => listFiles(folder.path),
    fetch: server.fetchPublic,
    advanceTime: seconds => {
      aheadMs += seconds * 1000
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(server.bugs).toEqual([])
    },
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

/** A file system of one megabyte; needs root and the permission to mount. */
async function mountTinyDisk(): Promise<AsyncDisposable & { path: string }> {
  const folder = await freshFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path])
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', [folder.path])
      await folder[Symbol.asyncDispose]()
    },
  }
}

function checkMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
