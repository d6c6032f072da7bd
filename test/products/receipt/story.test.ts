import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { rotateSigningKey } from '../../../ops/products/witness/keys.ts'
import type { ReceiptStatement } from '../../../tasks/products/receipt/statement.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'

interface Receipt {
  receipt: string
  payload: ReceiptStatement
  kid: string
  verifyWith: string
}

let api: PaidApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openPaidApi()
  owner = await openBatonOwner(api, 20_000_000n)
})
afterAll(() => api[Symbol.asyncDispose]())

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const keySet = async () => (await api.app.inject('/.well-known/jwks.json')).json() as JSONWebKeySet
const ask = (id: unknown, headers?: Record<string, string>) =>
  owner.call('GET', `/v1/jobs/${id}/receipt`, undefined, headers)
const receiptOf = async (id: unknown) => {
  const answer = await ask(id)
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
  return answer.json() as Receipt
}
const jobOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['x-service-job-id'])
const readBytes = async (url: string) =>
  (await api.app.inject(url.replace(api.context.config.publicUrl, ''))).rawPayload

test('the receipt of a call says what was sent and what came out, and verifies with a stock library', async () => {
  const body = { action: 'decode', text: 'aGVsbG8gd29ybGQ=', outFormat: 'file' }
  const answer = await owner.call('POST', '/v1/utils/base64', body)
  const { output } = answer.json()
  const id = jobOf(answer)
  const { receipt, payload, kid, verifyWith } = await receiptOf(id)
  expect(payload).toEqual({
    ...{ typ: 'svc.receipt/1', issuer: api.context.config.publicUrl, job_id: id, status: 'succeeded', problem: null },
    ...{ operation: 'utils.base64', method: 'POST', path: '/v1/utils/base64', inputs: [], result_sha256: null },
    request_sha256: sha256(`POST\n/v1/utils/base64\napplication/json\n${JSON.stringify(body)}`),
    outputs: [{ content_type: output.contentType, size: 11, sha256: sha256(await readBytes(output.outputUrl)) }],
    price: {
      currency: 'USD',
      unit: expect.any(String),
      rate_micros: '1000',
      held_micros: '1000',
      charged_micros: '1000',
    },
    payer: { account_id: owner.accountId },
    issued_at: expect.stringMatching(/:\d\dZ$/),
    ...{ created_at: expect.any(String), started_at: expect.any(String), finished_at: expect.any(String) },
  })
  expect(payload.outputs[0]!.sha256).toBe(sha256('hello world'))
  const verified = await compactVerify(receipt, createLocalJWKSet(await keySet()))
  expect(JSON.parse(Buffer.from(verified.payload).toString())).toEqual(payload)
  expect(verified.protectedHeader).toEqual({ alg: 'EdDSA', typ: 'svc-receipt+jws', kid, jku: verifyWith })
  const bare = await ask(id, { accept: 'application/jose' })
  expect([
    bare.headers['content-type'],
    (await compactVerify(bare.body, createLocalJWKSet(await keySet()))).payload,
  ]).toEqual(['application/jose', expect.any(Uint8Array)])
})

test('files that go in and results without files have their hashes, and a large body only where repeats are recognised', async () => {
  const file = Buffer.from('a\tfile\n'.repeat(500))
  const headers = { 'content-type': 'text/plain' }
  const post = (payload: Buffer, more = {}) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/utils/hash?algorithms=sha256',
      headers: { ...headers, ...owner.headers, ...more },
      payload,
    })
  const raw = (await receiptOf(jobOf(await post(file)))).payload
  expect(raw.inputs).toEqual([{ field: 'file', size: file.length, sha256: sha256(file) }])
  expect(raw.request_sha256).toBe(sha256(`POST\n/v1/utils/hash?algorithms=sha256\ntext/plain\n${sha256(file)}`))
  const answer = await owner.call('POST', '/v1/utils/hash', { text: 'abc', algorithms: ['sha256'] })
  const { result } = (await owner.call('GET', `/v1/jobs/${jobOf(answer)}`)).json()
  const sorted = JSON.stringify(result, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  expect((await receiptOf(jobOf(answer))).payload.result_sha256).toBe(sha256(sorted))
  const large = { text: 'x'.repeat(70_000) }
  const hashes: unknown[] = []
  const headersOfBoth: Record<string, string>[] = [{}, { 'idempotency-key': newId() }]
  for (const more of headersOfBoth) {
    const { ticket } = (await owner.call('POST', '/v1/utils/hash', large, { ...more, prefer: 'respond-async' })).json()
    await owner.call('DELETE', `/v1/jobs/${ticket}`)
    hashes.push((await receiptOf(ticket)).payload.request_sha256)
  }
  expect(hashes).toEqual([null, sha256(`POST\n/v1/utils/hash\napplication/json\n${JSON.stringify(large)}`)])
})

