import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { rows } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  expect(await rows(api.context.db, 'select * from lease.check_invariants()')).toEqual([])
  await api[Symbol.asyncDispose]()
})

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const file = randomBytes(300_000)

async function openOwner(balanceMicros = 1_000_000n) {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const authorization = `Bearer ${key}`
  const ask = (method: Method, url: string, headers: object = {}, payload?: Buffer | object) =>
    api.app.inject({ method, url, headers: { authorization, ...headers }, ...(payload && { payload }) })
  const store = async (headers: object = {}, payload: Buffer = file) => {
    const created = await ask('POST', '/api/storage', { 'content-type': 'image/png', ...headers }, payload)
    expect(created.statusCode).toBe(201)
    return created.json()
  }
  return {
    accountId,
    authorization,
    ask,
    store,
    /** Makes a handoff and returns the path of its link. */
    issue: async (leaseId: string, body: object = {}) => {
      const issued = await ask('POST', `/api/handoff/${leaseId}`, {}, body)
      expect(issued.statusCode).toBe(201)
      return { ...issued.json(), path: new URL(issued.json().claim_url).pathname }
    },
    balance: async () => BigInt((await readAccount(db, accountId))!.balanceMicros),
  }
}

const claim = (url: string, payload: object = {}, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'POST', url, payload, headers })
const fault = (answer: { statusCode: number; json(): { code: string } }) => [answer.statusCode, answer.json().code]
const setTo = async (name: string, value: unknown) => {
  await writeSetting(api.context.db, name, value)
  await api.context.settings.refresh()
}

test('a file is stored for a time, and read whole, by range or not again', async () => {
  const [owner, other] = [await openOwner(), await openOwner()]
  const dry = await owner.ask('POST', '/api/storage', { 'x-dry-run': 'true' })
  expect(dry.json()).toMatchObject({ status: 'dry_run', cost_micros: '1000', max_body_bytes: 10_485_760 })
  const lease = await owner.store({ 'x-filename': 'a/b.png', 'x-duration-seconds': '3600' })
  expect(lease).toMatchObject({
    ...{ status: 'created', version: 1, size_bytes: 300_000, sha256: sha256(file), filename: 'b.png' },
    ...{ content_type: 'image/png', delete_on_claim: false, cost_micros: '1000' },
  })
  const path = `/api/storage/${lease.lease_id}`
  const whole = await owner.ask('GET', path)
  expect(Buffer.compare(whole.rawPayload, file)).toBe(0)
  expect(whole.headers).toMatchObject({ 'content-type': 'image/png', 'x-lease-expires-at': lease.expires_at })
  const part = await owner.ask('GET', path, { range: 'bytes=10-19' })
  expect([part.statusCode, Buffer.compare(part.rawPayload, file.subarray(10, 20))]).toEqual([206, 0])
  expect((await owner.ask('GET', path, { range: 'bytes=300000-' })).statusCode).toBe(416)
  const { etag } = whole.headers
  const resume = async (tag: unknown) => owner.ask('GET', path, { range: 'bytes=1-2', 'if-range': tag })
  expect([(await resume(etag)).statusCode, (await resume('"another"')).statusCode]).toEqual([206, 200])
  expect((await owner.ask('GET', path, { 'if-none-match': etag })).statusCode).toBe(304)
  expect((await owner.ask('HEAD', path)).headers['content-length']).toBe('300000')
  expect((await owner.ask('GET', '/api/storage')).json().items).toMatchObject([{ lease_id: lease.lease_id }])
  expect((await other.ask('GET', path)).statusCode).toBe(403)
  expect((await other.ask('DELETE', path)).statusCode).toBe(403)
  expect((await other.ask('PUT', path, {}, file)).statusCode).toBe(403)
  expect((await other.ask('POST', `/api/handoff/${lease.lease_id}`, {}, {})).statusCode).toBe(403)
  expect((await owner.ask('GET', `/api/storage/lse_${'0'.repeat(32)}`)).statusCode).toBe(404)
  expect(await owner.balance()).toBe(999_000n)
})

