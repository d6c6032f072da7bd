import { describe, expect, test } from 'vitest'
import { openBodyHome } from '../support/body-home.ts'
import { chunked, streamOf } from '../support/bytes.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('a JSON body', () => {
  test('is parsed', async () => {
    await using home = await openBodyHome()
    const answer = await home.post('/slug', '{"text":"Grüße"}', JSON_TYPE)
    expect(answer).toEqual({ status: 200, body: { body: { text: 'Grüße' }, files: [] } })
  })

  test.each([
    ['broken', '{"text":', 400, 'INVALID_JSON'],
    ['empty', '', 400, 'EMPTY_BODY'],
    ['poisoned', '{"__proto__":{"text":"x"}}', 400, 'INVALID_JSON'],
    ['too large', `{"text":"${'x'.repeat(6 * 2 ** 20)}"}`, 413, 'INPUT_TOO_LARGE'],
  ])('that is %s is refused', async (_name, body, status, code) => {
    await using home = await openBodyHome()
    expect(await home.post('/slug', body, JSON_TYPE)).toMatchObject({ status, body: { code } })
    expect(home.bugs).toEqual([])
  })

  test('that is too large is refused although it says no length', async () => {
    await using home = await openBodyHome()
    const body = streamOf(chunked(Buffer.alloc(7 * 2 ** 20, 0x20)))
    expect(await home.post('/slug', body, JSON_TYPE)).toMatchObject({ status: 413, body: { ceiling: 6 * 2 ** 20 } })
  })

  test('that is absent is refused', async () => {
    await using home = await openBodyHome()
    const answer = await fetch(`${home.url}/slug`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'EMPTY_BODY' }])
  })

  test('of another type is refused with the types that are taken', async () => {
    await using home = await openBodyHome()
    const plain = await home.post('/slug', 'text', { 'content-type': 'text/plain' })
    expect(plain).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE', accepted: ['application/json'] },
    })
    const merge = await home.post('/merge', 'text', { 'content-type': 'text/plain' })
    expect(merge).toMatchObject({ status: 415, body: { accepted: ['application/json', 'multipart/form-data'] } })
    const packed = await home.post('/slug', '{"text":"x"}', { ...JSON_TYPE, 'content-encoding': 'gzip' })
    expect(packed).toMatchObject({ status: 415, body: { header: 'Content-Encoding' } })
  })

  test('has a fingerprint under an Idempotency-Key that tells bodies, addresses and nothing else apart', async () => {
    await using home = await openBodyHome()
    const print = async (path: string, body: string, headers = {}) => {
      const sent = await home.post(path, body, { ...JSON_TYPE, 'idempotency-key': 'a', ...headers })
      return sent.body.fingerprint as string
    }
    const one = await print('/slug', '{"text":"x"}')
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(await print('/slug', '{"text":"x"}', { authorization: 'Bearer other' })).toBe(one)
    expect(await print('/slug', '{"text":"x"}', { 'content-type': 'application/json; charset=utf-8' })).toBe(one)
    expect(await print('/slug', '{"text":"y"}')).not.toBe(one)
    expect(await print('/slug?wait=1', '{"text":"x"}')).not.toBe(one)
    const without = await home.post('/slug', '{"text":"x"}', JSON_TYPE)
    expect(without.body.fingerprint).toBeUndefined()
  })
})
