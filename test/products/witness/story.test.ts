import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealDueBatons } from '../../../ops/products/witness/due.ts'
import { rotateSigningKey } from '../../../ops/products/witness/keys.ts'
import { purgeBatons } from '../../../sql/baton/lifecycle.ts'
import { rows } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { forgetWitnesses } from '../../../sql/witness/records.ts'
import { canonicalize } from '../../../tasks/products/witness/canonical.ts'
import forgetRecords from '../../../tasks/products/witness/chores/forget.ts'
import sealBatons from '../../../tasks/products/witness/chores/seal.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { sendForm } from '../../support/stack/upload-form.ts'

let api: PaidApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openPaidApi()
  owner = await openBatonOwner(api, 20_000_000n)
})
afterAll(() => api[Symbol.asyncDispose]())

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const open = (url: string, payload?: object) =>
  api.app.inject(payload ? { method: 'POST', url, payload } : { method: 'GET', url })
const witness = (id: string, headers?: Record<string, string>) =>
  owner.call('POST', `/v1/baton/${id}/trust/document-witness`, undefined, headers)
const proof = (id: string) => open(`/v1/baton/${id}/trust/proof`)
const keySet = async () => (await open('/.well-known/jwks.json')).json() as JSONWebKeySet
const refusal = (answer: { statusCode: number; json(): { code: string } }) => [answer.statusCode, answer.json().code]
const create = (payload: object) => owner.create({ tier: 'femto', ...payload })
const createLedger = async (...texts: string[]) => {
  const baton = await create({ preset: 'ledger' })
  for (const content of texts) await owner.call('POST', `/v1/baton/${baton.id}`, { content })
  return baton
}
const expire = (id: string) =>
  rows(api.context.db, 'update svc.baton set expires_at = now(), purge_at = now() where id = $1', [id])
const runSealing = async () => {
  const sealDue = (limit: number) => sealDueBatons(api.context, limit)
  const sql = { forgetWitnesses: (limit: number) => forgetWitnesses(api.context.db, limit) }
  for (const { run } of [sealBatons, forgetRecords]) await run({ sealDue, sql, log: () => undefined } as never)
}

test('a ledger is witnessed for free, frozen, and its record verifies with a stock library', async () => {
  const { id } = await createLedger('one', 'two')
  const [before] = await owner.money()
  const answer = await witness(id)
  expect([answer.statusCode, answer.headers['x-service-charged-micros']]).toEqual([200, '0'])
  expect(await owner.money()).toEqual([before, 0n])
  const { statement, jws, jwks_url } = answer.json()
  const meta = (await owner.call('GET', `/v1/baton/${id}/meta`)).json()
  expect(statement).toMatchObject({
    ...{ typ: 'svc.witness/1', baton_id: id, sha256: sha256('onetwo'), size: 6, entries: 2 },
    chain_head: meta.chainHead,
  })
  expect(Date.parse(meta.witnessedAt)).toBe(Date.parse(statement.witnessed_at))
  const years = new Date(statement.retain_until).getUTCFullYear() - new Date(statement.witnessed_at).getUTCFullYear()
  expect([years, jwks_url]).toEqual([7, `${api.context.config.publicUrl}/.well-known/jwks.json`])
  const verified = await compactVerify(jws, createLocalJWKSet(await keySet()))
  expect(Buffer.from(verified.payload).toString()).toBe(canonicalize(statement))
  expect(verified.protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'svc-witness+jws', jku: jwks_url })
  expect((await proof(id)).json()).toEqual({ statement, jws, jwks_url })
  expect(refusal(await owner.call('POST', `/v1/baton/${id}`, { content: 'three' }))).toEqual([409, 'BATON_FROZEN'])
  expect(refusal(await witness(id))).toEqual([409, 'ALREADY_WITNESSED'])
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe('onetwo')
  const { data } = (await owner.call('GET', `/v1/baton/${id}/event-logs`)).json()
  expect(data.map(({ type }: { type: string }) => type)).toContain('witnessed')
})

test('a witness of any other baton costs 0.05 USD once, unless it was paid for at create', async () => {
  const plain = await create({ preset: 'drop', content: 'Hello' })
  const [before] = await owner.money()
  const quoted = await owner.call('POST', `/v1/baton/${plain.id}/trust/document-witness`, { dryRun: true })
  expect(quoted.json().quote.amountMicros).toBe('50000')
  const key = { 'idempotency-key': 'one-witness' }
  const first = await witness(plain.id, key)
  const again = await witness(plain.id, key)
  expect([first.statusCode, again.statusCode, again.json()]).toEqual([200, 200, first.json()])
  expect(await owner.money()).toEqual([before - 50_000n, 0n])
  expect(first.json().statement).toMatchObject({ sha256: sha256('Hello'), entries: 1, chain_head: null })
  for (const choice of [{ preset: 'drop', flags: { witness: true } }, { preset: 'witness' }]) {
    const paid = await create({ ...choice, content: 'x' })
    expect(paid.quote.lines).toContainEqual(expect.objectContaining({ line: 'witness', amountMicros: '50000' }))
    const [left] = await owner.money()
    const dry = await owner.call('POST', `/v1/baton/${paid.id}/trust/document-witness`, { dryRun: true })
    expect(dry.json().quote.amountMicros).toBe('0')
    expect([(await witness(paid.id)).statusCode, await owner.money()]).toEqual([200, [left, 0n]])
  }
})

