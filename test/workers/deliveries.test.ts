import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../support/machine/folder.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let owner: Customer
let other: Customer

beforeAll(async () => {
  stack = await openDefaultStack()
  ;[owner, other] = await Promise.all([stack.customer(), stack.customer()])
})
afterAll(() => stack[Symbol.asyncDispose]())

const SMALL = { sizeBytes: 64, durationSeconds: 3_600, maxEgressBytes: 1_000_000 }
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const create = async (preset: string, more: object = {}) => {
  const { status, body } = await owner.post('/v1/baton', { preset, tier: 'pico', ...more })
  expect(status).toBe(201)
  return body
}
const fetchBaton = (id: string) =>
  fetch(`${stack.url}/v1/baton/${id}`, { headers: { authorization: `Bearer ${owner.key}` } })
const read = async (id: string) => Buffer.from(await (await fetchBaton(id)).arrayBuffer())
const charged = ({ headers }: { headers: Headers }) => BigInt(headers.get('x-service-charged-micros')!)
const hashText = (body: object, by: Customer = owner) => by.post('/v1/utils/hash', { text: 'abc', ...body })
const writes = async (id: string) =>
  (await owner.get(`/v1/baton/${id}/event-logs?type=written`)).body.data.length as number

test('the output goes to a baton that there is, beside the usual answer and for no more', async () => {
  const [file, log] = [await create('drop'), await create('scratchpad')]
  const image = await owner.post('/v1/qr', { text: 'hello', deliver: { batonId: file.id } })
  expect([image.status, image.body.delivered, image.body.warnings]).toEqual([200, { batonId: file.id }, undefined])
  expect((await fetchBaton(file.id)).headers.get('content-type')).toBe('image/png')
  expect(sha256(await read(file.id))).toBe(sha256(Buffer.from(image.body.output.inline, 'base64')))
  expect(charged(image)).toBe(1_000n)
  const results = [await hashText({ deliver: { batonId: log.id } }), await hashText({ deliver: { batonId: log.id } })]
  const delivered = results.map(({ body }) => body.delivered)
  expect(delivered).toEqual([1, 2].map(entryRef => ({ batonId: log.id, entryRef })))
  const { delivered: _where, ...result } = results[1]!.body
  const chained = await owner.post('/v1/utils/hash', { file: delivered[1] })
  expect(chained.body.hashes.sha256).toBe(sha256(JSON.stringify(result)))
})

test('a token of another account delivers too, and no more often than it may write', async () => {
  const { id } = await create('checkpoint')
  const token = (await owner.post(`/v1/baton/${id}/tokens`, { type: 'write', writes_allowed: 1 })).body.id
  const both = await Promise.all([1, 2].map(n => hashText({ text: `${n}`, deliver: { batonId: token } }, other)))
  expect(both.map(({ status, body }) => [status, body.code ?? 'done'])).toContainEqual([200, 'done'])
  const reached = both.filter(({ body }) => body.delivered)
  expect([reached.length, reached[0]!.body.delivered, await writes(id)]).toEqual([1, { batonId: id }, 1])
  for (const { status, body } of both.filter(answer => !reached.includes(answer))) {
    expect(status === 200 ? body.warnings[0].code : body.code).toMatch(/DELIVER_FAILED|QUOTA_EXHAUSTED/)
  }
})

test('a new baton is created with the output, at the price that was shown', async () => {
  const deliver = { new: { preset: 'pass', tier: 'femto', name: 'For you' } }
  const price = BigInt((await owner.post('/v1/baton/quote', { preset: 'pass', tier: 'femto' })).body.quote.amountMicros)
  const { quote } = (await hashText({ deliver, dryRun: true })).body
  expect([quote.deliveryMicros, quote.amountMicros]).toEqual([`${price}`, `${price + 1_000n}`])
  const before = await owner.money()
  const made = await hashText({ deliver })
  expect([charged(made), before.balance - (await owner.money()).balance]).toEqual([price + 1_000n, price + 1_000n])
  const { batonId } = made.body.delivered
  expect(made.body.delivered).toEqual({ batonId })
  const tokens = (await owner.get(`/v1/baton/${batonId}/tokens`)).body.data
  const { delivered: _where, ...result } = made.body
  const taken = await fetch(`${stack.url}/v1/baton/${tokens[0].id}`)
  expect([taken.headers.get('content-type'), await taken.json()]).toEqual(['application/json', result])
  expect((await fetchBaton(batonId)).status).toBe(410)
  const [line] = (await owner.get('/v1/account/ledger?limit=1')).body.data
  expect(line).toMatchObject({ serviceKey: 'utils.hash', amountMicros: `${price + 1_000n}`, status: 'settled' })
})

