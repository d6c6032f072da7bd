import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount } from '../../../sql/product/account-data.ts'
import { type FakeVerifier, openFakeVerifier } from '../../support/people/identity-verifiers.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { openParts, uuidOf } from './parts.ts'

let api: InProcessApi
let verifier: FakeVerifier
let parts: ReturnType<typeof openParts>
beforeAll(async () => {
  verifier = await openFakeVerifier('stripe')
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8', ...verifier.env })
  parts = openParts(api, undefined as never)
})
afterEach(async () => {
  verifier.failsWith = undefined
  await rows(api.context.db, 'delete from svc.idverify')
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
  await verifier[Symbol.asyncDispose]()
})

const OPEN = { status: 'requires_input', last_error: null, last_verification_report: null }
const report = (id = 'vr_1') => ({
  ...{ id, selfie: { error: null } },
  document: {
    ...{ type: 'passport', issuing_country: 'DE', first_name: 'JANA', last_name: 'MUSTER', number: 'C71X546W8' },
    ...{ dob: { day: 14, month: 2, year: 1985 }, expiration_date: { day: 31, month: 1, year: 2034 }, error: null },
  },
})
const VERIFIED = { status: 'verified', last_error: null, last_verification_report: report() }
const refuse = (id: string) => ({
  ...{ status: 'requires_input', last_error: { code: 'selfie_face_mismatch' }, last_verification_report: report(id) },
})

/** A verification whose person has pressed the button. */
async function openStarted(body: object = {}) {
  verifier.answer = OPEN
  const owner = await parts.openOwner()
  const made = await owner.begin({ type: 'biometric', ...body })
  const browser = parts.openBrowserOf(made)
  expect((await browser.begin()).statusCode).toBe(303)
  const read = async () => (await owner.ask('GET', `/${made.id}`)).body
  const poll = async (answer: object) => {
    verifier.answer = answer
    await runDueSteps(api.context)
    return read()
  }
  return { owner, made, browser, read, poll }
}

const eventNames = async ({ events }: { events(): Promise<{ event: string }[]> }) =>
  (await events()).map(({ event }) => event.slice('verification.'.length))

test('the person is led to the provider, whose decision counts, with the events and the price of it', async () => {
  const { owner, made, browser, poll } = await openStarted({
    minAge: 18,
    subject: { lastName: 'Muster' },
    redirectUrl: 'https://shop.example/',
  })
  expect(await owner.money()).toEqual([100_000n, 0n])
  expect((await browser.look()).body).toMatch(/href="https:\/\/verify\.stripe\.test\/1" rel="noreferrer"/)
  expect((await parts.openBrowserOf(made).look()).statusCode).toBe(410)
  expect((await browser.begin()).statusCode).toBe(303)
  expect(verifier.bodies).toHaveLength(1)
  expect((await browser.send({ front: Buffer.from('x') })).statusCode).toBeGreaterThanOrEqual(400)
  expect((await poll({ ...OPEN, status: 'processing' })).status).toBe('started')
  expect((await browser.look()).headers.refresh).toBeDefined()
  const done = await poll(VERIFIED)
  expect(done).toMatchObject({
    ...{ status: 'completed', decision: 'approved', reviewedBy: 'provider', provider: 'stripe', reasonCodes: [] },
    document: { type: 'passport', issuingCountry: 'DEU', number: '******6W8', mrzValid: null },
  })
  expect(await eventNames(owner)).toEqual(['started', 'document_processed', 'age_check', 'completed'])
  expect(JSON.stringify(await owner.events())).not.toMatch(/MUSTER|C71X546W8/i)
  expect((await browser.look()).body).toContain('https://shop.example/')
  verifier.asked.length = 0
  await runDueSteps(api.context)
  expect(verifier.asked).toEqual([])
  await owner.ask('DELETE', `/${made.id}`)
  await runDueSteps(api.context)
  expect(verifier.asked).toEqual(['POST /v1/identity/verification_sessions/vs_1/redact'])
})

test('what was asked for is checked here too, and can only make the result worse', async () => {
  for (const [body, reason] of [
    [{ minAge: 90 }, 'UNDERAGE'],
    [{ countries: ['FRA'] }, 'COUNTRY_NOT_ALLOWED'],
  ] as const) {
    const { poll } = await openStarted(body)
    expect(await poll(VERIFIED)).toMatchObject({ status: 'completed', decision: 'declined', reasonCodes: [reason] })
    await rows(api.context.db, 'delete from svc.idverify')
  }
  const { owner, made, poll } = await openStarted({ subject: { lastName: 'Otherwise' } })
  expect(await poll(VERIFIED)).toMatchObject({
    status: 'manual_review',
    decision: null,
    reasonCodes: ['DATA_MISMATCH'],
  })
  const reviewer = await parts.openReviewer()
  await reviewer.decide(made.id, { decision: 'declined', reason: 'DATA_MISMATCH' })
  expect((await owner.ask('GET', `/${made.id}`)).body).toMatchObject({ decision: 'declined', reviewedBy: 'operator' })
})