test('of writers that expect the same version one wins, and the others learn the current one', async () => {
  const owner = await openOwner()
  const { lease_id: id } = await owner.store({ 'x-max-body-bytes': '1000' }, Buffer.from('one'))
  const put = (text: string, headers: object = {}) => owner.ask('PUT', `/api/storage/${id}`, headers, Buffer.from(text))
  const answers = await Promise.all(['a', 'b', 'c'].map(text => put(text, { 'x-if-version': '1' })))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
  expect(answers.find(({ statusCode }) => statusCode === 409)!.json()).toMatchObject({
    ...{ code: 'VERSION_CONFLICT', current_version: 2 },
  })
  expect((await put('last')).json()).toMatchObject({ version: 3, size_bytes: 4 })
  expect((await owner.ask('GET', `/api/storage/${id}`)).body).toBe('last')
  expect(fault(await put('x'.repeat(1_001)))).toEqual([413, 'INPUT_TOO_LARGE'])
  expect(fault(await put(''))).toEqual([400, 'EMPTY_BODY'])
  expect((await owner.ask('GET', `/api/storage/${id}`)).body).toBe('last')
})

test('a body is refused when it is too large, empty or unpaid, and a repeat is paid once', async () => {
  const [owner, poor] = [await openOwner(), await openOwner(10n)]
  expect(fault(await owner.ask('POST', '/api/storage', { 'x-max-body-bytes': '10' }, file))).toEqual([
    ...[413, 'INPUT_TOO_LARGE'],
  ])
  expect(fault(await owner.ask('POST', '/api/storage'))).toEqual([400, 'EMPTY_BODY'])
  expect(fault(await owner.ask('POST', '/api/storage', { 'x-max-body-bytes': '99999999' }, file))).toEqual([
    ...[400, 'INVALID_PARAM'],
  ])
  expect(fault(await poor.ask('POST', '/api/storage', {}, file))).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(await owner.balance()).toBe(1_000_000n)
  const first = await owner.store({ 'idempotency-key': 'store-1' })
  expect((await owner.store({ 'idempotency-key': 'store-1' })).lease_id).toBe(first.lease_id)
  const other = await owner.ask('POST', '/api/storage', { 'idempotency-key': 'store-1' }, Buffer.from('other'))
  expect(fault(other)).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
  expect(await owner.balance()).toBe(999_000n)
})

test('a lease that has ended is gone, with its file', async () => {
  const owner = await openOwner()
  const [deleted, expired] = [await owner.store(), await owner.store()]
  expect((await owner.ask('DELETE', `/api/storage/${deleted.lease_id}`)).json()).toEqual({ status: 'deleted' })
  const { path } = await owner.issue(expired.lease_id)
  const { db } = api.context
  await rows(db, "update svc.lease set expires_at = now() - interval '1 s' where id = $1", [expired.lease_id.slice(4)])
  for (const { lease_id: id } of [deleted, expired]) {
    expect((await owner.ask('GET', `/api/storage/${id}`)).statusCode).toBe(410)
    expect((await owner.ask('PUT', `/api/storage/${id}`, {}, file)).statusCode).toBe(410)
  }
  expect((await claim(path)).statusCode).toBe(410)
  await runDueSteps(api.context)
  const kept = await rows(db, 'select from svc.lease_content where lease_id = any ($1)', [
    [deleted, expired].map(({ lease_id: id }) => id.slice(4)),
  ])
  expect(kept).toEqual([])
})

test('a handoff gives the file once; looking at its link takes nothing', async () => {
  const [owner, other] = [await openOwner(), await openOwner()]
  const { lease_id: id } = await owner.store({ 'x-delete-on-claim': 'true', 'x-filename': 'once.png' })
  const { path, handoff_id: handoff } = await owner.issue(id, { note: 'For you' })
  for (let look = 0; look < 3; look++) {
    expect((await api.app.inject({ url: path })).json()).toMatchObject({
      ...{ filename: 'once.png', size_bytes: 300_000, sha256: sha256(file), note: 'For you', needs_pin: false },
    })
  }
  expect((await other.ask('GET', `/api/handoff/${handoff}`)).statusCode).toBe(403)
  expect((await owner.ask('GET', `/api/handoff/${handoff}`)).json()).toMatchObject({
    state: 'issued',
    claimed_at: null,
  })
  const answers = await Promise.all(Array.from({ length: 5 }, () => claim(path)))
  const taken = answers.filter(({ statusCode }) => statusCode === 200)
  expect([taken.length, Buffer.compare(taken[0]!.rawPayload, file)]).toEqual([1, 0])
  expect(answers.filter(answer => answer.statusCode === 409 && answer.json().code === 'ALREADY_CLAIMED')).toHaveLength(
    4,
  )
  await eventually('the file to be removed', async () => {
    const left = await rows(api.context.db, 'select from svc.lease_content where lease_id = $1', [id.slice(4)])
    return left.length === 0
  })
  const gone = await owner.ask('GET', `/api/storage/${id}`)
  expect([gone.statusCode, gone.json().reason]).toEqual([410, 'claimed'])
  expect((await owner.ask('GET', `/api/handoff/${handoff}`)).json().state).toBe('claimed')
  expect(fault(await claim(path, {}, { 'x-claim-receipt': taken[0]!.headers['x-claim-receipt'] as string }))).toEqual([
    ...[409, 'ALREADY_CLAIMED'],
  ])
})

