import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealDueBatons } from '../../../ops/products/witness/due.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { sendForm } from '../../support/stack/upload-form.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let log: { id: string }
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api)
  log = await owner.create({ preset: 'scratchpad', tier: 'femto' })
})
afterAll(() => api[Symbol.asyncDispose]())

const SHAPE = { sizeBytes: 1_000, durationSeconds: 3_600, maxEgressBytes: 1_000 }
const shape = (change: object) => ({ tier: undefined, customShape: { ...SHAPE, ...change } })
const texts = (count: number, length = 1) => Array.from({ length: count }, () => 'a'.repeat(length))
const trigger = (change: object) => ({
  eventTriggers: [{ url: 'https://93.184.216.34/', events: ['token.used'], ...change }],
})

/** What is wrong, in a body that is otherwise `{ preset: 'drop', tier: 'femto' }`; the answer; the field that it names. */
const CREATE_RULES: [change: object, status: number, code: string, field?: string][] = [
  [{ preset: undefined }, 400, 'MISSING_FIELD', 'preset'],
  [{ preset: 7 }, 400, 'INVALID_PARAM', 'preset'],
  [{ preset: 'safe' }, 404, 'PRECONFIG_NOT_FOUND'],
  [{ tier: 'giga' }, 400, 'INVALID_PARAM', 'tier'],
  [{ tier: undefined }, 422, 'INVALID_SHAPE', 'customShape'],
  [{ tier: 'custom' }, 422, 'INVALID_SHAPE', 'customShape'],
  [{ customShape: SHAPE }, 422, 'INVALID_SHAPE', 'customShape'],
  [shape({ sizeBytes: undefined }), 400, 'MISSING_FIELD', 'customShape.sizeBytes'],
  [shape({ durationSeconds: undefined }), 400, 'MISSING_FIELD', 'customShape.durationSeconds'],
  [shape({ maxEgressBytes: undefined }), 400, 'MISSING_FIELD', 'customShape.maxEgressBytes'],
  [shape({ sizeBytes: '1e3' }), 400, 'INVALID_PARAM', 'customShape.sizeBytes'],
  [shape({ sizeBytes: 1.5 }), 400, 'INVALID_PARAM', 'customShape.sizeBytes'],
  [shape({ sizeBytes: 0 }), 422, 'INVALID_SHAPE', 'sizeBytes'],
  [shape({ durationSeconds: '0' }), 422, 'INVALID_SHAPE', 'durationSeconds'],
  [shape({ durationSeconds: '999999999999999999' }), 422, 'INVALID_SHAPE', 'durationSeconds'],
  [shape({ maxEgressBytes: '999999999999999999' }), 422, 'INVALID_SHAPE', 'maxEgressBytes'],
  [shape({ maxEgressBytes: '1000000000000' }), 422, 'INVALID_SHAPE'],
  [shape({ writesAllowed: -1 }), 400, 'INVALID_PARAM', 'customShape.writesAllowed'],
  [shape({ readsAllowed: 0.5 }), 400, 'INVALID_PARAM', 'customShape.readsAllowed'],
  [shape({ readsAllowed: 2_000_000_000 }), 422, 'INVALID_SHAPE', 'readsAllowed'],
  [shape({ colour: 1 }), 400, 'UNKNOWN_FIELD', 'customShape.colour'],
  [{ contentType: 'a'.repeat(256) }, 400, 'INVALID_PARAM', 'contentType'],
  [{ contentType: 'text/plain\r\nx: y' }, 400, 'INVALID_PARAM', 'contentType'],
  [{ contentEncoding: 'latin1' }, 400, 'INVALID_PARAM', 'contentEncoding'],
  [{ content: 7 }, 400, 'INVALID_PARAM', 'content'],
  [{ content: 'a'.repeat(65_537) }, 422, 'INVALID_SHAPE', 'content'],
  [{ tier: 'nano', content: 'a'.repeat(3 * 2 ** 20 + 1) }, 422, 'INPUT_TOO_LARGE', 'content'],
  [{ content: 'a', requestPresignedUpload: true }, 400, 'CONFLICTING_OPTIONS'],
  [{ requestPresignedUpload: 'yes' }, 400, 'INVALID_PARAM', 'requestPresignedUpload'],
  [{ name: 'a'.repeat(256) }, 400, 'INVALID_PARAM', 'name'],
  [{ description: 'a'.repeat(2_001) }, 400, 'INVALID_PARAM', 'description'],
  [{ tags: texts(33) }, 400, 'INVALID_PARAM', 'tags'],
  [{ tags: texts(1, 65) }, 400, 'INVALID_PARAM', 'tags.0'],
  [{ acl: { '7d9f7d3e-4d3c-4d58-8f5e-4d3c4d588f5e': 'owner' } }, 400, 'INVALID_PARAM'],
  [{ acl: { someone: 'reader' } }, 400, 'UNKNOWN_FIELD', 'acl.someone'],
  [trigger({ url: undefined }), 400, 'MISSING_FIELD', 'eventTriggers.0.url'],
  [trigger({ url: 'https://10.0.0.1/' }), 422, 'WEBHOOK_URL_REFUSED', 'url'],
  [trigger({ events: [] }), 400, 'INVALID_EVENTS'],
  [trigger({ events: ['job.completed'] }), 400, 'INVALID_EVENTS'],
  [trigger({ secret: 'mine' }), 400, 'UNKNOWN_FIELD', 'eventTriggers.0.secret'],
  [{ eventTriggers: Array(11).fill(trigger({}).eventTriggers[0]) }, 400, 'INVALID_PARAM', 'eventTriggers'],
  [{ tokens: Array(101).fill({ type: 'read' }) }, 400, 'INVALID_PARAM', 'tokens'],
  [{ flags: { hashChaining: true } }, 422, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'scratchpad', flags: { hashChaining: true, witness: false } }, 422, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'ledger', flags: { hashChaining: false } }, 422, 'FLAG_DEPENDENCY_UNMET'],
  [{ flags: { sealed: true } }, 400, 'UNKNOWN_FIELD', 'flags.sealed'],
  [{ onExpiration: 'keep' }, 400, 'INVALID_PARAM', 'onExpiration'],
  [{ deleteOnAllTokensConsumed: 1 }, 400, 'INVALID_PARAM', 'deleteOnAllTokensConsumed'],
  [{ schemaRef: 'a'.repeat(256) }, 400, 'INVALID_PARAM', 'schemaRef'],
  [{ rateLimits: { readsPerMinute: 0 } }, 400, 'INVALID_PARAM', 'rateLimits.readsPerMinute'],
  [{ rateLimits: { readsPerHour: 1 } }, 400, 'UNKNOWN_FIELD', 'rateLimits.readsPerHour'],
  [{ owner: 'me' }, 400, 'UNKNOWN_FIELD', 'owner'],
]