test('what is not active, has no content or is of another cannot be witnessed, and nothing is charged', async () => {
  const [empty, deleted, expired] = [
    await create({ preset: 'ledger' }),
    await createLedger('x'),
    await createLedger('x'),
  ]
  await owner.call('DELETE', `/v1/baton/${deleted.id}`)
  await expire(expired.id)
  const { tokens, id } = await create({ preset: 'drop', content: 'x', tokens: [{ type: 'read_write' }] })
  const [before] = await owner.money()
  expect(refusal(await witness(empty.id))).toEqual([409, 'CHAIN_NOT_INITIALIZED'])
  expect(refusal(await witness(deleted.id))).toEqual([409, 'BATON_NOT_ACTIVE'])
  expect(refusal(await witness(expired.id))).toEqual([409, 'BATON_NOT_ACTIVE'])
  expect(refusal(await witness(tokens[0].id))).toEqual([403, 'FORBIDDEN'])
  expect(refusal(await witness('nothing'))).toEqual([404, 'NOT_FOUND'])
  const other = await openBatonOwner(api)
  const url = `/v1/baton/${id}/trust`
  expect(refusal(await other.call('POST', `${url}/document-witness`, {}))).toEqual([404, 'NOT_FOUND'])
  expect(refusal(await other.call('POST', `${url}/verify-chain`, {}))).toEqual([404, 'NOT_FOUND'])
  await owner.call('POST', `/v1/baton/${id}/meta`, { acl: { [other.accountId]: 'editor' } })
  expect(refusal(await other.call('POST', `${url}/document-witness`, {}))).toEqual([403, 'FORBIDDEN'])
  expect([await owner.money(), await other.money()]).toEqual([
    [before, 0n],
    [1_000_000n, 0n],
  ])
  await owner.call('POST', `/v1/baton/${id}/meta`, { acl: {} })
  expect((await witness(id)).statusCode).toBe(200)
  const chain = `${url}/proof?entries=true`
  expect(refusal(await other.call('GET', chain))).toEqual([404, 'NOT_FOUND'])
  expect(refusal(await open(chain))).toEqual([401, 'MISSING_AUTH'])
  expect((await open(`/v1/baton/${tokens[0].id}/trust/proof?entries=true`)).json().statement.baton_id).toBe(id)
  expect((await other.call('GET', `${url}/proof`)).json()).toEqual((await proof(id)).json())
})

test('a wallet witnesses its own baton by x402, and is asked for exactly the price', async () => {
  const wallet = api.chain.wallet()
  const pay = (url: string, payload: object, micros: bigint) =>
    api.app.inject({ method: 'POST', url, payload, headers: { 'payment-signature': wallet.pay(micros) } })
  const plain = (await pay('/v1/baton', { preset: 'drop', tier: 'femto', content: 'x' }, 10_000n)).json()
  const offer = await open(`/v1/baton/${plain.id}/trust/document-witness`, {})
  expect([offer.statusCode, offer.json().amountMicros]).toEqual([402, '50000'])
  const paid = await pay(`/v1/baton/${plain.id}/trust/document-witness`, {}, 50_000n)
  expect([paid.statusCode, paid.headers['x-service-charged-micros']]).toEqual([200, '50000'])
  const ledger = (await pay('/v1/baton', { preset: 'ledger', tier: 'femto', content: 'x' }, 60_000n)).json()
  expect(refusal(await open(`/v1/baton/${ledger.id}/trust/document-witness`, {}))).toEqual([401, 'MISSING_AUTH'])
  const free = await pay(`/v1/baton/${ledger.id}/trust/document-witness`, {}, 10_000n)
  expect([free.statusCode, free.headers['x-service-charged-micros'], free.headers['payment-response']]).toEqual([
    ...[200, '0', undefined],
  ])
})

