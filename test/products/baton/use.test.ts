import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let other: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api, 10_000_000n)
  other = await openBatonOwner(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const anyone = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers })
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
/** RFC 8785, for objects of texts and whole numbers. */
const canonicalize = (object: object) => JSON.stringify(Object.fromEntries(Object.entries(object).sort()))
const SHAPE = { sizeBytes: 100, durationSeconds: 3_600, maxEgressBytes: 1_000, writesAllowed: 5, readsAllowed: 200 }
const create = (payload: object) => owner.create({ customShape: SHAPE, ...payload })
const write = (id: string, payload: object) => owner.call('POST', `/v1/baton/${id}`, payload)
const code = async (answer: Promise<{ statusCode: number; json(): { code: string } }>) => {
  const { statusCode, json } = await answer
  return [statusCode, statusCode < 400 ? undefined : json().code]
}

test.each(['drop', 'checkpoint'])('what is written to a %s replaces its content', async preset => {
  const { id } = await create({ preset, content: 'first' })
  expect((await write(id, { content: 'second', overwrite: true })).json().entry.seq).toBe(2)
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe('second')
  expect(await code(owner.call('GET', `/v1/baton/${id}?entry=1`))).toEqual([404, 'NOT_FOUND'])
})

test('a scratchpad is a log: read as one text, listed, tailed and filtered', async () => {
  const { id } = await create({ preset: 'scratchpad', content: 'one\n' })
  const waiting = owner.call('GET', `/v1/baton/${id}/tail?since=1&wait=30`)
  await write(id, { content: 'two\n', contentType: 'text/csv' })
  expect((await waiting).json().data).toMatchObject([{ seq: 2, content: 'two\n', writer: 'owner' }])
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe('one\ntwo\n')
  expect((await owner.call('GET', `/v1/baton/${id}?entry=1`)).body).toBe('one\n')
  const list = async (query: string) =>
    (await owner.call('GET', `/v1/baton/${id}/entries?${query}`)).json().data.map(({ seq }: { seq: number }) => seq)
  expect([await list(''), await list('offset=1'), await list('since=1'), await list('type=text/csv')]).toEqual([
    ...[[1, 2], [2], [2], [2]],
  ])
  expect((await owner.call('GET', `/v1/baton/${id}/tail?since=2&wait=0`)).json()).toMatchObject({ data: [], last: 2 })
  expect(await code(write(id, { content: 'x', overwrite: true }))).toEqual([422, 'INVALID_FIELD'])
  expect(await code(write(id, { content: 'eA==', contentEncoding: 'base64' }))).toEqual([400, 'INVALID_PARAM'])
})