/** Claims over a real connection that is cut after the first bytes. */
async function claimCutOff(path: string): Promise<string> {
  const { port } = api.app.server.address() as AddressInfo
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sending = httpRequest({ port, path, method: 'POST' }, resolve)
  sending.on('error', reject).end()
  const answer = await promise
  const receipt = answer.headers['x-claim-receipt'] as string
  answer.on('error', () => undefined)
  answer.destroy()
  return receipt
}

test('a claim that is broken off may be repeated with its receipt', async () => {
  const owner = await openOwner()
  // Larger than what the sockets on the way can hold.
  const large = Buffer.alloc(16 * 2 ** 20, 'x')
  const { lease_id: id } = await owner.store({ 'x-delete-on-claim': 'true', 'x-max-body-bytes': '20000000' }, large)
  const { path } = await owner.issue(id)
  const receipt = await claimCutOff(path)
  expect(fault(await claim(path))).toEqual([409, 'ALREADY_CLAIMED'])
  expect(fault(await claim(path, {}, { 'x-claim-receipt': `rcp_${'x'.repeat(43)}` }))).toEqual([409, 'ALREADY_CLAIMED'])
  const again = await claim(path, {}, { 'x-claim-receipt': receipt })
  expect([again.statusCode, again.rawPayload.length]).toEqual([200, large.length])
  const late = await owner.store({ 'x-delete-on-claim': 'true', 'x-max-body-bytes': '20000000' }, large)
  const other = await owner.issue(late.lease_id)
  const lost = await claimCutOff(other.path)
  await rows(api.context.db, "update svc.lease set claimed_at = now() - interval '6 min' where id = $1", [
    late.lease_id.slice(4),
  ])
  await rows(api.context.db, "update svc.handoff_claim set claimed_at = now() - interval '6 min'")
  expect(fault(await claim(other.path, {}, { 'x-claim-receipt': lost }))).toEqual([409, 'ALREADY_CLAIMED'])
  await runDueSteps(api.context)
  expect(
    await rows(api.context.db, 'select from svc.lease_content where lease_id = $1', [late.lease_id.slice(4)]),
  ).toEqual([])
})

test('a PIN is asked for, and after five wrong ones nothing opens it', async () => {
  const owner = await openOwner()
  const { lease_id: id } = await owner.store()
  const [open, locked] = [
    await owner.issue(id, { pin: '47110815-pin' }),
    await owner.issue(id, { pin: '47110815-pin' }),
  ]
  expect((await api.app.inject({ url: open.path })).json().needs_pin).toBe(true)
  expect(fault(await claim(open.path))).toEqual([403, 'PIN_REQUIRED'])
  expect(fault(await claim(open.path, { pin: '0000' }))).toEqual([403, 'PIN_WRONG'])
  expect((await claim(open.path, { pin: '47110815-pin' })).statusCode).toBe(200)
  for (let n = 0; n < 5; n++) expect((await claim(locked.path, { pin: `${n}` })).json().triesLeft).toBe(4 - n)
  expect(fault(await claim(locked.path, { pin: '47110815-pin' }))).toEqual([403, 'HANDOFF_LOCKED'])
  expect(fault(await api.app.inject({ url: locked.path }))).toEqual([403, 'HANDOFF_LOCKED'])
  const stored = await rows(api.context.db, 'select h::text as text from svc.handoff h')
  expect(JSON.stringify(stored)).not.toContain('47110815-pin')
  expect(JSON.stringify(stored)).not.toContain('hnd_')
})

