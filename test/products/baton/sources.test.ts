import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

type Owner = Awaited<ReturnType<typeof openBatonOwner>>

const TEXT = 'alpha beta gamma'
let api: InProcessApi
let owner: Owner
let other: Owner

beforeAll(async () => {
  api = await openInProcessApi()
  ;[owner, other] = await Promise.all([openBatonOwner(api), openBatonOwner(api)])
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const create = (preset: string, more: object = {}) => owner.create({ preset, tier: 'pico', content: TEXT, ...more })
const hash = (body: object, by: Owner = owner, headers: Record<string, string> = {}) =>
  by.call('POST', '/v1/utils/hash', body, headers)
const hashFile = (file: object, by?: Owner, headers?: Record<string, string>) => hash({ file }, by, headers)
const fault = async (answer: ReturnType<Owner['call']>) => {
  const { statusCode, body } = await answer
  return [statusCode, JSON.parse(body).code]
}
const quotas = async (id: string) => (await owner.call('GET', `/v1/baton/${id}/meta`)).json().quotas
const countReads = async (id: string) =>
  (await owner.call('GET', `/v1/baton/${id}/event-logs?type=read&limit=100`)).json().data.length as number
const mint = async (id: string, payload: object) =>
  (await owner.call('POST', `/v1/baton/${id}/tokens`, payload)).json().id as string

test('a baton is the file of a call, which is one read of it and is charged as any call', async () => {
  const { id } = await create('drop')
  const before = await quotas(id)
  const [money] = await owner.money()
  const answer = await hashFile({ batonId: id })
  expect([answer.statusCode, answer.json().hashes]).toEqual([200, { sha256: sha256(TEXT) }])
  const after = await quotas(id)
  expect(Number(before.egressBytesLeft) - Number(after.egressBytesLeft)).toBe(TEXT.length)
  expect([before.readsLeft - after.readsLeft, await countReads(id)]).toEqual([1, 1])
  const charged = BigInt(answer.headers['x-service-charged-micros'] as string)
  expect([money - (await owner.money())[0], (await owner.money())[1]]).toEqual([charged, 0n])
})

test('of a log one entry is taken, and the call says which', async () => {
  const { id } = await create('scratchpad', { content: 'one' })
  await owner.call('POST', `/v1/baton/${id}`, { content: 'two' })
  expect((await hashFile({ batonId: id, entryRef: 2 })).json().hashes.sha256).toBe(sha256('two'))
  expect(await fault(hashFile({ batonId: id }))).toEqual([422, 'ENTRY_REQUIRED'])
  expect(await fault(hashFile({ batonId: id, entryRef: 3 }))).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(await countReads(id)).toBe(1)
})

test('a price and every refusal draw nothing and cost nothing', async () => {
  const { id } = await create('drop', { customShape: undefined })
  const reader = await mint(id, { type: 'read' })
  const writer = await mint(id, { type: 'write' })
  const elsewhere = await mint(id, { type: 'read', ip_allow_list: ['10.9.8.0/24'] })
  const revoked = await mint(id, { type: 'read' })
  await owner.call('POST', `/v1/baton/${id}/tokens/${revoked}`, { revoke: true })
  const gone = await create('drop')
  await owner.call('DELETE', `/v1/baton/${gone.id}`)
  const poor = await openBatonOwner(api, 10n)
  const money = await owner.money()
  expect((await hash({ file: { batonId: id }, dryRun: true })).json().quote.amountMicros).toBe('1000')
  expect(await fault(hashFile({ batonId: id }, other))).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(await fault(hashFile({ batonId: '00000000-0000-0000-0000-000000000000' }))).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(await fault(hashFile({ batonId: `tok_${'x'.repeat(43)}` }))).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(await fault(hashFile({ batonId: 'no id' }))).toEqual([404, 'INPUT_NOT_FOUND'])
  expect(await fault(hashFile({ batonId: writer }))).toEqual([403, 'FORBIDDEN'])
  expect(await fault(hashFile({ batonId: elsewhere }))).toEqual([403, 'FORBIDDEN'])
  expect(await fault(hashFile({ batonId: revoked }))).toEqual([410, 'INPUT_GONE'])
  expect(await fault(hashFile({ batonId: gone.id }))).toEqual([410, 'INPUT_GONE'])
  expect(await fault(hashFile({ batonId: reader }, poor))).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(await fault(hashFile({ batonId: id, text: 'x' }))).toEqual([400, 'INVALID_SOURCE'])
  expect(await fault(hashFile({ text: 'x', entryRef: 1 }))).toEqual([400, 'INVALID_SOURCE'])
  expect(await fault(hashFile({ batonId: id, entryRef: 0 }))).toEqual([400, 'INVALID_PARAM'])
  expect(await fault(hash({ file: { batonId: id }, text: 'both' }))).toEqual([400, 'CONFLICTING_OPTIONS'])
  expect(await owner.money()).toEqual(money)
  // The last call was refused by the operation itself, which had its file by then.
  expect(await countReads(id)).toBe(1)
})

test('a read that would pass a quota is refused, and of several files none is drawn then', async () => {
  const shape = { sizeBytes: 64, durationSeconds: 3_600, maxEgressBytes: 20 }
  const { id } = await create('drop', { tier: undefined, customShape: shape })
  expect(await fault(hash({ files: [{ batonId: id }, { batonId: id }] }))).toEqual([409, 'QUOTA_EXHAUSTED'])
  expect(await countReads(id)).toBe(0)
  expect((await hashFile({ batonId: id })).statusCode).toBe(200)
  const money = await owner.money()
  expect(await fault(hashFile({ batonId: id }))).toEqual([409, 'QUOTA_EXHAUSTED'])
  expect(await owner.money()).toEqual(money)
  const large = await create('drop', { content: 'x'.repeat(100_000) })
  expect((await hash({ file: { batonId: large.id }, async: true })).statusCode).toBe(202)
  await writeSetting(api.context.db, 'cputools.io.max_storage_ref_bytes', 50_000)
  await api.context.settings.refresh()
  expect(await fault(hashFile({ batonId: large.id }))).toEqual([413, 'INPUT_TOO_LARGE'])
  await writeSetting(api.context.db, 'cputools.io.max_storage_ref_bytes', null)
  await api.context.settings.refresh()
})

test('a token of another account reads, and the last read burns the baton; a repeat gets the first answer', async () => {
  const { id, tokens } = await create('pass')
  const [{ id: token }] = tokens
  const keyed = { 'idempotency-key': 'burn-1' }
  const first = await hashFile({ batonId: token }, other, keyed)
  expect([first.statusCode, first.json().hashes.sha256]).toEqual([200, sha256(TEXT)])
  expect((await owner.call('GET', `/v1/baton/${id}`)).statusCode).toBe(410)
  const money = await other.money()
  const again = await hashFile({ batonId: token }, other, keyed)
  expect([again.headers['idempotency-replayed'], again.json()]).toEqual(['true', first.json()])
  expect(await fault(hashFile({ batonId: token }, other, { 'idempotency-key': 'burn-2' }))).toEqual([410, 'INPUT_GONE'])
  expect(await fault(hash({ file: { batonId: token }, encoding: 'base64' }, other, keyed))).toEqual([
    ...[409, 'IDEMPOTENCY_CONFLICT'],
  ])
  expect(await other.money()).toEqual(money)
})

test('of many calls at once a capped token serves as many as it allows, and only those are charged', async () => {
  const { id } = await create('drop')
  const token = await mint(id, { type: 'read', reads_allowed: 4 })
  const [money] = await other.money()
  const answers = await Promise.all(Array.from({ length: 12 }, () => hashFile({ batonId: token }, other)))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
    ...Array<number>(4).fill(200),
    ...Array<number>(8).fill(409),
  ])
  expect([money - (await other.money())[0], (await other.money())[1]]).toEqual([4_000n, 0n])
  expect(await countReads(id)).toBe(4)
})

