import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import { collectBytes, createBytes, sha256, toChunks } from '../../support/data/bytes.ts'
import { freshFolder } from '../../support/machine/folder.ts'

/** A store and what the suite needs to observe it from outside. */
export interface StoreFixture extends AsyncDisposable {
  store: ObjectStore
  /** Names of everything the store holds, drafts and parts included. */
  listStored(): Promise<string[]>
  /** Fetches a presigned URL or posts a presigned form. */
  fetch: typeof fetch
  advanceTime(seconds: number): void
}

const newKey = () => `scratch/${newId()}/${newId()}`
const PNG = 'image/png'

/** The tests that every object store must pass. */
export function testStoreContract(open: () => Promise<StoreFixture>): void {
  testWrites(open)
  testRefusals(open)
  testListAndFetch(open)
  testPresignedReads(open)
  testPresignedForms(open)
}

function testWrites(open: () => Promise<StoreFixture>): void {
  test.each([
    ['no bytes', 0],
    ['a few bytes', 11],
    ['just less than one part', 5 * 2 ** 20 - 1],
    ['exactly one part', 5 * 2 ** 20],
    ['several parts', 12 * 2 ** 20 + 7],
  ])('stores a stream of %s and gives it back', async (_name, sizeBytes) => {
    await using fixture = await open()
    const [key, bytes] = [newKey(), createBytes(sizeBytes)]
    const stored = await fixture.store.put(key, toChunks(bytes), { contentType: PNG, isHashed: true })
    expect(stored).toEqual({ sizeBytes, sha256: sha256(bytes) })
    expect(sha256(await collectBytes(await fixture.store.read(key)))).toBe(sha256(bytes))
    expect(await fixture.store.stat(key)).toEqual({ sizeBytes, contentType: PNG })
  })

  test('stores a buffer, and replaces an object', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('first'), { contentType: PNG })
    await fixture.store.put(key, Buffer.from('second'), { contentType: 'application/octet-stream' })
    expect((await collectBytes(await fixture.store.read(key))).toString()).toBe('second')
    expect(await fixture.store.stat(key)).toEqual({ sizeBytes: 6, contentType: 'application/octet-stream' })
  })

  test('stores a copy of a file', async () => {
    await using fixture = await open()
    await using folder = await freshFolder()
    const [key, path] = [newKey(), join(folder.path, 'made')]
    await writeFile(path, 'made', { mode: 0o600 })
    expect(await fixture.store.putFile(key, path, { contentType: PNG })).toMatchObject({ sizeBytes: 4 })
    await writeFile(path, 'done later')
    expect((await collectBytes(await fixture.store.read(key))).toString()).toBe('made')
    expect(await fixture.store.stat(key)).toEqual({ sizeBytes: 4, contentType: PNG })
    await expect(fixture.store.putFile(newKey(), join(folder.path, 'absent'), { contentType: PNG })).rejects.toThrow(
      'ENOENT',
    )
    expect((await fixture.listStored()).filter(name => /draft/.test(name))).toEqual([])
  })

  test('reads a range with both ends counted', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('0123456789'), { contentType: PNG })
    expect((await collectBytes(await fixture.store.read(key, { start: 2, end: 5 }))).toString()).toBe('2345')
  })

  test('refuses to replace a write-once object', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('first'), { contentType: PNG, isWriteOnce: true })
    const again = fixture.store.put(key, Buffer.from('second'), { contentType: 'text/plain', isWriteOnce: true })
    await expect(again).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await fixture.store.stat(key))?.contentType).toBe(PNG)
    expect((await collectBytes(await fixture.store.read(key))).toString()).toBe('first')
  })

  test('lets one of several simultaneous writers win for a write-once object', async () => {
    await using fixture = await open()
    const key = newKey()
    const writes = ['a', 'b', 'c'].map(text =>
      fixture.store.put(key, Buffer.from(text), { contentType: PNG, isWriteOnce: true }),
    )
    const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status).sort()
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
}