test.each(CREATE_RULES)('create with %j is answered with %i %s %s', async (change, status, code, field) => {
  const [before] = await owner.money()
  const answer = await owner.call('POST', '/v1/baton', { preset: 'drop', tier: 'femto', ...change })
  expect([answer.statusCode, answer.json()]).toMatchObject([status, { code, ...(field && { field }) }])
  expect(await owner.money()).toEqual([before, 0n])
})

/** The same for a token, in a body that is otherwise `{ type: 'read' }`. */
const TOKEN_RULES: [change: object, status: number, code: string, field?: string][] = [
  [{ type: undefined }, 400, 'MISSING_FIELD', 'type'],
  [{ type: 'admin' }, 400, 'INVALID_PARAM', 'type'],
  [{ reads_allowed: -1 }, 400, 'INVALID_PARAM'],
  [{ reads_allowed: 1.5 }, 400, 'INVALID_PARAM'],
  [{ writes_allowed: 2_147_483_648 }, 400, 'INVALID_PARAM'],
  [{ expires_at: 'tomorrow' }, 400, 'INVALID_PARAM', 'expires_at'],
  [{ expires_at: 1_800_000_000 }, 400, 'INVALID_PARAM'],
  [{ require_fingerprint: 'yes' }, 400, 'INVALID_PARAM'],
  [{ ip_allow_list: texts(65) }, 400, 'INVALID_PARAM'],
  [{ ip_allow_list: texts(1, 65) }, 400, 'INVALID_PARAM'],
  [{ ip_allow_list: ['10.0.0.0/33'] }, 400, 'INVALID_PARAM', 'ip_allow_list'],
  [{ ip_allow_list: ['::1/128'] }, 422, 'IPV6_NOT_SUPPORTED', 'ip_allow_list'],
  [{ ip_allow_list: ['::ffff:10.0.0.1'] }, 422, 'IPV6_NOT_SUPPORTED', 'ip_allow_list'],
  [{ note: 'x' }, 400, 'UNKNOWN_FIELD'],
]

test('without a shape, the bundled tiers are named', async () => {
  const refused = await owner.call('POST', '/v1/storage/pass', { content: 'a secret' })
  expect(refused.json()).toMatchObject({ code: 'INVALID_SHAPE', tiers: expect.arrayContaining(['femto', 'big']) })
})

