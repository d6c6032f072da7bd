import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api, 10_000_000n)
})
afterAll(() => api[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }

test('a body with a content encoding is refused for nothing, because its reader would not learn of the encoding', async () => {
  const send = async (method: 'POST' | 'PUT', url: string, headers: Record<string, string>, payload: Buffer) =>
    api.app.inject({ method, url, headers: { ...owner.headers, ...headers }, payload })
  const stored = (await send('POST', '/api/storage', { 'content-type': 'text/plain' }, Buffer.from('one'))).json()
  await send('POST', '/api/checkpoint', { ...json, 'x-workflow-id': 'plain' }, Buffer.from('{"step":1}'))
  const mailbox = (await owner.call('POST', '/api/mailbox')).json()
  const before = await owner.money()
  for (const [method, url, headers] of [
    ['POST', '/api/storage', { 'content-type': 'text/plain' }],
    ['PUT', `/api/storage/${stored.lease_id}`, { 'content-type': 'text/plain' }],
    ['POST', '/api/checkpoint', { ...json, 'x-workflow-id': 'encoded' }],
    ['PUT', '/api/checkpoint/plain', json],
    ['POST', new URL(mailbox.drop_url).pathname, json],
  ] as const) {
    const answer = await send(method, url, { ...headers, 'content-encoding': 'gzip' }, gzipSync('{"step":2}'))
    expect([url, answer.statusCode, answer.json()]).toMatchObject([
      ...[url, 415, { code: 'UNSUPPORTED_MEDIA_TYPE', header: 'Content-Encoding', accepted: ['identity'] }],
    ])
  }
  expect(await owner.money()).toEqual(before)
  const identity = { 'content-type': 'text/plain', 'content-encoding': 'identity' }
  expect((await send('POST', '/api/storage', identity, Buffer.from('two'))).statusCode).toBe(201)
})
