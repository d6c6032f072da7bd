import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api, 10_000_000n)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Headers = Record<string, string>
const SHAPE = { sizeBytes: 100, durationSeconds: 3_600, maxEgressBytes: 1_000, writesAllowed: 20, readsAllowed: 200 }
const create = (payload: object) => owner.create({ customShape: SHAPE, ...payload })
const read = (id: string, headers: Headers = {}) => owner.call('GET', `/v1/baton/${id}`, undefined, headers)
const write = (id: string, content: string, headers: Headers = {}) =>
  owner.call('POST', `/v1/baton/${id}`, { content }, headers)
const remove = (id: string, headers: Headers = {}) => owner.call('DELETE', `/v1/baton/${id}`, undefined, headers)
const quotas = async (id: string) => (await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas
type Answer = Awaited<ReturnType<typeof write>>
const fault = (answer: Answer) => [answer.statusCode, answer.json().code]

test.each(['drop', 'checkpoint', 'scratchpad', 'ledger'])(
  'a write to a %s that expects another version is refused and draws nothing',
  async preset => {
    const { id } = await create({ preset, content: 'one' })
    const etag = String((await read(id)).headers.etag)
    expect((await write(id, 'two', { 'if-match': etag })).statusCode).toBe(201)
    const before = await quotas(id)
    const stale: Headers[] = [{ 'if-match': etag }, { 'if-none-match': '*' }, { 'if-none-match': '"1", W/"2"' }]
    for (const headers of stale) {
      const refused = await write(id, 'three', headers)
      expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'VERSION_CONFLICT', currentSeq: 2 }])
    }
    for (const odd of ['nonsense', 'W/"2"', '"v2"', ''])
      expect(fault(await write(id, 'x', { 'if-match': odd }))).toEqual([400, 'INVALID_PARAM'])
    expect(await quotas(id)).toEqual(before)
    const met: Headers[] = [{ 'if-match': '"1", "2"' }, { 'if-match': '*' }, { 'if-none-match': '"2"' }]
    for (const headers of met) expect((await write(id, 'y', headers)).statusCode).toBe(201)
    expect((await read(id)).headers.etag).toBe('"5"')
  },
)

test('of writers that expect the same version one wins, and a repeat of it is no conflict', async () => {
  const { id } = await create({ preset: 'drop', content: 'one' })
  const answers = await Promise.all(
    [1, 2, 3, 4].map(n => write(id, `${n}`, { 'if-match': '"1"', 'idempotency-key': `w-${n}` })),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
  const winner = answers.findIndex(({ statusCode }) => statusCode === 201) + 1
  const repeat = await write(id, `${winner}`, { 'if-match': '"1"', 'idempotency-key': `w-${winner}` })
  expect([repeat.statusCode, repeat.json().entry.seq]).toEqual([201, 2])
})

test('the first write to an empty baton can be made by one writer only', async () => {
  const { id } = await create({ preset: 'drop' })
  expect(fault(await write(id, 'x', { 'if-match': '*' }))).toEqual([409, 'VERSION_CONFLICT'])
  const first = await Promise.all(['a', 'b'].map(text => write(id, text, { 'if-none-match': '*' })))
  expect(first.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
})

test('a deletion that expects another version is refused', async () => {
  const { id } = await create({ preset: 'drop', content: 'one' })
  expect(fault(await remove(id, { 'if-match': '"7"' }))).toEqual([409, 'VERSION_CONFLICT'])
  expect(fault(await remove(id, { 'if-match': 'nonsense' }))).toEqual([400, 'INVALID_PARAM'])
  expect(fault(await remove(id, { 'if-none-match': '*' }))).toEqual([409, 'VERSION_CONFLICT'])
  expect((await read(id)).body).toBe('one')
  expect((await remove(id, { 'if-match': '"1"' })).statusCode).toBe(200)
  expect((await read(id)).statusCode).toBe(410)
})

test('a download is resumed by If-Range, and begins again when there is another version', async () => {
  const { id } = await create({ preset: 'drop', content: '0123456789' })
  const resume = async (condition: string) => {
    const { statusCode, body } = await read(id, { range: 'bytes=8-', 'if-range': condition })
    return [statusCode, body]
  }
  const before = BigInt((await quotas(id)).egressBytesLeft)
  expect(await resume('"1"')).toEqual([206, '89'])
  expect(before - BigInt((await quotas(id)).egressBytesLeft)).toBe(2n)
  await write(id, 'abcdefghij')
  for (const stale of ['"1"', 'W/"2"', 'Sat, 28 Nov 2026 07:00:00 GMT'])
    expect(await resume(stale)).toEqual([200, 'abcdefghij'])
  expect(await resume('"2"')).toEqual([206, 'ij'])
})

test('a reader who has the content gets it not again, by a list of tags or any', async () => {
  const { id } = await create({ preset: 'scratchpad', content: 'one' })
  await write(id, 'two')
  const before = await quotas(id)
  for (const known of ['"2"', 'W/"2"', '"1", "2"', 'W/"9" , W/"2"', '*']) {
    const answer = await read(id, { 'if-none-match': known })
    expect([known, answer.statusCode, answer.body]).toEqual([known, 304, ''])
  }
  expect(await quotas(id)).toEqual(before)
  for (const other of ['"1"', '"1", "3"', 'nonsense'])
    expect((await read(id, { 'if-none-match': other })).statusCode).toBe(200)
})

test('a day that the calendar does not have is refused wherever a time is taken', async () => {
  const { id } = await create({ preset: 'scratchpad', content: 'one' })
  const get = (path: string) => owner.call('GET', `/v1/baton/${id}/${path}`)
  const mint = (expires_at: string) => owner.call('POST', `/v1/baton/${id}/tokens`, { type: 'read', expires_at })
  const refused = [
    await mint('2027-02-30T00:00:00Z'),
    await mint('2027-02-29'),
    ...(await Promise.all(
      ['entries?since=2026-02-30', 'entries?until=2026-04-31T10:00:00Z', 'event-logs?since=2026-02-29'].map(get),
    )),
  ]
  for (const answer of refused)
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { code: 'INVALID_PARAM', reason: 'there is no such day' },
    ])
  expect((await mint('2028-02-29T00:00:00Z')).statusCode).toBe(201)
  expect((await get('entries?since=2024-02-29')).statusCode).toBe(200)
})
