import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import type { ObjectStore } from '../../ops/storage/index.ts'
import { chunked, collected, patterned, sha256 } from '../support/bytes.ts'
import { freshFolder } from '../support/folder.ts'

/** A driver with what the suite must see of it from outside. */
export interface Home extends AsyncDisposable {
  store: ObjectStore
  /** Names of everything the driver keeps, drafts and parts included. */
  leftBehind(): Promise<string[]>
  /** Fetches a presigned address, posts a presigned form. */
  fetch: typeof fetch
  passTime(seconds: number): void
}

const newKey = () => `scratch/${newId()}/${newId()}`
const PNG = 'image/png'

/** What every driver of the object store promises; run once over each. */
export function keepsTheContract(open: () => Promise<Home>): void {
  storesWhole(open)
  storesNothing(open)
  listsAndFetches(open)
  presignsReads(open)
  presignsForms(open)
}

function storesWhole(open: () => Promise<Home>): void {
  test.each([
    ['no bytes', 0],
    ['a few bytes', 11],
    ['just less than one part', 5 * 2 ** 20 - 1],
    ['exactly one part', 5 * 2 ** 20],
    ['several parts', 12 * 2 ** 20 + 7],
  ])('stores a stream of %s and gives it back', async (_name, sizeBytes) => {
    await using home = await open()
    const [key, bytes] = [newKey(), patterned(sizeBytes)]
    const stored = await home.store.put(key, chunked(bytes), { contentType: PNG, isHashed: true })
    expect(stored).toEqual({ sizeBytes, sha256: sha256(bytes) })
    expect(sha256(await collected(await home.store.read(key)))).toBe(sha256(bytes))
    expect(await home.store.stat(key)).toEqual({ sizeBytes, contentType: PNG })
  })

  test('stores bytes that are at hand, and replaces them', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('first'), { contentType: PNG })
    await home.store.put(key, Buffer.from('second'), { contentType: 'application/octet-stream' })
    expect((await collected(await home.store.read(key))).toString()).toBe('second')
    expect(await home.store.stat(key)).toEqual({ sizeBytes: 6, contentType: 'application/octet-stream' })
  })

  test('takes a file, and what is done to the file later does not reach the object', async () => {
    await using home = await open()
    await using folder = await freshFolder()
    const [key, path] = [newKey(), join(folder.path, 'made')]
    await writeFile(path, 'made', { mode: 0o600 })
    expect(await home.store.putFile(key, path, { contentType: PNG })).toMatchObject({ sizeBytes: 4 })
    await writeFile(path, 'done later')
    expect((await collected(await home.store.read(key))).toString()).toBe('made')
    expect(await home.store.stat(key)).toEqual({ sizeBytes: 4, contentType: PNG })
    await expect(home.store.putFile(newKey(), join(folder.path, 'absent'), { contentType: PNG })).rejects.toThrow(
      'ENOENT',
    )
    expect((await home.leftBehind()).filter(name => /draft/.test(name))).toEqual([])
  })

  test('reads a range with both ends counted', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('0123456789'), { contentType: PNG })
    expect((await collected(await home.store.read(key, { start: 2, end: 5 }))).toString()).toBe('2345')
  })

  test('refuses to replace what is to be written once', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('first'), { contentType: PNG, once: true })
    const again = home.store.put(key, Buffer.from('second'), { contentType: PNG, once: true })
    await expect(again).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await collected(await home.store.read(key))).toString()).toBe('first')
  })

  test('lets one of two simultaneous writers win where it is to be written once', async () => {
    await using home = await open()
    const key = newKey()
    const writes = ['a', 'b', 'c'].map(text => home.store.put(key, Buffer.from(text), { contentType: PNG, once: true }))
    const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status).sort()
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
}

