import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { FileManifest, FileOutput, newId, type StoredOutput } from '#kit'
import { registerObjectDoors } from '../../api/intake/object-doors.ts'
import {
  INLINE_OUTPUT_CHARS,
  outputEnvelope,
  sendRawOutput,
  soleOutput,
  wantsRawOutput,
  withEnvelopes,
} from '../../api/intake/output.ts'
import { LocalStore } from '../../ops/storage/index.ts'
import { patterned } from '../support/bytes.ts'
import { openDoors, PUBLIC_URL } from '../support/doors.ts'
import { freshFolder } from '../support/folder.ts'

const LARGEST_INLINE = (INLINE_OUTPUT_CHARS / 4) * 3

describe('the envelope of an output', () => {
  test('carries the bytes, the key and an address that gives them out under their name', async () => {
    await using home = await openHome()
    const output = await home.stored(patterned(1000), 'rotated.pdf')
    const envelope = await outputEnvelope(output, home)
    expect(envelope).toEqual({
      inline: patterned(1000).toString('base64'),
      outputKey: output.key,
      outputUrl: expect.any(String),
      sizeBytes: 1000,
      contentType: 'application/pdf',
    })
    const fetched = await home.reach(envelope.outputUrl!)
    expect(fetched.headers.get('content-disposition')).toBe('attachment; filename="rotated.pdf"')
    expect(fetched.headers.get('content-type')).toBe('application/pdf')
    expect((await fetched.arrayBuffer()).byteLength).toBe(1000)
  })

  test('is inline up to 4 MiB of base64 and not a byte beyond', async () => {
    await using home = await openHome()
    const largest = await outputEnvelope(await home.stored(patterned(LARGEST_INLINE)), home)
    expect(largest.inline).toHaveLength(INLINE_OUTPUT_CHARS)
    const beyond = await outputEnvelope(await home.stored(patterned(LARGEST_INLINE + 1)), home)
    expect(beyond).toEqual({
      outputKey: expect.any(String),
      outputUrl: expect.any(String),
      sizeBytes: LARGEST_INLINE + 1,
      contentType: 'application/pdf',
    })
  })

  test('is never inline where the caller wants it so', async () => {
    await using home = await openHome()
    const envelope = await outputEnvelope(await home.stored(patterned(10)), {
      store: home.store,
      inlineOutput: 'never',
    })
    expect(envelope).not.toHaveProperty('inline')
  })

  test('of bytes that travelled inside the job needs no store', async () => {
    await using home = await openHome()
    const output = { inline: 'eA==', sizeBytes: 1, contentType: 'text/plain', name: 'x.txt' }
    expect(await outputEnvelope(output, home)).toEqual({ inline: 'eA==', sizeBytes: 1, contentType: 'text/plain' })
  })

  test('stands in the place of each file of a result, with the facts beside it', async () => {
    await using home = await openHome()
    const [one, two] = [await home.stored(patterned(10)), await home.stored(patterned(20))]
    const schema = Type.Object({ files: FileManifest('application/pdf'), output: FileOutput('application/pdf') })
    const result = {
      files: [
        { ...one, pages: '1-2' },
        { ...two, pages: '3' },
      ],
      output: one,
      count: 2,
    }
    const answer = await withEnvelopes(schema, result, home)
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
      output: expect.objectContaining({ inline: patterned(10).toString('base64'), outputKey: one.key }),
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
  ])('is wanted by Accept %s: %s', (accept, isWanted) => {
    expect(wantsRawOutput(accept)).toBe(isWanted)
  })

  test('carries the bytes, their name and what else the result says', async () => {
    await using home = await openHome()
    const output = await home.stored(patterned(100_000), 'Übersicht "1"\r\nX: y.pdf')
    const answer = await home.raw({ output, width: 400, note: 'größer' })
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer()).equals(patterned(100_000))).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '100000',
      'content-disposition': `attachment; filename="_bersicht _1___X: y.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%221%22%0D%0AX%3A%20y.pdf`,
      'x-content-type-options': 'nosniff',
      'x-service-output-key': output.key,
    })
    expect(JSON.parse(answer.headers.get('x-service-result')!)).toEqual({ width: 400, note: 'größer' })
  })

  test('is made of inline bytes too', async () => {
    await using home = await openHome()
    const answer = await home.raw({
      output: { inline: 'eA==', sizeBytes: 1, contentType: 'text/plain', name: 'x.txt' },
    })
    expect([await answer.text(), answer.headers.has('x-service-result')]).toEqual(['x', false])
  })

  test('is only made of a result that is one file', () => {
    expect(soleOutput({ files: [] })).toBeUndefined()
    expect(soleOutput({ output: 'text' })).toBeUndefined()
    expect(soleOutput('text')).toBeUndefined()
  })
})

async function openHome() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret of enough letters', publicUrl: PUBLIC_URL })
  let result: unknown
  const doors = await openDoors(app => {
    registerObjectDoors(app, store)
    app.get('/raw', (_request, reply) => sendRawOutput(reply, soleOutput(result)!, store))
  })
  return {
    ...doors,
    store,
    async stored(bytes: Buffer, name = 'out.pdf'): Promise<StoredOutput> {
      const key = `scratch/${newId()}/${newId()}`
      const contentType = 'application/pdf'
      const { sizeBytes } = await store.put(key, bytes, { contentType })
      return { key, sizeBytes, contentType, name }
    },
    raw(answered: unknown) {
      result = answered
      return doors.reach(`${PUBLIC_URL}/raw`)
    },
    async [Symbol.asyncDispose]() {
      await doors[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
      expect(doors.bugs).toEqual([])
    },
  }
}