test.each(TOKEN_RULES)('a token with %j is answered with %i %s %s', async (change, status, code, field) => {
  const token = { type: 'read', ...change }
  const expected = [status, { code, ...(field && { field: expect.stringContaining(field) }) }]
  const minted = await owner.call('POST', `/v1/baton/${log.id}/tokens`, token)
  expect([minted.statusCode, minted.json()]).toMatchObject(expected)
  const [before] = await owner.money()
  const created = await owner.call('POST', '/v1/baton', { preset: 'drop', tier: 'femto', tokens: [token] })
  expect([created.statusCode, created.json()]).toMatchObject(expected)
  expect(await owner.money()).toEqual([before, 0n])
})

const openUpload = () =>
  owner.create({ preset: 'drop', customShape: { ...SHAPE, maxEgressBytes: 100_000 }, requestPresignedUpload: true })

interface Form {
  url: string
  fields: Record<string, string>
}
const upload = (form: Form, bytes: number) => sendForm(api, form, Buffer.alloc(bytes, 'A'))
const read = async (id: string) => (await owner.call('GET', `/v1/baton/${id}`)).body

test('an upload of the wrong size is refused, and the form can be used again', async () => {
  const baton = await openUpload()
  expect((await upload(baton.upload, 1_001)).json().code).toBe('INPUT_TOO_LARGE')
  expect(JSON.parse(await read(baton.id)).code).toBe('BATON_EMPTY')
  expect((await upload(baton.upload, 1_000)).statusCode).toBe(204)
  expect(await read(baton.id)).toBe('A'.repeat(1_000))
  expect((await upload(baton.upload, 3)).json().code).toBe('GONE')
  expect(await read(baton.id)).toBe('A'.repeat(1_000))
})

