import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openPaidApi } from '../../support/chain/in-process-paid-api.ts'

test.each([
  ['gzip, deflate, br', true],
  ['br;q=1, gzip;q=0.5', true],
  ['gzip;q=0, br', false],
  ['identity', false],
])('a large JSON answer to a client that accepts %s is compressed: %s', async (accepted, isCompressed) => {
  await using api = await openPaidApi()
  const { rawPayload: plain } = await api.hash()
  const answer = await api.hash({ 'accept-encoding': accepted })
  expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined)
  expect(answer.headers.vary).toBe('accept-encoding')
  expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
  expect((isCompressed ? gunzipSync(answer.rawPayload) : answer.rawPayload).equals(plain)).toBe(true)
})

test('a small answer is not compressed', async () => {
  await using api = await openPaidApi()
  const answer = await api.app.inject({ url: '/v1/account', headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers['content-encoding']).toBeUndefined()
})
