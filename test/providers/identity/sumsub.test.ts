import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import { openIdentityProvider } from '../../../ops/providers/identity/open.ts'
import { openFakeVerifier } from '../../support/people/identity-verifiers.ts'

const ID = '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const FIND = `GET /resources/applicants/-;externalUserId=${ID}/one`
const DEACTIVATE = 'PATCH /resources/applicants/5b594ade/presence/deactivated'
const applicant = (review: object, more: object = {}) => ({ id: '5b594ade', review, ...more })

async function openSumsub(env: Record<string, string> = {}) {
  const fake = await openFakeVerifier('sumsub')
  const config = loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/none', ...fake.env, ...env })
  const provider = openIdentityProvider(config.identity)!
  const signal = AbortSignal.timeout(20_000)
  const read = (answer: object) => {
    fake.answer = answer
    return provider.read(ID, signal)
  }
  return { fake, provider, signal, read, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() }
}

test('calls that are signed with another secret key are refused, which makes the provider unavailable', async () => {
  await using one = await openSumsub({ IDENTITY_SECRET_KEY: 'another' })
  await expect(one.read({})).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', hints: { providerStatus: 401 } })
})

test('a person who has not opened the link is not known there, and there is nothing to end or erase', async () => {
  await using one = await openSumsub()
  const { fake, provider, signal } = one
  fake.others[FIND] = { status: 404 }
  expect(await one.read({})).toMatchObject({ state: 'open', attempt: null, document: null })
  await provider.cancel(ID, signal)
  await provider.erase(ID, signal)
  expect(fake.asked).toEqual([FIND, FIND, FIND])
})

test.each([
  [{ reviewStatus: 'awaitingUser' }, 'open', [DEACTIVATE]],
  [
    { reviewStatus: 'completed', reviewResult: { reviewAnswer: 'RED', reviewRejectType: 'RETRY' } },
    'retake',
    [DEACTIVATE],
  ],
  [{ reviewStatus: 'pending' }, 'processing', []],
  [{ reviewStatus: 'new' }, 'processing', []],
  [{ reviewStatus: 'onHold' }, 'review', []],
  [{ reviewStatus: 'completed' }, 'review', []],
  [{ reviewStatus: 'completed', reviewResult: { reviewAnswer: 'YELLOW' } }, 'review', []],
])('of %j the state is %s, and only what is open is ended', async (review, state, ended) => {
  await using one = await openSumsub()
  const { fake, provider, signal } = one
  expect((await one.read(applicant({ attemptCnt: 2, ...review }))).state).toBe(state)
  fake.asked.length = 0
  await provider.cancel(ID, signal)
  expect(fake.asked).toEqual([FIND, ...ended])
})

test('who is deactivated is cancelled, and is not deactivated again', async () => {
  await using one = await openSumsub()
  const { fake, provider, signal } = one
  const gone = applicant({ reviewStatus: 'completed', reviewResult: { reviewAnswer: 'GREEN' } }, { deleted: true })
  expect(await one.read(gone)).toMatchObject({ state: 'cancelled' })
  await provider.erase(ID, signal)
  expect(fake.asked).toEqual([FIND, FIND])
})

test('an applicant who is being checked cannot be erased yet, so that it is tried again', async () => {
  await using one = await openSumsub()
  const { fake, provider, signal } = one
  fake.answer = applicant({ reviewStatus: 'pending' })
  fake.others[DEACTIVATE] = { status: 400 }
  await expect(provider.erase(ID, signal)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
})

test.each([
  ['EXPIRATION_DATE', 'DOC_EXPIRED'],
  ['UNSATISFACTORY_PHOTOS', 'DOC_UNREADABLE'],
  ['NOT_DOCUMENT', 'DOC_TYPE_NOT_ALLOWED'],
  ['WRONG_USER_REGION', 'COUNTRY_NOT_ALLOWED'],
  ['PROBLEMATIC_APPLICANT_DATA', 'DATA_MISMATCH'],
  ['AGE_REQUIREMENT_MISMATCH', 'UNDERAGE'],
  ['BAD_FACE_MATCHING', 'FACE_MISMATCH'],
  ['FRAUDULENT_LIVENESS', 'LIVENESS_FAILED'],
  ['DUPLICATE', 'DUPLICATE_DOCUMENT'],
  ['SANCTIONS', 'AML_HIT'],
  ['EXTERNAL_DECISION_REJECTION', 'REVIEWER_DECLINED'],
])('the label %s is the reason %s', async (label, reason) => {
  await using one = await openSumsub()
  const reviewResult = { reviewAnswer: 'RED', reviewRejectType: 'FINAL', rejectLabels: [label] }
  const read = await one.read(applicant({ reviewStatus: 'completed', reviewResult }))
  expect(read).toMatchObject({ state: 'declined', reasonCodes: [reason] })
})

test('messages may be signed over SHA-512, and over SHA-1 or in a way that is not known are refused', async () => {
  await using one = await openSumsub()
  const text = JSON.stringify({ type: 'applicantReviewed', externalUserId: ID })
  const sign = (hash: string, name: string) => ({
    'x-payload-digest': createHmac(hash, one.fake.env.IDENTITY_WEBHOOK_SECRET!).update(text).digest('hex'),
    'x-payload-digest-alg': name,
  })
  const readSigned = (hash: string, name: string) => one.provider.readMessage(Buffer.from(text), sign(hash, name))
  expect(readSigned('sha512', 'HMAC_SHA512_HEX')).toBe(ID)
  const refused = expect.objectContaining({ code: 'INVALID_WEBHOOK_SIGNATURE' })
  expect(() => readSigned('sha256', 'HMAC_SHA512_HEX')).toThrow(refused)
  expect(() => readSigned('sha1', 'HMAC_SHA1_HEX')).toThrow(refused)
  expect(() => readSigned('sha256', 'constructor')).toThrow(refused)
})
