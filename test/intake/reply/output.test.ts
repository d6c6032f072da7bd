import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { FileManifest, FileOutput, newId, type StoredOutput } from '#kit'
import { registerObjectRoutes } from '../../../api/intake/files/object-routes.ts'
import { sendRawOutput, soleOutput, wantsRawOutput } from '../../../api/intake/reply/send.ts'
import { INLINE_OUTPUT_CHARS, makeEnvelope, withEnvelopes } from '../../../ops/providers/storage/envelope.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { createBytes } from '../../support/data/bytes.ts'
import { openTestServer, PUBLIC_URL } from '../../support/intake/object-routes.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const LARGEST_INLINE = (INLINE_OUTPUT_CHARS / 4) * 3

describe('the envelope of an output', () => {
  test('carries the bytes, the key and an address that serves them under their name', async () => {
    await using server = await openOutputServer()
    const output = await server.storeOutput(createBytes(1000), 'rotated.pdf')
    const envelope = await makeEnvelope(output, server)
    expect(envelope).toEqual({
      inline: createBytes(1000).toString('base64'),
      outputKey: output.key,
      outputUrl: expect.any(String),
      sizeBytes: 1000,
      contentType: 'application/pdf',
    })
    const fetched = await server.fetchPublic(envelope.outputUrl!)
    expect(fetched.headers.get('content-disposition')).toBe('attachment; filename="rotated.pdf"')
    expect(fetched.headers.get('content-type')).toBe('application/pdf')
    expect((await fetched.arrayBuffer()).byteLength).toBe(1000)
  })

  test('is inline up to exactly 4 MiB of base64', async () => {
    await using server = await openOutputServer()
    const largest = await makeEnvelope(await server.storeOutput(createBytes(LARGEST_INLINE)), server)
    expect(largest.inline).toHaveLength(INLINE_OUTPUT_CHARS)
    const beyond = await makeEnvelope(await server.storeOutput(createBytes(LARGEST_INLINE + 1)), server)
    expect(beyond).toEqual({
      outputKey: expect.any(String),
      outputUrl: expect.any(String),
      sizeBytes: LARGEST_INLINE + 1,
      contentType: 'application/pdf',
    })
  })

  test('is never inline if the caller asks for that', async () => {
    await using server = await openOutputServer()
    const envelope = await makeEnvelope(await server.storeOutput(createBytes(10)), {
      store: server.store,
      inlineOutput: 'never',
    })
    expect(envelope).not.toHaveProperty('inline')
  })

  test('of bytes that are inline in the job needs no store', async () => {
    await using server = await openOutputServer()
    const output = { inline: 'eA==', sizeBytes: 1, contentType: 'text/plain', name: 'x.txt' }
    expect(await makeEnvelope(output, server)).toEqual({ inline: 'eA==', sizeBytes: 1, contentType: 'text/plain' })
  })

  test('replaces each file of a result and keeps its other fields', async () => {
    await using server = await openOutputServer()
    const [one, two] = [await server.storeOutput(createBytes(10)), await server.storeOutput(createBytes(20))]
    const schema = Type.Object({ files: FileManifest('application/pdf'), output: FileOutput('application/pdf') })
    const result = {
      files: [
        { ...one, pages: '1-2' },
        { ...two, pages: '3' },
      ],
      output: one,
      count: 2,
    }
    const answer = await withEnvelopes(schema, result, server)
    expect(answer).toEqual({
      files: [
        {
          index: 0,
          outputKey: one.key,
          outputUrl: expect.any(String),
          sizeBytes: 10,
          contentType: 'application/pdf',
          pages: '1-2',
        },
        {
          index: 1,
          outputKey: two.key,
          outputUrl: expect.any(String),
          sizeBytes: 20,
          contentType: 'application/pdf',
          pages: '3',
        },
      ],
      output: expect.objectContaining({ inline: createBytes(10).toString('base64'), outputKey: one.key }),
      count: 2,
    })
  })
})

describe('a raw answer', () => {
  test.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['application/problem+json', false],
    ['application/*', false],
    ['image/png, application/json', false],
    ['image/png;q=0.9, */*;q=0.1', false],
    ['application/octet-stream', true],
    ['application/pdf', true],
    ['image/*', true],
    ['image/webp, image/png;q=0.5', true],
    ['', false],
    ['nonsense', false],
  ])('is requested by Accept %s: %s', (accept, isWanted) => {
    expect(wantsRawOutput(accept)).toBe(isWanted)
  })

  test('carries the bytes, their name and the other fields of the result', async () => {
    await using server = await openOutputServer()
    const output = await server.storeOutput(createBytes(100_000), 'Übersicht "1"\r\nX: y.pdf')
    const answer = await server.requestRaw({ output, width: 400, note: 'größer' })
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(createBytes(100_000))).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '100000',
      'content-disposition': `attachment; filename="_bersicht _1___X: y.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%221%22%0D%0AX%3A%20y.pdf`,
      'x-content-type-options': 'nosniff',
      'x-service-output-key': output.key,
    })
    expect(JSON.parse(answer.headers.get('x-service-result')!)).toEqual({ width: 400, note: 'größer' })
  })

  test('also works for inline bytes', async () => {
    await using server = await openOutputServer()
    const answer = await server.requestRaw({
      output: { inline: 'eA==', sizeBytes: 1, contentType: 'text/plain', name: 'x.txt' },
    })
    expect([await answer.text(), answer.headers.has('x-service-result')]).toEqual(['x', false])
  })

  test('is made only from a result that is one file', () => {
    expect(soleOutput({ files: [] })).toBeUndefined()
    expect(soleOutput({ output: 'text' })).toBeUndefined()
    expect(soleOutput('text')).toBeUndefined()
  })
})

async function openOutputServer() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret that is long enough', publicUrl: PUBLIC_URL })
  let result: unknown
  const testServer = await openTestServer(app => {
    registerObjectRoutes(app, store)
    app.get('/raw', (_request, reply) => sendRawOutput(reply, soleOutput(result)!, store))
  })
  return {
    ...testServer,
    store,
    async storeOutput(bytes: Buffer, name = 'out.pdf'): Promise<StoredOutput> {
      const key = `scratch/${newId()}/${newId()}`
      const contentType = 'application/pdf'
      const { sizeBytes } = await store.put(key, bytes, { contentType })
      return { key, sizeBytes, contentType, name }
    },
    requestRaw(rawResult: unknown) {
      result = rawResult
      return testServer.fetchPublic(`${PUBLIC_URL}/raw`)
    },
    async [Symbol.asyncDispose]() {
      await testServer[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(testServer.bugs).toEqual([])
    },
  }
}