test('of several calls at once one makes the record, and one is charged', async () => {
  const { id } = await create({ preset: 'drop', content: 'x' })
  const [before] = await owner.money()
  const answers = await Promise.all(Array.from({ length: 6 }, () => witness(id)))
  const statuses = answers.map(({ statusCode }) => statusCode).sort()
  expect([statuses, await owner.money()]).toEqual([
    [200, 409, 409, 409, 409, 409],
    [before - 50_000n, 0n],
  ])
  const made = answers.find(({ statusCode }) => statusCode === 200)!
  expect((await proof(id)).json()).toEqual(made.json())
  expect(await rows(api.context.db, 'select from svc.witness where baton_id = $1', [id])).toHaveLength(1)
})

test('a log that is written to meanwhile is witnessed as it is at the end', async () => {
  const { id } = await createLedger('a')
  const write = () => owner.call('POST', `/v1/baton/${id}`, { content: 'x'.repeat(20_000) })
  const sealed = witness(id)
  const written = await Promise.all([write(), sealed, write()])
  if ((await sealed).statusCode !== 200) expect((await witness(id)).statusCode).toBe(200)
  const accepted = written.filter(({ statusCode }) => statusCode === 201).length
  const { statement } = (await proof(id)).json()
  expect([statement.entries, statement.size]).toEqual([1 + accepted, 1 + accepted * 20_000])
  expect(statement.sha256).toBe(sha256((await owner.call('GET', `/v1/baton/${id}`)).body))
  const full = await owner.call('POST', `/v1/baton/${id}/trust/verify-chain`, { mode: 'full' })
  expect(full.json()).toMatchObject({ valid: true, mode: 'full', witnessed: true, entries: 1 + accepted })
})

test('a file that was uploaded and not read yet is taken over and witnessed', async () => {
  const { id, upload } = await create({ preset: 'witness', requestPresignedUpload: true })
  expect(refusal(await witness(id))).toEqual([409, 'CHAIN_NOT_INITIALIZED'])
  await sendForm(api, upload, Buffer.from('uploaded'))
  expect((await witness(id)).json().statement).toMatchObject({ sha256: sha256('uploaded'), size: 8, entries: 1 })
  expect((await owner.call('GET', `/v1/baton/${id}`)).body).toBe('uploaded')
})

test('anyone can compare a document with a witnessed one', async () => {
  const { id, tokens } = await create({ preset: 'witness', content: 'Hello', tokens: [{ type: 'read' }] })
  const challenge = (candidate: object, ref = id) => open(`/v1/baton/${ref}/trust/challenge`, candidate)
  expect([refusal(await challenge({ content: 'x' })), refusal(await proof(id))]).toEqual([
    [409, 'NOT_WITNESSED'],
    [409, 'NOT_WITNESSED'],
  ])
  await witness(id)
  const same = await challenge({ content: 'SGVsbG8=', contentEncoding: 'base64' })
  expect([same.statusCode, same.json()]).toMatchObject([200, { match: true, sha256: sha256('Hello') }])
  expect((await challenge({ sha256: sha256('Hello').toUpperCase() })).json().match).toBe(true)
  expect((await challenge({ content: 'Hello ' }, tokens[0].id)).json().match).toBe(false)
  expect(refusal(await challenge({ content: 'a', sha256: sha256('a') }))).toEqual([400, 'CONFLICTING_OPTIONS'])
  expect(refusal(await challenge({ contentEncoding: 'base64' }))).toEqual([400, 'MISSING_FIELD'])
  expect(refusal(await challenge({ content: '%', contentEncoding: 'base64' }))).toEqual([400, 'INVALID_BASE64'])
  expect(refusal(await challenge({ sha256: 'abc' }))).toEqual([400, 'INVALID_PARAM'])
  expect(refusal(await challenge({ content: 'x' }, '00000000-0000-7000-8000-000000000000'))).toEqual([404, 'NOT_FOUND'])
  expect(refusal(await proof('tok_x'))).toEqual([404, 'NOT_FOUND'])
})

test('a ledger that was never witnessed is sealed at its end, and its record outlives the content', async () => {
  const [ledger, empty, late] = [
    await createLedger('one', 'two'),
    await create({ preset: 'ledger' }),
    await createLedger('x'),
  ]
  for (const { id } of [ledger, empty, late]) await expire(id)
  await rows(api.context.db, "update svc.baton set purge_at = now() - interval '2 days' where id = $1", [late.id])
  await purgeBatons(api.context.db, 1_000)
  const left = 'select distinct baton_id from svc.baton_entry where baton_id = any ($1)'
  expect(await rows(api.context.db, left, [[ledger.id, late.id]])).toEqual([{ baton_id: ledger.id }])
  await Promise.all([runSealing(), runSealing(), runSealing()])
  expect(await rows(api.context.db, 'select from svc.witness where baton_id = $1', [ledger.id])).toHaveLength(1)
  await purgeBatons(api.context.db, 1_000)
  expect(await rows(api.context.db, left, [[ledger.id, late.id]])).toEqual([])
  const { statement, jws } = (await proof(ledger.id)).json()
  expect(statement).toMatchObject({ sha256: sha256('onetwo'), entries: 2 })
  await compactVerify(jws, createLocalJWKSet(await keySet()))
  expect([refusal(await proof(empty.id)), refusal(await proof(late.id))]).toEqual([
    [409, 'NOT_WITNESSED'],
    [409, 'NOT_WITNESSED'],
  ])
  await rows(api.context.db, 'update svc.witness set retain_until = now() where baton_id = $1', [ledger.id])
  await runSealing()
  expect(refusal(await proof(ledger.id))).toEqual([410, 'GONE'])
})