function testRefusals(open: () => Promise<StoreFixture>): void {
  test.each([1024, 11 * 2 ** 20])('stops a stream at %i bytes and leaves nothing behind', async maxBytes => {
    await using fixture = await open()
    const body = toChunks(createBytes(maxBytes + 1))
    const put = fixture.store.put(newKey(), body, { contentType: PNG, maxBytes })
    await expect(put).rejects.toMatchObject({ code: 'STORED_INPUT_TOO_LARGE', hints: { ceiling: maxBytes } })
    expect(await fixture.listStored()).toEqual([])
  })

  test('accepts a stream of exactly its limit', async () => {
    await using fixture = await open()
    const stored = await fixture.store.put(newKey(), toChunks(createBytes(1024)), {
      contentType: PNG,
      maxBytes: 1024,
    })
    expect(stored.sizeBytes).toBe(1024)
  })

  test.each([3, 11 * 2 ** 20])('leaves nothing of a stream that breaks after %i bytes', async sizeBytes => {
    await using fixture = await open()
    async function* breaking() {
      yield* toChunks(createBytes(sizeBytes))
      throw new Error('the connection broke')
    }
    await expect(fixture.store.put(newKey(), breaking(), { contentType: PNG })).rejects.toThrow('the connection broke')
    expect(await fixture.listStored()).toEqual([])
  })

  test('reports an absent object', async () => {
    await using fixture = await open()
    const key = newKey()
    await expect(fixture.store.read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(fixture.store.fetchTo(key, '/tmp/never-made')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await fixture.store.stat(key)).toBeUndefined()
    await fixture.store.remove(key)
  })

  test.each([
    '../etc/passwd',
    'scratch/../../x',
    '/etc/passwd',
    'scratch//x',
    'scratch/a.b',
    'scratch/A',
    'scratch',
    '',
    'a/%2e%2e',
    'a/b\0',
    'a/~',
  ])('rejects the key %j', async key => {
    await using fixture = await open()
    await expect(fixture.store.put(key, Buffer.from('x'), { contentType: PNG })).rejects.toThrow('key')
    await expect((async () => fixture.store.read(key))()).rejects.toThrow('key')
    await expect((async () => fixture.store.remove(key))()).rejects.toThrow('key')
    await expect((async () => fixture.store.presignGet(key, { expiresInSeconds: 9 }))()).rejects.toThrow('key')
  })
}

function testListAndFetch(open: () => Promise<StoreFixture>): void {
  test('lists only the keys with a prefix', async () => {
    await using fixture = await open()
    const [mine, other] = [`scratch/${newId()}`, `scratch/${newId()}`]
    const keys = Array.from({ length: 5 }, () => `${mine}/${newId()}`)
    for (const key of [...keys, `${other}/${newId()}`, `stage/${newId()}`]) {
      await fixture.store.put(key, Buffer.from('x'), { contentType: PNG })
    }
    const listed = async (prefix: string) => {
      const found = []
      for await (const { key, modifiedAt } of fixture.store.list(prefix)) {
        expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(60_000)
        found.push(key)
      }
      return found.sort()
    }
    expect(await listed(`${mine}/`)).toEqual([...keys].sort())
    expect(await listed('stage/')).toHaveLength(1)
    expect(await listed('')).toHaveLength(7)
    expect(await listed('nothing/')).toEqual([])
  })

  test('removes an object completely', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('x'), { contentType: PNG })
    await fixture.store.remove(key)
    expect(await fixture.listStored()).toEqual([])
  })

  test('makes an object available at a path, but never replaces a file', async () => {
    await using fixture = await open()
    await using folder = await freshFolder()
    const [key, path] = [newKey(), join(folder.path, 'input')]
    await fixture.store.put(key, Buffer.from('content'), { contentType: PNG })
    await fixture.store.fetchTo(key, path)
    expect(await readFile(path, 'utf8')).toBe('content')
    await writeFile(join(folder.path, 'taken'), 'mine')
    await expect(fixture.store.fetchTo(key, join(folder.path, 'taken'))).rejects.toThrow('EEXIST')
    expect(await readFile(join(folder.path, 'taken'), 'utf8')).toBe('mine')
  })

  test('checks that it works', async () => {
    await using fixture = await open()
    await fixture.store.check()
  })
}