test('an attempt that is refused counts once, and after the last one it has failed and is ended there', async () => {
  const { owner, browser, poll } = await openStarted({ maxAttempts: 2, locale: 'de' })
  for (let turn = 0; turn < 2; turn++)
    expect(await poll(refuse('vr_1'))).toMatchObject({
      attemptsUsed: 1,
      status: 'started',
      reasonCodes: ['FACE_MISMATCH'],
    })
  expect((await browser.look()).body).toContain('verify.stripe.test')
  verifier.asked.length = 0
  expect(await poll(refuse('vr_2'))).toMatchObject({ attemptsUsed: 2, status: 'failed', decision: null })
  expect(verifier.asked).toContain('POST /v1/identity/verification_sessions/vs_1/cancel')
  expect(await eventNames(owner)).toEqual(['started', 'failed'])
})

test('a message makes the provider be asked, and is not believed by itself', async () => {
  const { owner, poll, made } = await openStarted()
  const send = (body: string, headers = verifier.sign(body)) =>
    api.app.inject({
      ...{ method: 'POST', url: '/v1/idverify/messages', payload: body },
      headers: { 'content-type': 'application/json', ...headers },
    })
  const message = JSON.stringify({
    type: 'identity.verification_session.verified',
    data: { object: { object: 'identity.verification_session', id: 'vs_1', status: 'verified' } },
  })
  expect((await send(message, { 'stripe-signature': 't=1,v1=00' })).statusCode).toBe(400)
  for (let turn = 0; turn < 2; turn++) expect((await send(message)).json()).toEqual({ received: true })
  expect((await poll(OPEN)).status).toBe('started')
  expect((await send(message.replace('vs_1', 'vs_other'))).json()).toEqual({ received: true })
  const status = owner.ask('GET', `/${made.id}/status`)
  expect((await status).body).toMatchObject({ status: 'started' })
  expect((await poll(VERIFIED)).status).toBe('completed')
  expect((await eventNames(owner)).filter(name => name === 'completed')).toHaveLength(1)
})

test('a provider that is away is asked later, and if it never ends, all is given back', async () => {
  const { owner, made, browser, poll, read } = await openStarted()
  verifier.failsWith = 500
  expect((await poll(VERIFIED)).status).toBe('started')
  verifier.failsWith = undefined
  expect((await poll({ ...OPEN, status: 'processing' })).status).toBe('started')
  const { db } = api.context
  await rows(db, "update svc.idverify set expires_at = now() - interval '25 hours' where id = $1", [uuidOf(made.id)])
  await runDueSteps(api.context)
  expect(await read()).toMatchObject({ status: 'failed', decision: null })
  expect(await owner.money()).toEqual([1_000_000n, 0n])
  expect((await browser.look()).statusCode).toBe(200)
})

test('the page says so when the provider cannot be reached, and begins later', async () => {
  const owner = await parts.openOwner()
  const made = await owner.begin({ type: 'biometric', locale: 'fr' })
  const browser = parts.openBrowserOf(made)
  verifier.failsWith = 500
  const failed = await browser.begin()
  expect([failed.statusCode, failed.body]).toEqual([503, expect.stringContaining('injoignable')])
  verifier.failsWith = undefined

  expect((await browser.begin()).statusCode).toBe(303)
  expect((await browser.look()).body).toContain('verify.stripe.test')
})

test('what the provider does not do, and images of the caller, are for reviewers, if there are any', async () => {
  const owner = await parts.openOwner()
  const describe = async () => (await owner.call('GET', '/v1/capabilities')).json().identity
  expect(await describe()).toEqual({ available: true, decidedBy: 'stripe' })
  const refused = await owner.ask('POST', '', { type: 'liveness' })
  expect([refused.status, refused.body.code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
  expect(await owner.money()).toEqual([1_000_000n, 0n])
  await allowReviews(api)
  expect(await owner.begin({ type: 'liveness' })).toMatchObject({ provider: null, status: 'created' })
  expect(await owner.money()).toEqual([850_000n, 0n])
  await allowReviews(api, null)
})

test('with the account, the provider forgets the person', async () => {
  const { owner, poll } = await openStarted()
  await poll(VERIFIED)
  verifier.asked.length = 0
  await eraseAccount(api.context.db, api.context.store, owner.accountId)
  await runDueSteps(api.context)
  expect(verifier.asked).toEqual(['POST /v1/identity/verification_sessions/vs_1/redact'])
})
