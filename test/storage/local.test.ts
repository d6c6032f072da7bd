import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '#kit'
import { registerObjectDoors } from '../../api/intake/object-doors.ts'
import { LocalStore } from '../../ops/storage/index.ts'
import { chunked, patterned } from '../support/bytes.ts'
import { openDoors, PUBLIC_URL } from '../support/doors.ts'
import { freshFolder } from '../support/folder.ts'
import { type Home, keepsTheContract } from './contract.ts'

describe('the local driver', () => keepsTheContract(openHome))

const newKey = () => `scratch/${newId()}/${newId()}`

test('keeps an object in one file that only its owner can come by and nobody writes', async () => {
  await using folder = await freshFolder()
  const store = storeIn(folder.path)
  const key = newKey()
  await store.put(key, Buffer.from('content'), { contentType: 'application/octet-stream' })
  expect(await filesIn(folder.path)).toEqual([store.localPath(key)])
  expect(await readFile(store.localPath(key), 'utf8')).toBe('content')
  expect((await stat(store.localPath(key))).mode & 0o777).toBe(0o444)
  expect((await stat(join(folder.path, 'objects'))).mode & 0o777).toBe(0o700)
})

test('hands an object to a job without copying it', async () => {
  await using folder = await freshFolder()
  const store = storeIn(folder.path)
  const [key, path] = [newKey(), join(folder.path, 'input')]
  await store.put(key, Buffer.from('content'), { contentType: 'image/png' })
  await store.fetchTo(key, path)
  expect((await stat(path)).ino).toBe((await stat(store.localPath(key))).ino)
})

test('reads nothing under a key it did not sign, and nothing signed with another secret', async () => {
  await using folder = await freshFolder()
  const [store, other] = [storeIn(folder.path), storeIn(folder.path, 'another secret of enough letters')]
  const key = newKey()
  const url = new URL(await other.presignGet(key, { expiresInSeconds: 60 }))
  const query = Object.fromEntries(url.searchParams)
  expect(other.admitGet(key, query)).toEqual({})
  expect(() => store.admitGet(key, query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  expect(() => store.admitGet('../../etc/passwd', query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
  expect(() => other.admitGet(key, { ...query, expires: [query.expires, query.expires] })).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  )
})

test('does not take the signature of a form for the one of an address', async () => {
  await using folder = await freshFolder()
  const store = storeIn(folder.path)
  const key = newKey()
  const { fields } = await store.presignPost(key, { maxBytes: 8, expiresInSeconds: 60 })
  const query = { expires: fields.expires, signature: fields.signature }
  expect(() => store.admitGet(key, query)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})

const canMount = mounts()

test.skipIf(!canMount).each([
  ['a stream', (bytes: Buffer) => chunked(bytes)],
  ['bytes', (bytes: Buffer) => bytes],
])('says that the disk is full under %s and leaves nothing behind', async (_name, body) => {
  await using disk = await tinyDisk()
  const store = storeIn(disk.path)
  const put = store.put(newKey(), body(patterned(2 * 2 ** 20)), { contentType: 'image/png' })
  await expect(put).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  expect(await filesIn(disk.path)).toEqual([])
  const small = await store.put(newKey(), body(patterned(1000)), { contentType: 'image/png' })
  expect(small.sizeBytes).toBe(1000)
})

function storeIn(dataDir: string, secret = 'a secret of more than enough letters', now?: () => number): LocalStore {
  return new LocalStore({ dataDir, secret, publicUrl: PUBLIC_URL }, now)
}

async function openHome(): Promise<Home> {
  const folder = await freshFolder()
  let aheadMs = 0
  const store = storeIn(folder.path, undefined, () => Date.now() + aheadMs)
  const doors = await openDoors(app => registerObjectDoors(app, store))
  return {
    store,
    leftBehind: () => filesIn(folder.path),
    fetch: doors.reach,
    passTime: seconds => {
      aheadMs += seconds * 1000
    },
    async [Symbol.asyncDispose]() {
      await doors[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(doors.bugs).toEqual([])
    },
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

/** A file system of one megabyte: only root of a machine that allows it can make one. */
async function tinyDisk(): Promise<AsyncDisposable & { path: string }> {
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

function mounts(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