function testPresignedReads(open: () => Promise<StoreFixture>): void {
  test('presigns a URL that reads one object, with a given name and type', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('content'), { contentType: PNG })
    const ticket = { expiresInSeconds: 60, filename: 'Übung "1".pdf', contentType: 'application/pdf' }
    const answer = await fixture.fetch(await fixture.store.presignGet(key, ticket))
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('content')
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="_bung _1_.pdf"; filename*=UTF-8''%C3%9Cbung%20%221%22.pdf`,
    )
  })

  test('presigns a URL that expires', async () => {
    await using fixture = await open()
    const key = newKey()
    await fixture.store.put(key, Buffer.from('content'), { contentType: PNG })
    const url = await fixture.store.presignGet(key, { expiresInSeconds: 60 })
    fixture.advanceTime(61)
    expect((await fixture.fetch(url)).status).toBe(403)
  })

  test('presigns a URL that cannot be altered', async () => {
    await using fixture = await open()
    const [key, other] = [newKey(), newKey()]
    for (const name of [key, other]) await fixture.store.put(name, Buffer.from('content'), { contentType: PNG })
    const good = await fixture.store.presignGet(key, { expiresInSeconds: 60, filename: 'a.png', contentType: PNG })
    expect((await fixture.fetch(good.replace(key, other))).status).toBe(403)
    for (const name of new URL(good).searchParams.keys()) {
      const changed = new URL(good)
      changed.searchParams.set(name, `${changed.searchParams.get(name)}0`)
      expect([name, (await fixture.fetch(changed)).status]).toEqual([name, 403])
      const without = new URL(good)
      without.searchParams.delete(name)
      expect([name, (await fixture.fetch(without)).ok]).toEqual([name, false])
    }
  })
}

function testPresignedForms(open: () => Promise<StoreFixture>): void {
  const form = (fields: Record<string, string>, bytes: Uint8Array<ArrayBuffer>) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    data.append('file', new Blob([bytes]), 'whatever.bin')
    return { method: 'POST', body: data }
  }
  const bytes = new Uint8Array(Buffer.from('uploaded'))

  test('presigns a form that uploads one object of its type', async () => {
    await using fixture = await open()
    const key = newKey()
    const { url, fields } = await fixture.store.presignPost(key, {
      maxBytes: 8,
      contentType: PNG,
      expiresInSeconds: 60,
    })
    expect((await fixture.fetch(url, form(fields, bytes))).status).toBe(204)
    expect((await collectBytes(await fixture.store.read(key))).toString()).toBe('uploaded')
    expect(await fixture.store.stat(key)).toEqual({ sizeBytes: 8, contentType: PNG })
  })

  test('presigns a form that limits the size of the upload', async () => {
    await using fixture = await open()
    const { url, fields } = await fixture.store.presignPost(newKey(), { maxBytes: 7, expiresInSeconds: 60 })
    expect((await fixture.fetch(url, form(fields, bytes))).ok).toBe(false)
    expect(await fixture.listStored()).toEqual([])
  })

  test('presigns a form that expires', async () => {
    await using fixture = await open()
    const { url, fields } = await fixture.store.presignPost(newKey(), { maxBytes: 8, expiresInSeconds: 60 })
    fixture.advanceTime(61)
    expect((await fixture.fetch(url, form(fields, bytes))).status).toBe(403)
    expect(await fixture.listStored()).toEqual([])
  })

  test('presigns a form whose fields can be neither altered nor removed', async () => {
    await using fixture = await open()
    const ticket = { maxBytes: 8, contentType: PNG, expiresInSeconds: 60 }
    const { url, fields } = await fixture.store.presignPost(newKey(), ticket)
    for (const name of Object.keys(fields)) {
      const changed = { ...fields, [name]: name === 'key' ? newKey() : `${fields[name]}0` }
      expect([name, (await fixture.fetch(url, form(changed, bytes))).ok]).toEqual([name, false])
      const { [name]: _left, ...without } = fields
      if (name !== 'bucket') expect([name, (await fixture.fetch(url, form(without, bytes))).ok]).toEqual([name, false])
    }
    const second = await fixture.store.presignPost(newKey(), { ...ticket, maxBytes: 999 })
    const mixed = { ...second.fields, key: fields.key! }
    expect((await fixture.fetch(url, form(mixed, bytes))).status).toBe(403)
    expect(await fixture.listStored()).toEqual([])
  })
}
