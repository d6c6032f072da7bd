import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { newId } from '#kit'
import { registerObjectDoors } from '../../api/intake/object-doors.ts'
import { LocalStore } from '../../ops/storage/index.ts'
import { patterned } from '../support/bytes.ts'
import { openDoors, PUBLIC_URL } from '../support/doors.ts'
import { freshFolder } from '../support/folder.ts'

const newKey = () => `scratch/${newId()}/${newId()}`
const TYPE = 'text/html'

describe('the door to a presigned object', () => {
  test('tells a browser to save it and to run nothing of it', async () => {
    await using home = await openHome()
    const answer = await home.reach(await home.stored('<script>alert(1)</script>'))
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': TYPE,
      'content-length': '25',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'accept-ranges': 'bytes',
    })
  })

  test('answers HEAD with the same headers and no body', async () => {
    await using home = await openHome()
    const answer = await home.reach(await home.stored('0123456789'), { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '10', ''])
  })

  test.each([
    ['bytes=2-5', 206, '2345', 'bytes 2-5/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-99', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=5-2', 200, '0123456789', null],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('answers Range %s with %i', async (range, status, content, contentRange) => {
    await using home = await openHome()
    const answer = await home.reach(await home.stored('0123456789'), { headers: { range } })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      content,
      contentRange,
    ])
  })

  test('answers an address whose object is gone with 404, and one without a signature with 403', async () => {
    await using home = await openHome()
    const key = newKey()
    const url = await home.store.presignGet(key, { expiresInSeconds: 60 })
    expect((await home.reach(url)).status).toBe(404)
    expect((await home.reach(`${PUBLIC_URL}/objects/${key}`)).status).toBe(403)
    expect((await home.reach(`${PUBLIC_URL}/objects/..%2f..%2fetc%2fpasswd?expires=9&signature=x`)).status).toBe(403)
    expect((await home.reach(`${url}&extra=1`)).status).toBe(403)
    expect((await home.reach(`${url}&expires=9999999999`)).status).toBe(403)
  })
})

describe('the door for presigned forms', () => {
  test('takes a form once, even from several at the same time', async () => {
    await using home = await openHome()
    const { url, fields } = await home.store.presignPost(newKey(), { maxBytes: 2 ** 20, expiresInSeconds: 60 })
    const send = () => home.reach(url, { method: 'POST', body: formOf(fields, patterned(500_000)) })
    const statuses = await Promise.all([send(), send(), send()].map(async answer => (await answer).status))
    expect(statuses.sort()).toEqual([204, 403, 403])
    expect((await send()).status).toBe(403)
    expect(await home.leftBehind()).toHaveLength(1)
  })

  test('takes a form again after an attempt that failed', async () => {
    await using home = await openHome()
    const { url, fields } = await home.store.presignPost(newKey(), { maxBytes: 1000, expiresInSeconds: 60 })
    const send = (bytes: Buffer) => home.reach(url, { method: 'POST', body: formOf(fields, bytes) })
    expect((await send(patterned(1001))).status).toBe(413)
    expect((await send(patterned(1000))).status).toBe(204)
  })

  test('keeps the type that was signed, whatever the part claims', async () => {
    await using home = await openHome()
    const keys = [newKey(), newKey()] as const
    const signed = await home.store.presignPost(keys[0], {
      maxBytes: 9,
      contentType: 'image/png',
      expiresInSeconds: 60,
    })
    const open = await home.store.presignPost(keys[1], { maxBytes: 9, expiresInSeconds: 60 })
    for (const { url, fields } of [signed, open]) {
      const body = formOf(fields, Buffer.from('x'), 'text/html')
      expect((await home.reach(url, { method: 'POST', body })).status).toBe(204)
    }
    expect(await home.store.stat(keys[0])).toMatchObject({ contentType: 'image/png' })
    expect(await home.store.stat(keys[1])).toMatchObject({ contentType: 'application/octet-stream' })
  })

  test.each([
    ['no file', (form: FormData) => form.delete('file')],
    ['two files', (form: FormData) => form.append('file', new Blob(['x']), 'b')],
    ['a field after the file', (form: FormData) => form.append('key', 'scratch/x')],
  ])('refuses a form with %s', async (_name, change) => {
    await using home = await openHome()
    const { url, fields } = await home.store.presignPost(newKey(), { maxBytes: 1000, expiresInSeconds: 60 })
    const body = formOf(fields, Buffer.from('x'))
    change(body)
    expect((await home.reach(url, { method: 'POST', body })).status).toBe(400)
  })

  test('refuses what is no form', async () => {
    await using home = await openHome()
    const answer = await home.reach(`${PUBLIC_URL}/objects`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(415)
  })

  test('leaves nothing behind of an upload that breaks off', async () => {
    await using home = await openHome()
    const { fields } = await home.store.presignPost(newKey(), { maxBytes: 2 ** 20, expiresInSeconds: 60 })
    const parts = Object.entries(fields).map(
      ([name, value]) => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    const head =
      'POST /objects HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 900000\r\n\r\n'
    const socket = connect(Number(new URL(home.url).port), '127.0.0.1')
    socket.write(Buffer.concat([Buffer.from(head + parts.join('') + file), patterned(300_000)]))
    await vi.waitFor(async () => expect(await home.leftBehind()).toHaveLength(1))
    socket.resetAndDestroy()
    await vi.waitFor(async () => expect(await home.leftBehind()).toEqual([]))
  })
})

function formOf(fields: Record<string, string>, bytes: Buffer, type = ''): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), 'a.bin')
  return form
}

async function openHome() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret of enough letters', publicUrl: PUBLIC_URL })
  const doors = await openDoors(app => registerObjectDoors(app, store))
  return {
    ...doors,
    store,
    async stored(content: string) {
      const key = newKey()
      await store.put(key, Buffer.from(content), { contentType: TYPE })
      return store.presignGet(key, { expiresInSeconds: 60 })
    },
    async leftBehind() {
      const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
      return entries.filter(entry => entry.isFile()).map(({ name }) => name)
    },
    async [Symbol.asyncDispose]() {
      await doors[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(doors.bugs).toEqual([])
    },
  }
}
