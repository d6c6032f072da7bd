import { describe, expect, test, vi } from 'vitest'
import { collectBytes, createBytes, sha256, toChunks, toWebStream } from '../../support/data/bytes.ts'
import { LIMIT_BYTES, openBodyServer, toBlob } from '../../support/intake/body-server.ts'

type Body = Parameters<Awaited<ReturnType<typeof openBodyServer>>['post']>[1]
const JPEG = { 'content-type': 'image/jpeg' }

describe('a raw body', () => {
  test('is a file, with the options in the query', async () => {
    await using server = await openBodyServer()
    const bytes = createBytes(1024)
    const query = 'width=400&quality=0.5&sharpen=true&format=webp&pages=1,2&pages=3&crop={"x":1}&quarter=90'
    const answer = await server.post(`/resize?${query.replace('pages=1,2&pages=3', 'pages=1,2')}`, toBlob(bytes), JPEG)
    expect(answer.body).toMatchObject({
      body: {
        file: { inputKey: 'upload:0' },
        width: 400,
        quality: 0.5,
        sharpen: true,
        format: 'webp',
        pages: [1, 2],
        crop: { x: 1 },
        quarter: 90,
      },
      files: [{ as: 'upload:0', sizeBytes: 1024, held: 1024 }],
    })
    const repeated = await server.post('/resize?pages=1&pages=2&quarter=auto', toBlob(bytes), JPEG)
    expect(repeated.body.body).toMatchObject({ pages: [1, 2], quarter: 'auto' })
    expect(await server.listStoredFiles()).toEqual([])
  })

  test('goes to the store unless it is small', async () => {
    await using server = await openBodyServer()
    const bytes = createBytes(LIMIT_BYTES)
    const { body } = await server.post('/resize', toBlob(bytes), { ...JPEG, 'idempotency-key': 'a' })
    const [file] = body.files as [{ key: string; sha256: string }]
    expect(file).toMatchObject({
      sizeBytes: LIMIT_BYTES,
      sha256: sha256(bytes),
      key: expect.stringMatching(/^stage\//),
    })
    expect(sha256(await collectBytes(await server.store.read(file.key)))).toBe(sha256(bytes))
    expect(server.received[0]!.uploads.get('upload:0')!.head.equals(bytes.subarray(0, 16 * 1024))).toBe(true)
  })

  test.each([
    ['with a content length', (bytes: Buffer) => toBlob(bytes) as Body],
    ['in chunks', (bytes: Buffer) => toWebStream(toChunks(bytes)) as Body],
  ])('over the limit is refused %s, and the client receives the response', async (_name, bodyOf) => {
    await using server = await openBodyServer()
    const answer = await server.post('/resize', bodyOf(createBytes(LIMIT_BYTES * 3)), JPEG)
    expect(answer).toMatchObject({ status: 413, body: { code: 'INPUT_TOO_LARGE', ceiling: LIMIT_BYTES } })
    expect(await server.listStoredFiles()).toEqual([])
  })

  test.each([
    ['width=abc', 'INVALID_PARAM', 'width'],
    ['width=4.5', 'INVALID_PARAM', 'width'],
    ['width=', 'INVALID_PARAM', 'width'],
    ['sharpen=yes', 'INVALID_PARAM', 'sharpen'],
    ['widht=1', 'UNKNOWN_FIELD', 'widht'],
    ['crop={"__proto__":1}', 'INVALID_PARAM', 'crop'],
    ['__proto__=1', 'UNKNOWN_FIELD', '__proto__'],
    ['width=1&width=2', 'INVALID_PARAM', 'width'],
  ])('with the option %s is refused before its bytes are stored', async (query, code, field) => {
    await using server = await openBodyServer()
    const answer = await server.post(`/resize?${query}`, toBlob(createBytes(200_000)), JPEG)
    expect(answer).toMatchObject({ status: 400, body: { code, field } })
    expect(await server.listStoredFiles()).toEqual([])
  })

  test('has a fingerprint of its bytes and options', async () => {
    await using server = await openBodyServer()
    const readFingerprint = async (path: string, seed: number) => {
      const sent = await server.post(path, toBlob(createBytes(100_000, seed)), { ...JPEG, 'idempotency-key': 'a' })
      return sent.body.fingerprint
    }
    const one = await readFingerprint('/resize?width=1', 1)
    expect(await readFingerprint('/resize?width=1', 1)).toBe(one)
    expect(await readFingerprint('/resize?width=1', 2)).not.toBe(one)
    expect(await readFingerprint('/resize?width=2', 1)).not.toBe(one)
  })

  test.each([3, 300_000])('that is cut off after %i bytes leaves nothing behind', async sizeBytes => {
    await using server = await openBodyServer()
    const head = 'POST /resize HTTP/1.1\nHost: x\nContent-Type: image/jpeg\nContent-Length: 1000000\n\n'
    await server.sendPartially(head, createBytes(sizeBytes))
    await vi.waitFor(() => expect(server.failures).toEqual([expect.objectContaining({ code: 'BODY_INCOMPLETE' })]))
    expect(await server.listStoredFiles()).toEqual([])
    expect(server.bugs).toEqual([])
  })
})
