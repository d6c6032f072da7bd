import { describe, expect, test } from 'vitest'
import { rejectLostNumbers } from '../../../api/intake/body/numbers.ts'
import { toChunks, toWebStream } from '../../support/data/bytes.ts'
import { openBodyServer } from '../../support/intake/body-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('a JSON body', () => {
  test('is parsed', async () => {
    await using server = await openBodyServer()
    const answer = await server.post('/slug', '{"text":"Grüße"}', JSON_TYPE)
    expect(answer).toMatchObject({ status: 200, body: { body: { text: 'Grüße' }, files: [] } })
  })

  test.each([
    ['broken', '{"text":', 400, 'INVALID_JSON'],
    ['empty', '', 400, 'EMPTY_BODY'],
    ['a prototype pollution', '{"__proto__":{"text":"x"}}', 400, 'INVALID_JSON'],
    ['too large', `{"text":"${'x'.repeat(12 * 2 ** 20)}"}`, 413, 'INPUT_TOO_LARGE'],
  ])('that is %s is refused', async (_name, body, status, code) => {
    await using server = await openBodyServer()
    expect(await server.post('/slug', body, JSON_TYPE)).toMatchObject({ status, body: { code } })
    expect(server.bugs).toEqual([])
  })

  test.each([
    ['a whole number of 16 digits', '{"text":"x","rows":[{"id":9007199254740993}]}', 'rows.0.id'],
    ['a power of two that is written otherwise', '{"text":"x","n":[1,1152921504606846976]}', 'n.1'],
    ['a number beyond all doubles', '{"text":"x","größe":-1e400}', 'größe'],
    ['nothing but such a number', '12345678901234567890', 'body'],
  ])('that holds %s is refused, with the place', async (_name, body, field) => {
    await using server = await openBodyServer()
    expect(await server.post('/slug', body, JSON_TYPE)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAM', field },
    })
  })

  test('may hold numbers that a double keeps, and any digits in texts', async () => {
    const kept = '{"text":"12345678901234567890 1e400","a":9007199254740991,"b":1e21,"c":0.1234567890123456,"d":1e300}'
    expect(() => rejectLostNumbers(kept)).not.toThrow()
    await using server = await openBodyServer()
    const text = '12345678901234567890 1e400 \ud83d\ude00'
    expect(await server.post('/slug', JSON.stringify({ text }), JSON_TYPE)).toMatchObject({ body: { body: { text } } })
  })

  test('that is too large is refused even without a content length', async () => {
    await using server = await openBodyServer()
    const body = toWebStream(toChunks(Buffer.alloc(13 * 2 ** 20, 0x20)))
    expect(await server.post('/slug', body, JSON_TYPE)).toMatchObject({ status: 413, body: { ceiling: 12 * 2 ** 20 } })
  })

  test('that is absent is refused', async () => {
    await using server = await openBodyServer()
    const answer = await fetch(`${server.url}/slug`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'EMPTY_BODY' }])
  })

  test('of another type is refused with the accepted types', async () => {
    await using server = await openBodyServer()
    const plain = await server.post('/slug', 'text', { 'content-type': 'text/plain' })
    expect(plain).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE', accepted: ['application/json'] },
    })
    const merge = await server.post('/merge', 'text', { 'content-type': 'text/plain' })
    expect(merge).toMatchObject({ status: 415, body: { accepted: ['application/json', 'multipart/form-data'] } })
    const packed = await server.post('/slug', '{"text":"x"}', { ...JSON_TYPE, 'content-encoding': 'gzip' })
    expect(packed).toMatchObject({ status: 415, body: { header: 'Content-Encoding' } })
  })

  test('has a fingerprint that depends only on the body and the address, if it is small or has an Idempotency-Key', async () => {
    await using server = await openBodyServer()
    const readFingerprint = async (path: string, body: string, headers = {}) => {
      const sent = await server.post(path, body, { ...JSON_TYPE, 'idempotency-key': 'a', ...headers })
      return sent.body.fingerprint as string
    }
    const one = await readFingerprint('/slug', '{"text":"x"}')
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(await readFingerprint('/slug', '{"text":"x"}', { authorization: 'Bearer other' })).toBe(one)
    expect(await readFingerprint('/slug', '{"text":"x"}', { 'content-type': 'application/json; charset=utf-8' })).toBe(
      one,
    )
    expect(await readFingerprint('/slug', '{"text":"y"}')).not.toBe(one)
    expect(await readFingerprint('/slug?wait=1', '{"text":"x"}')).not.toBe(one)
    expect((await server.post('/slug', '{"text":"x"}', JSON_TYPE)).body.fingerprint).toBe(one)
    const large = JSON.stringify({ text: 'x'.repeat(64 * 1024) })
    expect((await server.post('/slug', large, JSON_TYPE)).body.fingerprint).toBeUndefined()
    expect(await readFingerprint('/slug', large)).toMatch(/^[0-9a-f]{64}$/)
  })
})