function storesNothing(open: () => Promise<Home>): void {
  test.each([1024, 11 * 2 ** 20])(
    'stops a stream at its limit of %i bytes and leaves nothing behind',
    async maxBytes => {
      await using home = await open()
      const put = home.store.put(newKey(), chunked(patterned(maxBytes + 1)), { contentType: PNG, maxBytes })
      await expect(put).rejects.toMatchObject({ code: 'STORED_INPUT_TOO_LARGE', hints: { ceiling: maxBytes } })
      expect(await home.leftBehind()).toEqual([])
    },
  )

  test('takes a stream of exactly its limit', async () => {
    await using home = await open()
    const stored = await home.store.put(newKey(), chunked(patterned(1024)), { contentType: PNG, maxBytes: 1024 })
    expect(stored.sizeBytes).toBe(1024)
  })

  test.each([3, 11 * 2 ** 20])('leaves nothing behind of a stream that breaks after %i bytes', async sizeBytes => {
    await using home = await open()
    async function* breaking() {
      yield* chunked(patterned(sizeBytes))
      throw new Error('the line is dead')
    }
    await expect(home.store.put(newKey(), breaking(), { contentType: PNG })).rejects.toThrow('the line is dead')
    expect(await home.leftBehind()).toEqual([])
  })

  test('says that an absent object is absent', async () => {
    await using home = await open()
    const key = newKey()
    await expect(home.store.read(key)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(home.store.fetchTo(key, '/tmp/never-made')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await home.store.stat(key)).toBeUndefined()
    await home.store.remove(key)
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
  ])('takes no key such as %j', async key => {
    await using home = await open()
    await expect(home.store.put(key, Buffer.from('x'), { contentType: PNG })).rejects.toThrow('key')
    await expect((async () => home.store.read(key))()).rejects.toThrow('key')
    await expect((async () => home.store.remove(key))()).rejects.toThrow('key')
    await expect((async () => home.store.presignGet(key, { expiresInSeconds: 9 }))()).rejects.toThrow('key')
  })
}

function listsAndFetches(open: () => Promise<Home>): void {
  test('lists what begins with a prefix, and only that', async () => {
    await using home = await open()
    const [mine, other] = [`scratch/${newId()}`, `scratch/${newId()}`]
    const keys = Array.from({ length: 5 }, () => `${mine}/${newId()}`)
    for (const key of [...keys, `${other}/${newId()}`, `stage/${newId()}`]) {
      await home.store.put(key, Buffer.from('x'), { contentType: PNG })
    }
    const listed = async (prefix: string) => {
      const found = []
      for await (const { key, modifiedAt } of home.store.list(prefix)) {
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

  test('removes an object whole', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('x'), { contentType: PNG })
    await home.store.remove(key)
    expect(await home.leftBehind()).toEqual([])
  })

  test('brings an object to a path, and never over a file that is there', async () => {
    await using home = await open()
    await using folder = await freshFolder()
    const [key, path] = [newKey(), join(folder.path, 'input')]
    await home.store.put(key, Buffer.from('content'), { contentType: PNG })
    await home.store.fetchTo(key, path)
    expect(await readFile(path, 'utf8')).toBe('content')
    await writeFile(join(folder.path, 'taken'), 'mine')
    await expect(home.store.fetchTo(key, join(folder.path, 'taken'))).rejects.toThrow('EEXIST')
    expect(await readFile(join(folder.path, 'taken'), 'utf8')).toBe('mine')
  })

  test('says whether it works', async () => {
    await using home = await open()
    await home.store.check()
  })
}

function presignsReads(open: () => Promise<Home>): void {
  test('gives an address that reads one object, with a name and a type of our choice', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('content'), { contentType: PNG })
    const ticket = { expiresInSeconds: 60, filename: 'Übung "1".pdf', contentType: 'application/pdf' }
    const answer = await home.fetch(await home.store.presignGet(key, ticket))
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('content')
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="_bung _1_.pdf"; filename*=UTF-8''%C3%9Cbung%20%221%22.pdf`,
    )
  })

  test('gives an address that ends', async () => {
    await using home = await open()
    const key = newKey()
    await home.store.put(key, Buffer.from('content'), { contentType: PNG })
    const url = await home.store.presignGet(key, { expiresInSeconds: 60 })
    home.passTime(61)
    expect((await home.fetch(url)).status).toBe(403)
  })

  test('gives an address no part of which can be changed', async () => {
    await using home = await open()
    const [key, other] = [newKey(), newKey()]
    for (const name of [key, other]) await home.store.put(name, Buffer.from('content'), { contentType: PNG })
    const good = await home.store.presignGet(key, { expiresInSeconds: 60, filename: 'a.png', contentType: PNG })
    expect((await home.fetch(good.replace(key, other))).status).toBe(403)
    for (const name of new URL(good).searchParams.keys()) {
      const changed = new URL(good)
      changed.searchParams.set(name, `${changed.searchParams.get(name)}0`)
      expect([name, (await home.fetch(changed)).status]).toEqual([name, 403])
      const without = new URL(good)
      without.searchParams.delete(name)
      expect([name, (await home.fetch(without)).ok]).toEqual([name, false])
    }
  })
}

function presignsForms(open: () => Promise<Home>): void {
  const form = (fields: Record<string, string>, bytes: Uint8Array<ArrayBuffer>) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    data.append('file', new Blob([bytes]), 'whatever.bin')
    return { method: 'POST', body: data }
  }
  const bytes = new Uint8Array(Buffer.from('uploaded'))

  test('gives a form that uploads one object of its type', async () => {
    await using home = await open()
    const key = newKey()
    const { url, fields } = await home.store.presignPost(key, { maxBytes: 8, contentType: PNG, expiresInSeconds: 60 })
    expect((await home.fetch(url, form(fields, bytes))).status).toBe(204)
    expect((await collected(await home.store.read(key))).toString()).toBe('uploaded')
    expect(await home.store.stat(key)).toEqual({ sizeBytes: 8, contentType: PNG })
  })

  test('gives a form that holds the upload to its size', async () => {
    await using home = await open()
    const { url, fields } = await home.store.presignPost(newKey(), { maxBytes: 7, expiresInSeconds: 60 })
    expect((await home.fetch(url, form(fields, bytes))).ok).toBe(false)
    expect(await home.leftBehind()).toEqual([])
  })

  test('gives a form that ends', async () => {
    await using home = await open()
    const { url, fields } = await home.store.presignPost(newKey(), { maxBytes: 8, expiresInSeconds: 60 })
    home.passTime(61)
    expect((await home.fetch(url, form(fields, bytes))).status).toBe(403)
    expect(await home.leftBehind()).toEqual([])
  })

  test('gives a form no field of which can be changed or left out', async () => {
    await using home = await open()
    const ticket = { maxBytes: 8, contentType: PNG, expiresInSeconds: 60 }
    const { url, fields } = await home.store.presignPost(newKey(), ticket)
    for (const name of Object.keys(fields)) {
      const changed = { ...fields, [name]: name === 'key' ? newKey() : `${fields[name]}0` }
      expect([name, (await home.fetch(url, form(changed, bytes))).ok]).toEqual([name, false])
      const { [name]: _left, ...without } = fields
      if (name !== 'bucket') expect([name, (await home.fetch(url, form(without, bytes))).ok]).toEqual([name, false])
    }
    const second = await home.store.presignPost(newKey(), { ...ticket, maxBytes: 999 })
    const mixed = { ...second.fields, key: fields.key! }
    expect((await home.fetch(url, form(mixed, bytes))).status).toBe(403)
    expect(await home.leftBehind()).toEqual([])
  })
}