test('a handoff is for several claims, for one account, or revoked', async () => {
  const [owner, friend] = [await openOwner(), await openOwner()]
  const { lease_id: id } = await owner.store()
  const twice = await owner.issue(id, { max_claims: 2 })
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await claim(twice.path)).statusCode))
  expect(statuses.sort()).toEqual([200, 200, 409, 409])
  const { db } = api.context
  const address = `0x${'ab'.repeat(20)}`
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [address, friend.accountId])
  await rows(
    db,
    "insert into svc.identity (provider, subject, account_id, email) values ('email', 'f', $1, 'F@b.example')",
    [friend.accountId],
  )
  const named = { claimant_wallet: `0x${'AB'.repeat(20)}`, claimant_email: 'f@B.example' }
  const personal = await owner.issue(id, named)
  expect((await claim(personal.path)).statusCode).toBe(403)
  expect((await claim(personal.path, {}, { authorization: owner.authorization })).statusCode).toBe(403)
  expect((await claim(personal.path, {}, { authorization: friend.authorization })).statusCode).toBe(200)
  const revoked = await owner.issue(id)
  expect((await friend.ask('DELETE', `/api/handoff/${revoked.handoff_id}`)).statusCode).toBe(403)
  expect((await owner.ask('DELETE', `/api/handoff/${revoked.handoff_id}`)).json().state).toBe('revoked')
  expect([(await claim(revoked.path)).statusCode, (await api.app.inject({ url: revoked.path })).statusCode]).toEqual([
    410, 410,
  ])
  expect(fault(await owner.ask('DELETE', `/api/handoff/${twice.handoff_id}`))).toEqual([409, 'ALREADY_CLAIMED'])
  expect((await claim(`/api/handoff/claim/hnd_${'x'.repeat(43)}`)).statusCode).toBe(404)
  expect((await claim('/api/handoff/claim/odd')).statusCode).toBe(404)
})

test('only storage is handed off, within its time, and not for money yet', async () => {
  const owner = await openOwner()
  const mailbox = (await owner.ask('POST', '/api/mailbox')).json().lease_id
  expect(fault(await owner.ask('POST', `/api/handoff/${mailbox}`, {}, {}))).toEqual([422, 'HANDOFF_UNSUPPORTED_LEASE'])
  const lease = await owner.store({ 'x-duration-seconds': '60', 'x-delete-on-claim': 'true' })
  const { expires_at: expiresAt } = await owner.issue(lease.lease_id, { expires_in_seconds: 604_800 })
  expect(expiresAt).toBe(lease.expires_at)
  for (const body of [{ max_claims: 2 }, { max_claims: 0 }, { pin: '123' }, { expires_in_seconds: 59 }]) {
    const refused = await owner.ask('POST', `/api/handoff/${lease.lease_id}`, {}, body)
    expect(fault(refused), JSON.stringify(body)).toEqual([400, 'INVALID_PARAM'])
  }
  const { path } = await owner.issue(lease.lease_id)
  await setTo('lease.handoff_claim_micros', 5)
  expect(fault(await claim(path))).toEqual([501, 'HANDOFF_BILLING_NOT_READY'])
  await setTo('lease.handoff_claim_micros', null)
  await setTo('lease.handoff_issue_micros', 5)
  expect(fault(await owner.ask('POST', `/api/handoff/${lease.lease_id}`, {}, {}))).toEqual([
    ...[501, 'HANDOFF_BILLING_NOT_READY'],
  ])
  await setTo('lease.handoff_issue_micros', null)
  expect((await claim(path)).statusCode).toBe(200)
})

test('an address may follow so many links a minute', async () => {
  await setTo('rate.claims_per_minute', 2)
  const url = `/api/handoff/claim/hnd_${'y'.repeat(43)}`
  const look = async () => (await api.app.inject({ url, remoteAddress: '10.7.7.7' })).statusCode
  // Five of them lie in at most two minutes of the clock.
  const statuses = [await look(), await look(), await look(), await look(), await look()]
  expect(statuses).toContain(429)
  await setTo('rate.claims_per_minute', null)
})
