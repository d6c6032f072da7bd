import { describe, expect, test, vi } from 'vitest'
import { blob, LIMIT_BYTES, openBodyHome } from '../support/body-home.ts'
import { chunked, collected, patterned, sha256, streamOf } from '../support/bytes.ts'

type Body = Parameters<Awaited<ReturnType<typeof openBodyHome>>['post']>[1]
const JPEG = { 'content-type': 'image/jpeg' }

describe('a raw body', () => {
  test('is a file, with the options in the address', async () => {
    await using home = await openBodyHome()
    const bytes = patterned(1024)
    const query = 'width=400&quality=0.5&sharpen=true&format=webp&pages=1,2&pages=3&crop={"x":1}&quarter=90'
    const answer = await home.post(`/resize?${query.replace('pages=1,2&pages=3', 'pages=1,2')}`, blob(bytes), JPEG)
    expect(answer.body).toEqual({
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
    const repeated = await home.post('/resize?pages=1&pages=2&quarter=auto', blob(bytes), JPEG)
    expect(repeated.body.body).toMatchObject({ pages: [1, 2], quarter: 'auto' })
    expect(await home.leftBehind()).toEqual([])
  })

  test('goes to the store when it is not small', async () => {
    await using home = await openBodyHome()
    const bytes = patterned(LIMIT_BYTES)
    const { body } = await home.post('/resize', blob(bytes), { ...JPEG, 'idempotency-key': 'a' })
    const [file] = body.files as [{ key: string; sha256: string }]
    expect(file).toMatchObject({
      sizeBytes: LIMIT_BYTES,
      sha256: sha256(bytes),
      key: expect.stringMatching(/^stage\//),
    })
    expect(sha256(await collected(await home.store.read(file.key)))).toBe(sha256(bytes))
    expect(home.received[0]!.uploads.get('upload:0')!.head.equals(bytes.subarray(0, 16 * 1024))).toBe(true)
  })

  test.each([
    ['with its length said', (bytes: Buffer) => blob(bytes) as Body],
    ['in chunks', (bytes: Buffer) => streamOf(chunked(bytes)) as Body],
  ])('over the limit is refused %s, and the refusal is read', async (_name, bodyOf) => {
    await using home = await openBodyHome()
    const answer = await home.post('/resize', bodyOf(patterned(LIMIT_BYTES * 3)), JPEG)
    expect(answer).toMatchObject({ status: 413, body: { code: 'INPUT_TOO_LARGE', ceiling: LIMIT_BYTES } })
    expect(await home.leftBehind()).toEqual([])
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
    await using home = await openBodyHome()
    const answer = await home.post(`/resize?${query}`, blob(patterned(200_000)), JPEG)
    expect(answer).toMatchObject({ status: 400, body: { code, field } })
    expect(await home.leftBehind()).toEqual([])
  })

  test('has a fingerprint of its bytes and options', async () => {
    await using home = await openBodyHome()
    const print = async (path: string, seed: number) => {
      const sent = await home.post(path, blob(patterned(100_000, seed)), { ...JPEG, 'idempotency-key': 'a' })
      return sent.body.fingerprint
    }
    const one = await print('/resize?width=1', 1)
    expect(await print('/resize?width=1', 1)).toBe(one)
    expect(await print('/resize?width=1', 2)).not.toBe(one)
    expect(await print('/resize?width=2', 1)).not.toBe(one)
  })

  test.each([3, 300_000])('that breaks off after %i bytes leaves nothing behind', async sizeBytes => {
    await using home = await openBodyHome()
    const head = 'POST /resize HTTP/1.1\nHost: x\nContent-Type: image/jpeg\nContent-Length: 1000000\n\n'
    await home.sendAndHangUp(head, patterned(sizeBytes))
    await vi.waitFor(() => expect(home.ends).toEqual([expect.objectContaining({ code: 'BODY_INCOMPLETE' })]))
    expect(await home.leftBehind()).toEqual([])
    expect(home.bugs).toEqual([])
  })
})