test('what was bought has a receipt, and so has a job that failed: of a charge of zero', async () => {
  const baton = await owner.call('POST', '/v1/baton', { preset: 'drop', tier: 'femto', content: 'Hello' })
  const bought = (await receiptOf(jobOf(baton))).payload
  expect(bought).toMatchObject({ operation: 'baton.create', method: 'POST', path: '/v1/baton', status: 'succeeded' })
  expect(bought.price.charged_micros).toBe(baton.headers['x-service-charged-micros'])
  const queued = await owner.call('POST', '/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async' })
  const { ticket } = queued.json()
  const early = await ask(ticket)
  expect([early.statusCode, early.headers['retry-after'], early.json()]).toEqual([
    409,
    '1',
    expect.objectContaining({ code: 'JOB_NOT_ENDED', status: 'submitted', waitAt: `/v1/jobs/${ticket}?wait=60` }),
  ])
  await owner.call('DELETE', `/v1/jobs/${ticket}`)
  expect((await receiptOf(ticket)).payload).toMatchObject({
    ...{ status: 'failed', problem: 'JOB_CANCELLED', outputs: [], result_sha256: null },
    price: { held_micros: '1000', charged_micros: '0' },
  })
})

test('a receipt is for the owner of the job alone', async () => {
  const id = jobOf(await owner.call('POST', '/v1/utils/hash', { text: 'abc' }))
  const other = await openBatonOwner(api)
  const answers = await Promise.all([
    other.call('GET', `/v1/jobs/${id}/receipt`),
    ask(newId()),
    ask('job'),
    api.app.inject(`/v1/jobs/${id}/receipt`),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 401])
})

test('the offline verifier reads receipts, also after a change of keys, and refuses what was changed in one sentence', async () => {
  await using folder = await freshFolder()
  const answer = await owner.call('POST', '/v1/utils/base64', { action: 'decode', text: 'aGVsbG8=', outFormat: 'file' })
  const { receipt, payload, ...rest } = await receiptOf(jobOf(answer))
  const before = await keySet()
  await rotateSigningKey(api.context.db, api.context.config.secret)
  expect((await receiptOf(jobOf(answer))).kid).not.toBe(rest.kid)
  const check = async (given: unknown, { file = 'hello', keys }: { file?: string; keys?: JSONWebKeySet } = {}) => {
    const files = {
      receipt: typeof given === 'string' ? given : JSON.stringify(given),
      keys: JSON.stringify(keys),
      file,
    }
    const program = (await api.app.inject('/v1/witness/verifier')).body
    for (const [name, content] of Object.entries({ ...files, 'verify.mjs': program }))
      await writeFile(join(folder.path, name), content)
    const { exitCode, stdout, stderr } = await execa('node', ['verify.mjs', 'receipt', 'keys', 'file'], {
      ...{ cwd: folder.path, reject: false },
    })
    return [exitCode, exitCode === 0 ? stdout : stderr]
  }
  const keys = await keySet()
  const charged = `0.001 USD charged to ${owner.accountId}; the file belongs to it`
  const valid = [0, `valid, utils.base64 succeeded at ${payload.finished_at}, ${charged}`]
  expect(await check({ receipt, payload, ...rest }, { keys })).toEqual(valid)
  expect(await check(receipt, { keys })).toEqual(valid)
  const [head, body, signature] = receipt.split('.')
  const cheaper = { ...payload, price: { ...payload.price, charged_micros: '1' } }
  const encoded = Buffer.from(JSON.stringify(cheaper)).toString('base64url')
  const forged = `${signature!.startsWith('A') ? 'B' : 'A'}${signature!.slice(1)}`
  const retired = keys.keys.map(key => ({ ...key, svc_not_after: '2020-01-01T00:00:00.000Z' }))
  const refused = [
    [await check({ receipt, payload: cheaper }, { keys }), 'the payload is not what was signed'],
    [await check({ receipt: [head, encoded, signature].join('.') }, { keys }), 'the receipt is not what was signed'],
    [await check({ receipt: [head, body, forged].join('.') }, { keys }), 'the receipt is not what was signed'],
    [await check(receipt, { keys: { keys: [] } }), 'the receipt is not what was signed'],
    [await check(receipt, { keys: { keys: retired } }), 'signed after the key was retired'],
    [await check(receipt, { keys, file: 'hello!' }), 'the file is none of those that went in or came out'],
  ] as const
  expect(refused.map(([found]) => found)).toEqual(refused.map(([, reason]) => [1, `not valid: ${reason}`]))
  expect(before.keys.map(({ kid }) => kid)).toEqual([rest.kid])
  const did = (await api.app.inject('/.well-known/did.json')).json()
  expect(did.verificationMethod).toHaveLength(2)
  expect(did.assertionMethod).toEqual([`${did.id}#${keys.keys[0]!.kid}`])
})