test('of two different files sent at once by one form one is kept, and the other is refused', async () => {
  const files = [500, 600]
  for (let round = 0; round < 8; round++) {
    const baton = await openUpload()
    const answers = await Promise.all(files.map(bytes => upload(baton.upload, bytes)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([204, 410])
    const kept = files[answers.findIndex(({ statusCode }) => statusCode === 204)]!
    expect((await read(baton.id)).length).toBe(kept)
  }
  const same = await openUpload()
  const answers = await Promise.all([upload(same.upload, 500), upload(same.upload, 500)])
  expect(answers.map(({ statusCode }) => statusCode)).toContain(204)
  expect(await read(same.id)).toBe('A'.repeat(500))
})

test('an upload that never comes leaves an empty baton, which can be written', async () => {
  const baton = await openUpload()
  expect(JSON.parse(await read(baton.id)).code).toBe('BATON_EMPTY')
  const written = await owner.call('POST', `/v1/baton/${baton.id}`, { content: 'by hand' })
  expect([written.statusCode, await read(baton.id)]).toEqual([201, 'by hand'])
  expect((await upload(baton.upload, 3)).json().code).toBe('GONE')
  expect(await read(baton.id)).toBe('by hand')
})

test('what is uploaded for a baton that is over is removed', async () => {
  const baton = await openUpload()
  const { db, store } = api.context
  const find = async () =>
    (await rows<{ upload_key: string }>(db, 'select upload_key from svc.baton where id = $1', [baton.id]))[0]!
  const { upload_key: key } = await find()
  // As with S3, where an upload does not pass through the api.
  await store.put(key, Buffer.alloc(10, 'A'), { contentType: 'text/plain' })
  expect(await store.stat(key)).toMatchObject({ sizeBytes: 10 })
  await owner.call('DELETE', `/v1/baton/${baton.id}`)
  await rows(db, 'update svc.baton set purge_at = now() where id = $1', [baton.id])
  await rows(db, 'select baton.purge(10)')
  expect((await find()).upload_key).toBeNull()
  expect(
    await rows(db, "select from svc.object where key = $1 and expires_at < now() + interval '61 minutes'", [key]),
  ).toHaveLength(1)
  expect((await upload(baton.upload, 3)).json().code).toBe('GONE')
})

/** Uploads by the form, or puts the file under its key, as S3 does without the api. */
const ARRIVALS = {
  'through the api': async (form: Form, text: string) => void (await sendForm(api, form, Buffer.from(text))),
  'past the api': async ({ fields }: Form, text: string) =>
    void (await api.context.store.put(fields.key!, Buffer.from(text), { contentType: 'text/plain' })),
}
const BY = Object.keys(ARRIVALS) as (keyof typeof ARRIVALS)[]
const LOG = { customShape: { ...SHAPE, writesAllowed: 20, readsAllowed: 20 }, requestPresignedUpload: true }
const append = async (id: string, content: string) =>
  (await owner.call('POST', `/v1/baton/${id}`, { content })).statusCode

test.each(BY)('an upload %s into a log is its next entry', async by => {
  for (const preset of ['scratchpad', 'ledger']) {
    const { id, upload: form } = await owner.create({ preset, ...LOG })
    expect(await append(id, 'before ')).toBe(201)
    await ARRIVALS[by](form, 'uploaded ')
    expect(await append(id, 'after')).toBe(201)
    expect(await read(id)).toBe('before uploaded after')
    const [entries, meta] = [`/v1/baton/${id}/entries`, `/v1/baton/${id}/meta`]
    expect((await owner.call('GET', entries)).json().data).toHaveLength(3)
    expect((await owner.call('GET', meta)).json()).toMatchObject({ storedBytes: '21', entries: 3 })
  }
})

test.each(BY)('what looks at a baton first sees an upload %s', async by => {
  const looks = ['GET /meta storedBytes', 'GET /entries data.0.sizeBytes', 'GET /tail?wait=0 data.0.sizeBytes']
  for (const look of [...looks, 'POST /trust/verify-chain entries']) {
    const { id, upload: form } = await owner.create({ preset: 'ledger', ...LOG })
    await ARRIVALS[by](form, 'x')
    const [method, path, field] = look.split(' ') as ['GET' | 'POST', string, string]
    const answer = await owner.call(method, `/v1/baton/${id}${path}`, method === 'POST' ? { mode: 'full' } : undefined)
    const find = (found: unknown, name: string) => (found as Record<string, unknown>)[name]
    expect(field.split('.').reduce(find, answer.json() as unknown)).toEqual(field === 'storedBytes' ? '1' : 1)
  }
})

test.each(BY)('an upload %s during appends is one entry among them', async by => {
  const { id, upload: form } = await owner.create({ preset: 'ledger', ...LOG })
  const lines = Array.from({ length: 8 }, (_, n) => `${n};`)
  const answers = await Promise.all([ARRIVALS[by](form, 'file;'), ...lines.map(line => append(id, line))])
  expect(new Set(answers.slice(1))).toEqual(new Set([201]))
  const text = await read(id)
  expect(text.split(';').sort()).toEqual(['', ...lines.map(line => line.slice(0, -1)), 'file'].sort())
  const chain = await owner.call('POST', `/v1/baton/${id}/trust/verify-chain`, { mode: 'full' })
  expect(chain.json()).toMatchObject({ valid: true, entries: 9 })
  expect(await checkInvariants(api.context.db)).toEqual([])
})

test('an upload for which a log has no room left stops nothing else', async () => {
  const passed = await owner.create({ preset: 'scratchpad', ...LOG })
  const received = await owner.create({ preset: 'scratchpad', ...LOG })
  for (const { id } of [passed, received]) await append(id, 'b'.repeat(600))
  await ARRIVALS['past the api'](passed.upload, 'a'.repeat(500))
  expect((await upload(received.upload, 500)).json().code).toBe('QUOTA_EXHAUSTED')
  for (const { id } of [passed, received]) {
    expect([await append(id, 'c'), await read(id)]).toEqual([201, `${'b'.repeat(600)}c`])
  }
})

test('a file that can come no more is not looked for', async () => {
  const { id } = await openUpload()
  const { db } = api.context
  await rows(db, 'update svc.baton set upload_until = now() where id = $1', [id])
  await owner.call('GET', `/v1/baton/${id}/meta`)
  expect(await rows(db, 'select upload_key from svc.baton where id = $1', [id])).toEqual([{ upload_key: null }])
})

test('what was paid to be witnessed and uploaded, and was never read, is sealed at its end', async () => {
  const { db } = api.context
  const choice = { preset: 'witness', tier: 'femto', requestPresignedUpload: true }
  const [uploaded, unused] = [await owner.create(choice), await owner.create(choice)]
  const ids = [uploaded.id, unused.id]
  await ARRIVALS['past the api'](uploaded.upload, 'uploaded')
  await rows(db, 'update svc.baton set expires_at = now(), purge_at = now() where id = any ($1)', [ids])
  await rows(db, 'select baton.purge(1000)')
  await rows(db, 'update svc.baton set upload_until = now() where id = $1', [unused.id])
  await sealDueBatons(api.context, 50)
  const proof = async (id: string) => (await api.app.inject(`/v1/baton/${id}/trust/proof`)).json()
  expect((await proof(uploaded.id)).statement).toMatchObject({ size: 8, entries: 1 })
  expect((await proof(unused.id)).code).toBe('NOT_WITNESSED')
  await rows(db, 'select baton.purge(1000)')
  expect(await rows(db, 'select from svc.baton where id = any ($1) and purge_at is not null', [ids])).toEqual([])
})
