import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { newId } from '#kit'
import { registerObjectRoutes } from '../../../api/intake/files/object-routes.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { createBytes } from '../../support/data/bytes.ts'
import { openTestServer, PUBLIC_URL } from '../../support/intake/object-routes.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const newKey = () => `scratch/${newId()}/${newId()}`
const TYPE = 'text/html'

describe('the route of a presigned object', () => {
  test('tells a browser to save the object and to run nothing in it', async () => {
    await using fixture = await openFixture()
    const answer = await fixture.fetchPublic(await fixture.storeAndPresign('<script>alert(1)</script>'))
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
    await using fixture = await openFixture()
    const answer = await fixture.fetchPublic(await fixture.storeAndPresign('0123456789'), { method: 'HEAD' })
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
    await using fixture = await openFixture()
    const answer = await fixture.fetchPublic(await fixture.storeAndPresign('0123456789'), { headers: { range } })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      content,
      contentRange,
    ])
  })

  test('answers 404 for a deleted object, and 403 for an invalid signature', async () => {
    await using fixture = await openFixture()
    const key = newKey()
    const url = await fixture.store.presignGet(key, { expiresInSeconds: 60 })
    expect((await fixture.fetchPublic(url)).status).toBe(404)
    expect((await fixture.fetchPublic(`${PUBLIC_URL}/objects/${key}`)).status).toBe(403)
    expect(
      (await fixture.fetchPublic(`${PUBLIC_URL}/objects/..%2f..%2fetc%2fpasswd?expires=9&signature=x`)).status,
    ).toBe(403)
    expect((await fixture.fetchPublic(`${url}&extra=1`)).status).toBe(403)
    expect((await fixture.fetchPublic(`${url}&expires=9999999999`)).status).toBe(403)
  })
})

describe('the route of presigned forms', () => {
  test('accepts a form once, even if it is sent several times at once', async () => {
    await using fixture = await openFixture()
    const { url, fields } = await fixture.store.presignPost(newKey(), { maxBytes: 2 ** 20, expiresInSeconds: 60 })
    const send = () => fixture.fetchPublic(url, { method: 'POST', body: buildForm(fields, createBytes(500_000)) })
    const statuses = await Promise.all([send(), send(), send()].map(async answer => (await answer).status))
    expect(statuses.sort()).toEqual([204, 403, 403])
    expect((await send()).status).toBe(403)
    expect(await fixture.listFiles()).toHaveLength(1)
  })

  test('accepts a form again after a failed attempt', async () => {
    await using fixture = await openFixture()
    const { url, fields } = await fixture.store.presignPost(newKey(), { maxBytes: 1000, expiresInSeconds: 60 })
    const send = (bytes: Buffer) => fixture.fetchPublic(url, { method: 'POST', body: buildForm(fields, bytes) })
    expect((await send(createBytes(1001))).status).toBe(413)
    expect((await send(createBytes(1000))).status).toBe(204)
  })

  test('uses the signed type, not the one of the part', async () => {
    await using fixture = await openFixture()
    const keys = [newKey(), newKey()] as const
    const signed = await fixture.store.presignPost(keys[0], {
      maxBytes: 9,
      contentType: 'image/png',
      expiresInSeconds: 60,
    })
    const open = await fixture.store.presignPost(keys[1], { maxBytes: 9, expiresInSeconds: 60 })
    for (const { url, fields } of [signed, open]) {
      const body = buildForm(fields, Buffer.from('x'), 'text/html')
      expect((await fixture.fetchPublic(url, { method: 'POST', body })).status).toBe(204)
    }
    expect(await fixture.store.stat(keys[0])).toMatchObject({ contentType: 'image/png' })
    expect(await fixture.store.stat(keys[1])).toMatchObject({ contentType: 'application/octet-stream' })
  })

  test.each([
    ['no file', (form: FormData) => form.delete('file')],
    ['the file before the fields', putFileFirst],
    ['a file of another name', (form: FormData) => rename(form, 'upload')],
    ['a file of another name before the file', (form: FormData) => precede(form, 'upload')],
    ['two files', (form: FormData) => form.append('file', new Blob(['x']), 'b')],
    ['a field after the file', (form: FormData) => form.append('key', 'scratch/x')],
  ])('refuses a form with %s', async (_name, change) => {
    await using fixture = await openFixture()
    const { url, fields } = await fixture.store.presignPost(newKey(), { maxBytes: 1000, expiresInSeconds: 60 })
    const body = buildForm(fields, Buffer.from('x'))
    change(body)
    expect((await fixture.fetchPublic(url, { method: 'POST', body })).status).toBe(400)
  })

  test('refuses a body that is not a form', async () => {
    await using fixture = await openFixture()
    const answer = await fixture.fetchPublic(`${PUBLIC_URL}/objects`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(415)
  })

  test('leaves nothing of an aborted upload', async () => {
    await using fixture = await openFixture()
    const { fields } = await fixture.store.presignPost(newKey(), { maxBytes: 2 ** 20, expiresInSeconds: 60 })
    const parts = Object.entries(fields).map(
      ([name, value]) => `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    const head =
      'POST /objects HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 900000\r\n\r\n'
    const socket = connect(Number(new URL(fixture.url).port), '127.0.0.1')
    socket.write(Buffer.concat([Buffer.from(head + parts.join('') + file), createBytes(300_000)]))
    await vi.waitFor(async () => expect(await fixture.listFiles()).toHaveLength(1))
    socket.resetAndDestroy()
    await vi.waitFor(async () => expect(await fixture.listFiles()).toEqual([]))
  })
})

function rename(form: FormData, name: string): void {
  const file = form.get('file')!
  form.delete('file')
  form.append(name, file)
}

function putFileFirst(form: FormData): void {
  const fields = [...form].filter(([name]) => name !== 'file')
  for (const [name, value] of fields) {
    form.delete(name)
    form.append(name, value)
  }
}

function precede(form: FormData, name: string): void {
  const file = form.get('file')!
  rename(form, name)
  form.append('file', file)
}

function buildForm(fields: Record<string, string>, bytes: Buffer, type = ''): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), 'a.bin')
  return form
}

async function openFixture() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret of enough letters', publicUrl: PUBLIC_URL })
  const server = await openTestServer(app => registerObjectRoutes(app, store))
  return {
    ...server,
    store,
    async storeAndPresign(content: string) {
      const key = newKey()
      await store.put(key, Buffer.from(content), { contentType: TYPE })
      return store.presignGet(key, { expiresInSeconds: 60 })
    },
    async listFiles() {
      const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
      return entries.filter(entry => entry.isFile()).map(({ name }) => name)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(server.bugs).toEqual([])
    },
  }
}