test('modes and limits of verify-chain are settings', async () => {
  const { id } = await createLedger('one')
  const verify = (payload?: object) => owner.call('POST', `/v1/baton/${id}/trust/verify-chain`, payload)
  expect((await verify()).json()).toMatchObject({ valid: true, mode: 'links', entries: 1, witnessed: false })
  const { db, settings } = api.context
  const set = async (name: string, value: unknown) => {
    await writeSetting(db, name, value)
    await settings.refresh()
  }
  const cases = [
    ['baton.trust.verify_chain_full_enabled', false, 403, 'MODE_DISABLED'],
    ['baton.trust.verify_chain_full_max_bytes', 2, 422, 'INPUT_TOO_LARGE'],
  ] as const
  for (const [name, value, ...refused] of cases) {
    await set(name, value)
    expect(refusal(await verify({ mode: 'full' }))).toEqual(refused)
    await set(name, null)
  }
  const drop = await create({ preset: 'drop', content: 'x' })
  const other = await owner.call('POST', `/v1/baton/${drop.id}/trust/verify-chain`, {})
  expect(refusal(other)).toEqual([409, 'CHAIN_NOT_INITIALIZED'])
  expect(refusal(await open(`/v1/baton/${id}/trust/verify-chain`, {}))).toEqual([401, 'MISSING_AUTH'])
  await set('rate.trust_challenge_per_minute', 1)
  const challenge = () => open(`/v1/baton/${id}/trust/challenge`, { content: 'x' })
  // A minute may end in between, but only one.
  const thrice = async (call: typeof challenge) => [await call(), await call(), await call()].map(refusal)
  expect(await thrice(challenge)).toContainEqual([429, 'RATE_LIMITED'])
  await set('rate.trust_challenge_per_minute', null)
  await set('rate.verify_chain_per_minute', 1)
  expect(await thrice(verify)).toContainEqual([429, 'RATE_LIMITED'])
  await set('rate.verify_chain_per_minute', null)
})

test('a retired key stays published with its end, and what it signed stays valid', async () => {
  const { id } = await createLedger('one')
  const { jws } = (await witness(id)).json()
  const { db, config } = api.context
  const before = await keySet()
  const { kid } = await rotateSigningKey(db, config.secret)
  const after = await keySet()
  expect(after.keys.map(key => [key.kid, 'svc_not_after' in key])).toEqual([
    [kid, false],
    ...before.keys.map(key => [key.kid, true]),
  ])
  await compactVerify(jws, createLocalJWKSet(after))
  const next = await createLedger('two')
  const { protectedHeader } = await compactVerify((await witness(next.id)).json().jws, createLocalJWKSet(after))
  expect(protectedHeader.kid).toBe(kid)
  expect((await owner.call('POST', `/v1/baton/${id}/trust/verify-chain`, {})).json().valid).toBe(true)
  await rows(db, 'update svc.signing_key set sealed = $1 where retired_at is null', ['v1.AAAA'])
  expect(refusal(await witness((await create({ preset: 'drop', content: 'x' })).id))).toEqual([
    422,
    'witness_key_not_configured',
  ])
  const [left] = await owner.money()
  expect(refusal(await owner.call('POST', '/v1/baton', { preset: 'ledger', tier: 'femto' }))).toEqual([
    422,
    'witness_key_not_configured',
  ])
  expect(await owner.money()).toEqual([left, 0n])
  await rotateSigningKey(db, config.secret)
  expect((await createLedger('three')).preset).toBe('ledger')
})

test('processes that need the first key at once make one', async () => {
  const { db } = api.context
  await rows(db, 'delete from svc.witness')
  await rows(db, 'update svc.baton set witnessed_at = null')
  await rows(db, 'delete from svc.signing_key')
  const sets = await Promise.all(Array.from({ length: 8 }, async () => JSON.stringify(await keySet())))
  expect(new Set(sets)).toHaveLength(1)
  expect(await rows(db, 'select sealed from svc.signing_key')).toEqual([{ sealed: expect.stringMatching(/^v1\./) }])
})
