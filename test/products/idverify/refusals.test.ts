import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findTables } from '../../support/database/find-text.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
  await allowReviews(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

async function openOwner() {
  const owner = await openBatonOwner(api)
  const begin = async (body: object) => {
    const reply = await owner.call('POST', '/v1/idverify/verifications', { type: 'document', ...body })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { ...owner, begin }
}

test.each([
  ['no front', { documents: { back: { inline: 'AA==' } } }, 'DOCUMENTS_REQUIRED'],
  ['no selfie', { type: 'biometric', documents: { front: { inline: 'AA==' } } }, 'DOCUMENTS_REQUIRED'],
  ['no zone', { documents: { front: { inline: 'AA==' }, mrz: 'P<NOTHING' } }, 'MRZ_PARSE_FAILED'],
  ['a selfie for nothing', { selfie: { inline: 'AA==' } }, 'CONFLICTING_OPTIONS'],
  ['a file that is no image', { documents: { front: { inline: 'JVBERi0xLjQK' } } }, 'UNSUPPORTED_FORMAT'],
  ['an upload that is not there', { documents: { front: { inputKey: 'scratch/x/y' } } }, 'INPUT_NOT_FOUND'],
  ['a day that is none', { subject: { dob: '2001-02-30' } }, 'INVALID_PARAM'],
  ['an address that is none', { redirectUrl: 'https://[' }, 'INVALID_PARAM'],
])('%s is refused for free', async (_name, body, code) => {
  const owner = await openOwner()
  expect((await owner.begin(body)).body.code).toBe(code)
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})

test('where nobody reviews, none is sold', async () => {
  const owner = await openOwner()
  await allowReviews(api, null)
  const describe = async () => (await owner.call('GET', '/v1/capabilities')).json().identity
  expect(await describe()).toMatchObject({ available: false })
  const { status, body } = await owner.begin({})
  expect([status, body.code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
  await allowReviews(api)
  expect(await describe()).toEqual({ available: true, decidedBy: 'reviewers' })
  expect(await owner.money()).toEqual([1_000_000n, 0n])
})

test('a person is screened by the lists, for its price, and where none is loaded that is refused for free', async () => {
  const owner = await openOwner()
  const unloaded = await owner.begin({ addons: { aml: true } })
  expect([unloaded.status, unloaded.body.code]).toEqual([503, 'SCREENING_LISTS_NOT_LOADED'])
  expect(await owner.money()).toEqual([1_000_000n, 0n])
  const selfie = { inline: (await readFile('tasks/samples/passport.png')).toString('base64') }
  const addons = { aml: { allowSample: true, threshold: 0.8 } }
  const subject = { firstName: 'Zorblat', lastName: 'Quexington', dob: '1961-04-17' }
  const listed = await owner.begin({ type: 'liveness', selfie, subject, addons, referenceId: 'z' })
  expect(listed.status, JSON.stringify(listed.body)).toBe(201)
  expect(await owner.money()).toEqual([840_000n, 0n])
  const other = await owner.begin({ type: 'liveness', selfie, addons })
  await runDueSteps(api.context)
  const read = async ({ body }: { body: { id: string } }) =>
    (await owner.call('GET', `/v1/idverify/verifications/${body.id}`)).json()
  const found = await read(listed)
  expect(found).toMatchObject({ status: 'manual_review', reasonCodes: ['AML_HIT'], aml: { status: 'match' } })
  const screening = (await owner.call('GET', `/v1/screening/matches/${found.aml.screeningId}`)).json()
  expect(screening).toMatchObject({ status: 'match', coverage: { sanctions: { state: 'sample' } } })
  const unnamed = await read(other)
  expect(unnamed).toMatchObject({
    aml: null,
    checks: expect.arrayContaining([expect.objectContaining({ name: 'aml', result: 'skipped' })]),
  })
  expect((await owner.call('DELETE', `/v1/idverify/verifications/${found.id}`)).statusCode).toBe(200)
  expect((await owner.call('GET', `/v1/screening/matches/${found.aml.screeningId}`)).statusCode).toBe(404)
  expect(await findTables(api.context.db, 'Quexington')).toEqual(['screening_entity'])
})