test.each([10, 70_000])(
  'a log that lacks bytes of an entry of %d is a fault of ours, and its reader does not wait',
  async bytes => {
    const { id } = await create({
      preset: 'scratchpad',
      tier: 'nano',
      customShape: undefined,
      content: 'a'.repeat(bytes),
    })
    await write(id, { content: 'b'.repeat(bytes) })
    expect((await owner.call('GET', `/v1/baton/${id}`)).body).toHaveLength(2 * bytes)
    const change =
      'update svc.baton_entry set size_bytes = octet_length($2::bytea), content = case when content is not null then $2::bytea end where baton_id = $1 and seq = 2'
    await rows(api.context.db, change, [id, Buffer.from('b')])
    const before = (await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas
    const broken = await owner.call('GET', `/v1/baton/${id}`).then(
      ({ statusCode }) => statusCode,
      () => 'broken off',
    )
    expect(broken).toBe(bytes === 10 ? 500 : 'broken off')
    // What a broken answer has drawn is given back when the answer is over.
    const readQuotas = async () => (await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas
    await expect.poll(readQuotas).toEqual(before)
    await rows(api.context.db, change, [id, Buffer.from('b'.repeat(bytes))])
  },
)

test('the headers of a ledger are hashed as published, and any change is found', async () => {
  const { id, createdAt } = await create({ preset: 'ledger', content: 'héllo' })
  await write(id, { content: 'two', contentType: 'text/"odd"' })
  expect(await code(write(id, { content: 'x', overwrite: true }))).toEqual([409, 'CHAINED_OVERWRITE'])
  const { data } = (await owner.call('GET', `/v1/baton/${id}/entries`)).json()
  let prev = sha256(canonicalize({ v: 1, baton_id: id, created_at: createdAt }))
  for (const entry of data) {
    const header = { v: 1, baton_id: id, seq: entry.seq, ts: entry.createdAt, writer: entry.writer, prev }
    const content = { content_type: entry.contentType, size: entry.sizeBytes, content_sha256: sha256(entry.content) }
    expect([entry.prev, entry.hash]).toEqual([prev, sha256(canonicalize({ ...header, ...content }))])
    prev = entry.hash
  }
  expect((await owner.call('GET', `/v1/baton/${id}/meta`)).json().chainHead).toBe(prev)
  const { db } = api.context
  const forge = (size: number) =>
    rows(db, 'update svc.baton_entry set content_type = $2 where baton_id = $1 and seq = 1', [id, `a/${size}`])
  const [before] = await rows<{ content_type: string }>(
    db,
    'select content_type from svc.baton_entry where baton_id = $1',
    [id],
  )
  await forge(1)
  expect(await checkInvariants(db)).toMatchObject([{ rule: 'a chain is linked', subject: id, detail: '1' }])
  await rows(db, 'update svc.baton_entry set content_type = $2 where baton_id = $1 and seq = 1', [
    id,
    before!.content_type,
  ])
})

test('reads by range and by ETag draw what they send, and one that would pass the quota is refused whole', async () => {
  const { id } = await create({ preset: 'drop', content: '0123456789', customShape: { ...SHAPE, maxEgressBytes: 25 } })
  const get = (headers: Record<string, string> = {}) => owner.call('GET', `/v1/baton/${id}`, undefined, headers)
  const part = await get({ range: 'bytes=2-4' })
  expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
  expect([(await get({ range: 'bytes=-2' })).body, (await get({ range: 'bytes=8-' })).body]).toEqual(['89', '89'])
  expect((await get({ range: 'bytes=10-' })).headers['content-range']).toBe('bytes */10')
  const whole = await get()
  expect([whole.body, whole.headers['x-service-egress-left']]).toEqual(['0123456789', '8'])
  expect((await get({ 'if-none-match': String(whole.headers.etag) })).statusCode).toBe(304)
  const refused = await get()
  expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'QUOTA_EXHAUSTED', leftBytes: '8' }])
  expect((await get({ range: 'bytes=0-7' })).body).toBe('01234567')
})

test('a log of stored and inline entries is read by range across them', async () => {
  const shape = { ...SHAPE, sizeBytes: 200_000, maxEgressBytes: 10_000_000 }
  const parts = ['a'.repeat(10), 'b'.repeat(40_000), 'c'.repeat(10), '', 'd'.repeat(40_000)]
  const { id } = await create({ preset: 'scratchpad', customShape: shape })
  for (const content of parts) await write(id, { content })
  const whole = parts.join('')
  const get = async (range: string) => (await owner.call('GET', `/v1/baton/${id}`, undefined, { range })).body
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe(whole)
  for (const [first, last] of [
    [5, 15],
    [9, 9],
    [40_005, 40_025],
    [40_010, 40_019],
    [0, 80_019],
  ] as const) {
    expect(await get(`bytes=${first}-${last}`)).toBe(whole.slice(first, last + 1))
  }
})

test('writes, size, reads and the minute are limited', async () => {
  const customShape = { ...SHAPE, sizeBytes: 10, writesAllowed: 2, readsAllowed: 1 }
  const { id } = await create({ preset: 'scratchpad', customShape })
  expect(await code(write(id, { content: '12345678901' }))).toEqual([409, 'QUOTA_EXHAUSTED'])
  expect((await write(id, { content: '12345' })).json().quotas).toMatchObject({ writesLeft: 1, sizeBytesLeft: '5' })
  expect((await write(id, { content: '12345' })).json().quotas.warnings).toEqual(['low_writes'])
  expect(await code(write(id, { content: '' }))).toEqual([409, 'QUOTA_EXHAUSTED'])
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe('1234512345')
  expect(await code(owner.call('GET', `/v1/baton/${id}`))).toEqual([409, 'QUOTA_EXHAUSTED'])
  const limited = await create({ preset: 'drop', content: 'x', rateLimits: { readsPerMinute: 1 } })
  const twice = [1, 2, 3].map(() => code(owner.call('GET', `/v1/baton/${limited.id}`)))
  expect(await Promise.all(twice)).toContainEqual([429, 'RATE_LIMITED'])
})

