import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let authorization: string
beforeAll(async () => {
  api = await openInProcessApi()
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000n })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  authorization = `Bearer ${key}`
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const ask = (method: Method, url: string, headers: object = {}, payload?: string) =>
  api.app.inject({ method, url, headers: { authorization, ...(payload && JSON_TYPE), ...headers }, payload })
const JSON_TYPE = { 'content-type': 'application/json' }

const openCheckpoint = async (id: string) => {
  expect((await ask('POST', '/api/checkpoint', { 'x-workflow-id': id }, '{"n":1}')).statusCode).toBe(201)
  return `/api/checkpoint/${id}`
}
const openStorage = async () => {
  const created = await ask('POST', '/api/storage', { 'x-max-body-bytes': '100' }, '{"n":1}')
  return `/api/storage/${created.json().lease_id}`
}

const LEASES = [
  ['checkpoint', (id: string) => openCheckpoint(id)],
  ['storage', () => openStorage()],
] as const

test.each(LEASES)('a %s is deleted only as the version that its owner has read', async (_, open) => {
  const url = await open('deleted')
  const first = String((await ask('GET', url)).headers.etag)
  expect((await ask('PUT', url, { 'if-match': first }, '{"n":2}')).statusCode).toBe(200)
  const stale = [{ 'if-match': first }, { 'if-match': '"v1"' }, { 'x-if-version': '1' }, { 'if-none-match': '*' }]
  for (const headers of stale) {
    const refused = await ask('DELETE', url, headers)
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'VERSION_CONFLICT', current_version: 2 }])
  }
  const odd = await ask('DELETE', url, { 'if-match': 'nonsense' })
  expect([odd.statusCode, odd.json()]).toMatchObject([400, { code: 'INVALID_PARAM', field: 'If-Match' }])
  const torn = await ask('DELETE', url, { 'if-match': '"v2"', 'x-if-version': '1' })
  expect(torn.json().code).toBe('CONFLICTING_OPTIONS')
  const found = await ask('GET', url)
  expect(found.json()).toEqual({ n: 2 })
  expect((await ask('DELETE', url, { 'if-match': String(found.headers.etag) })).statusCode).toBe(200)
  expect((await ask('GET', url)).statusCode).toBe(410)
})

test.each(LEASES)('a write to a %s may expect one of several versions, or none that is named', async (_, open) => {
  const url = await open('several')
  const put = async (headers: object) => (await ask('PUT', url, headers, '{"n":2}')).statusCode
  expect(await put({ 'if-match': '"v1", "v2"' })).toBe(200)
  expect(await put({ 'if-match': '"v1", "v3-00000000"' })).toBe(409)
  expect(await put({ 'if-match': '"v1", "v2"', 'x-if-version': '2' })).toBe(200)
  expect(await put({ 'if-match': '*', 'x-if-version': '2' })).toBe(409)
  expect(await put({ 'if-none-match': '*' })).toBe(409)
  expect(await put({ 'if-none-match': '"v1", W/"v3"' })).toBe(409)
  expect(await put({ 'if-none-match': '"v1"' })).toBe(200)
  expect(await put({ 'if-match': '"v4", nonsense' })).toBe(400)
})

test('a patch of a checkpoint keeps to all conditions', async () => {
  const url = await openCheckpoint('patched')
  const patch = async (headers: object) => (await ask('PATCH', url, headers, '{"m":1}')).statusCode
  expect(await patch({ 'if-match': '"v1", "v2"' })).toBe(200)
  expect(await patch({ 'if-match': '"v1", "v3"' })).toBe(409)
  expect(await patch({ 'if-none-match': '*' })).toBe(409)
  const together = await Promise.all([1, 2, 3].map(() => patch({ 'if-match': '"v2", "v3"' })))
  expect(together.sort()).toEqual([200, 200, 409])
  expect((await ask('GET', url)).headers['x-checkpoint-version']).toBe('4')
})