test('the exact price of a call by content includes the new baton', async () => {
  const pdf = (await readFile('tasks/samples/two-pages.pdf')).toString('base64')
  const body = { file: { inline: pdf }, deliver: { new: { preset: 'drop', tier: 'pico' } } }
  const { quote } = (await owner.post('/v1/pdf/split', { ...body, dryRun: true })).body
  const split = await owner.post('/v1/pdf/split', body)
  expect([split.status, charged(split)]).toEqual([200, BigInt(quote.amountMicros)])
  expect(BigInt(quote.deliveryMicros)).toBeGreaterThan(0n)
  expect((await fetchBaton(split.body.delivered.batonId)).headers.get('content-type')).toBe('application/zip')
  await using folder = await freshFolder()
  const path = join(folder.path, 'parts.zip')
  await writeFile(path, await read(split.body.delivered.batonId))
  const { stdout } = await promisify(execFile)('unzip', ['-t', path])
  expect(stdout.match(/\.pdf +OK/g)).toHaveLength(2)
})

test('a pipeline delivers one result as the file that it is, and several as an archive', async () => {
  const { id } = await create('drop')
  const steps = [
    { id: 'all', op: 'data/dropna' },
    { id: 'large', op: 'data/filter', params: { where: 'a > 1' } },
  ]
  const run = async (more: object) => {
    const body = { file: { text: 'a,b\n1,2\n3,4\n' }, steps, outFormat: 'csv', deliver: { batonId: id }, ...more }
    const { status, body: answer } = await owner.post('/v1/pipeline', body)
    expect([status, answer.delivered]).toEqual([200, { batonId: id }])
    return (await fetchBaton(id)).headers.get('content-type')
  }
  expect(await run({})).toBe('text/csv')
  expect((await read(id)).toString()).toBe('a,b\n3,4\n')
  expect(await run({ outputs: ['all', 'large'] })).toBe('application/zip')
})

test('an output that the baton does not take is in the answer, with a warning, and only the work is charged', async () => {
  const before = await owner.money()
  const failed = await hashText({ deliver: { new: { preset: 'drop', customShape: SMALL } } })
  expect([failed.status, failed.body.hashes.sha256]).toEqual([200, sha256('abc')])
  expect([failed.body.delivered, failed.body.warnings]).toMatchObject([undefined, [{ code: 'DELIVER_FAILED' }]])
  expect(failed.body.warnings[0].message).toContain('QUOTA_EXHAUSTED')
  expect([charged(failed), before.balance - (await owner.money()).balance]).toEqual([1_000n, 1_000n])
  expect((await owner.money()).held).toBe(0n)
})

test('a delivery that cannot succeed is refused before anything is charged', async () => {
  const [file, log] = [await create('drop'), await create('scratchpad')]
  const reader = (await owner.post(`/v1/baton/${file.id}/tokens`, { type: 'read' })).body.id
  const gone = await create('drop')
  await owner.delete(`/v1/baton/${gone.id}`)
  const before = await owner.money()
  const fault = async (path: string, body: object, by = owner) => {
    const answer = await by.post(path, body)
    return [answer.status, answer.body.code, answer.body.field]
  }
  const deliver = (target: object, by?: Customer) => fault('/v1/utils/hash', { text: 'abc', deliver: target }, by)
  expect(await deliver({ batonId: file.id }, other)).toEqual([404, 'NOT_FOUND', 'deliver.batonId'])
  expect(await deliver({ batonId: reader })).toEqual([403, 'FORBIDDEN', 'deliver.batonId'])
  expect(await deliver({ batonId: gone.id })).toEqual([410, 'GONE', 'deliver.batonId'])
  expect(await deliver({})).toEqual([400, 'MISSING_FIELD', 'deliver.batonId'])
  expect(await deliver({ batonId: file.id, new: {} })).toEqual([400, 'CONFLICTING_OPTIONS', undefined])
  expect(await deliver({ to: file.id })).toEqual([400, 'UNKNOWN_FIELD', 'deliver.to'])
  expect(await deliver({ new: { tier: 'femto' } })).toEqual([400, 'MISSING_FIELD', 'deliver.new.preset'])
  expect(await deliver({ new: { preset: 'drop', tier: 'femto', content: 'x' } })).toEqual([
    ...[400, 'UNKNOWN_FIELD', 'deliver.new.content'],
  ])
  expect(await deliver({ new: { preset: 'drop' } })).toEqual([422, 'INVALID_SHAPE', 'customShape'])
  expect(await deliver({ new: { preset: 'odd', tier: 'femto' } })).toEqual([404, 'PRECONFIG_NOT_FOUND', undefined])
  const pdf = (await readFile('tasks/samples/two-pages.pdf')).toString('base64')
  expect(await fault('/v1/pdf/split', { file: { inline: pdf }, deliver: { batonId: log.id } })).toEqual([
    ...[400, 'INVALID_PARAM', 'deliver.batonId'],
  ])
  expect(await owner.money()).toEqual(before)
  expect([await writes(file.id), await writes(log.id)]).toEqual([0, 0])
})