test('another account sees nothing, unless the owner lists it', async () => {
  const { id, tokens } = await create({ preset: 'scratchpad', content: 'x', tokens: [{ type: 'read' }] })
  const paths = ['', '/entries', '/tail?wait=0', '/meta', '/event-logs', '/tokens'].map(
    path => `/v1/baton/${id}${path}`,
  )
  for (const path of paths) expect(await code(other.call('GET', path))).toEqual([404, 'NOT_FOUND'])
  const posts: [string, object][] = [
    ['', { content: 'y' }],
    ['/meta', { name: 'y' }],
    ['/tokens', { type: 'read' }],
    [`/tokens/${tokens[0].id}`, { revoke: true }],
    ['/add', { tier: 'femto' }],
    ['/extend', { addSizeBytes: '1' }],
  ]
  for (const [path, body] of posts) {
    expect(await code(other.call('POST', `/v1/baton/${id}${path}`, body))).toEqual([404, 'NOT_FOUND'])
  }
  expect(await code(other.call('DELETE', `/v1/baton/${id}`))).toEqual([404, 'NOT_FOUND'])
  expect(await code(anyone(`/v1/baton/${id}`))).toEqual([401, 'MISSING_AUTH'])
  await owner.call('POST', `/v1/baton/${id}/meta`, { acl: { [other.accountId]: 'reader' } })
  expect((await other.call('GET', `/v1/baton/${id}`)).body).toBe('x')
  expect(await code(other.call('POST', `/v1/baton/${id}`, { content: 'y' }))).toEqual([403, 'FORBIDDEN'])
  expect(await code(other.call('GET', `/v1/baton/${id}/meta`))).toEqual([403, 'FORBIDDEN'])
  await owner.call('POST', `/v1/baton/${id}/meta`, { acl: { [other.accountId]: 'editor' } })
  expect((await other.call('POST', `/v1/baton/${id}`, { content: 'y' })).statusCode).toBe(201)
})

test('meta is changed by allowed fields only, and the log has all that was done', async () => {
  const { id } = await create({ preset: 'drop', content: 'x', name: 'old' })
  const changed = await owner.call('POST', `/v1/baton/${id}/meta`, { name: 'new', tags: ['a', 'b'], schemaRef: 'v2' })
  expect(changed.json()).toMatchObject({ name: 'new', tags: ['a', 'b'], schemaRef: 'v2', quotas: { writesLeft: 5 } })
  const refused = await owner.call('POST', `/v1/baton/${id}/meta`, { name: 'x', sizeBytes: 1 })
  expect([refused.statusCode, refused.json()]).toMatchObject([422, { code: 'INVALID_FIELD', field: 'sizeBytes' }])
  await owner.call('GET', `/v1/baton/${id}`)
  const { data } = (await owner.call('GET', `/v1/baton/${id}/event-logs`)).json()
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['created', 'written', 'updated', 'read'])
})

test('what is deleted is gone for all, and its bytes are purged', async () => {
  const content = 'x'.repeat(20_000)
  const { id, tokens } = await create({
    ...{ preset: 'drop', content, onExpiration: 'hard_delete', tokens: [{ type: 'read' }] },
    customShape: { ...SHAPE, sizeBytes: 20_000 },
  })
  const [stored] = await rows<{ object_key: string }>(
    api.context.db,
    'select object_key from svc.baton_entry where baton_id = $1',
    [id],
  )
  expect(await api.context.store.stat(stored!.object_key)).toMatchObject({ sizeBytes: 20_000 })
  expect((await owner.call('GET', `/v1/outputs/${stored!.object_key}`)).statusCode).toBe(404)
  expect((await owner.call('DELETE', `/v1/baton/${id}`)).json()).toMatchObject({ id })
  expect(await code(owner.call('GET', `/v1/baton/${id}`))).toEqual([410, 'GONE'])
  expect(await code(anyone(`/v1/baton/${tokens[0].id}`))).toEqual([410, 'GONE'])
  await rows(api.context.db, 'select baton.purge(100)')
  expect(await rows(api.context.db, 'select from svc.baton_entry where baton_id = $1', [id])).toEqual([])
  expect(
    await rows(api.context.db, 'select from svc.object where key = $1 and expires_at <= now()', [stored!.object_key]),
  ).toHaveLength(1)
})