test('an uploaded file is taken over by the first call that needs it', async () => {
  const { id, upload } = await create('drop', { content: undefined, requestPresignedUpload: true })
  expect(await fault(hashFile({ batonId: id }))).toEqual([422, 'INPUT_EMPTY'])
  const form = new FormData()
  for (const [name, text] of Object.entries(upload.fields as Record<string, string>)) form.append(name, text)
  form.append('file', new Blob(['uploaded']))
  const sent = new Request('http://127.0.0.1/objects', { method: 'POST', body: form })
  const stored = await api.app.inject({
    ...{ method: 'POST', url: new URL(upload.url).pathname },
    headers: { 'content-type': sent.headers.get('content-type')! },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
  expect(stored.statusCode).toBe(204)
  expect((await hashFile({ batonId: id })).json().hashes.sha256).toBe(sha256('uploaded'))
})

test('no payload of a job holds a token', async () => {
  const { id } = await create('drop')
  const token = await mint(id, { type: 'read' })
  expect((await hash({ file: { batonId: token }, async: true }, other)).statusCode).toBe(202)
  const jobs = await rows(api.context.db, 'select payload::text from lane_thread._private_jobs')
  expect(jobs.length).toBeGreaterThan(0)
  expect(JSON.stringify(jobs)).not.toContain(token)
})
