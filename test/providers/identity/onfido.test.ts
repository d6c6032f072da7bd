import { expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import { openIdentityProvider } from '../../../ops/providers/identity/open.ts'
import { openFakeVerifier } from '../../support/people/identity-verifiers.ts'

const SESSION = {
  ...({ id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071', type: 'biometric', locale: 'it' } as const),
  ...{ returnUrl: 'https://coinop.test/verify/vt_x', documentTypes: ['passport'], subject: null },
}
const TAG = `idverify-${SESSION.id}`
const RUN = { id: 'run-1', applicant_id: 'app-1', output: null }
const flagged = (breakdown: object) => ({ result: 'consider', breakdown })
const part = (properties: object = {}) => ({ result: 'consider', properties })

async function openOnfido() {
  const fake = await openFakeVerifier('onfido')
  const provider = openIdentityProvider(
    loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/none', ...fake.env }).identity,
  )!
  const signal = AbortSignal.timeout(20_000)
  const read = (answer: object) => {
    fake.answer = answer
    return provider.read('run-1', signal)
  }
  return { fake, provider, signal, read, [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() }
}

test('a run that was begun before its answer was lost is found again by its tag', async () => {
  await using one = await openOnfido()
  const { fake, provider, signal } = one
  const link = { url: 'https://studio.onfido.test/2' }
  fake.others['GET /v3.6/workflow_runs'] = {
    list: [
      { id: 'run-9', tags: ['else'], link },
      { id: 'run-2', tags: [TAG], link },
    ],
  }
  expect(await provider.begin(SESSION, signal)).toEqual({ reference: 'run-2', url: link.url })
  expect(fake.bodies).toEqual([])
})

test('a run that was begun although the call failed is the one', async () => {
  await using one = await openOnfido()
  const { fake, provider, signal } = one
  const runs = { list: [{ id: 'run-3', tags: [TAG], link: { url: 'https://studio.onfido.test/3' } }] }
  Object.defineProperty(fake.others, 'POST /v3.6/workflow_runs', {
    get() {
      fake.others['GET /v3.6/workflow_runs'] = runs
      return { status: 504 }
    },
  })
  expect(await provider.begin(SESSION, signal)).toMatchObject({ reference: 'run-3' })
  expect(fake.asked.filter(asked => asked.startsWith('DELETE'))).toEqual([])
})

test('an applicant whose run cannot be begun is removed, and one without a name has none of a person', async () => {
  await using one = await openOnfido()
  const { fake, provider, signal } = one
  await provider.begin(SESSION, signal)
  expect(JSON.parse(fake.bodies[0]!)).toMatchObject({ tags: [TAG], customer_user_id: SESSION.id })
  expect(fake.bodies[0]).not.toContain('language')
  const applicants = () =>
    fake.posted.filter(({ path }) => path === '/v3.6/applicants').map(({ body }) => JSON.parse(body))
  expect(applicants()).toEqual([{ first_name: 'anon', last_name: 'anon' }])
  fake.others['POST /v3.6/workflow_runs'] = { status: 422 }
  const subject = { firstName: 'A<b>"c', lastName: '東', dob: '1990-01-02' }
  const failed = expect.objectContaining({ code: 'PROVIDER_UNAVAILABLE' })
  await expect(provider.begin({ ...SESSION, subject }, signal)).rejects.toEqual(failed)
  expect(applicants()[1]).toEqual({ first_name: 'Abc', last_name: '東', dob: '1990-01-02' })
  expect(fake.asked.at(-1)).toBe('DELETE /v3.6/applicants/app-1')
})

test('reports that the workflow does not put out are read from its last tasks of a kind', async () => {
  await using one = await openOnfido()
  const { fake, read } = one
  const at = '/v3.6/workflow_runs/run-1/tasks'
  const tasks = ['upload_document_photo', 'document_check', 'document_check', 'face_check_photo']
  fake.others[`GET ${at}`] = { list: tasks.map((kind, index) => ({ id: `t${index}`, task_def_id: kind })) }
  const properties = { document_type: 'national_identity_card', issuing_country: 'DEU', document_number: 'L1' }
  fake.others[`GET ${at}/t2`] = { output: { ...flagged({ data_validation: part() }), properties } }
  const match = { face_match: { result: 'clear', properties: { score: 0.9742 } } }
  fake.others[`GET ${at}/t3`] = { output: { breakdown: { face_comparison: { result: 'clear', breakdown: match } } } }
  expect(await read({ ...RUN, status: 'review' })).toMatchObject({
    ...{ state: 'review', similarity: 97.4, reasonCodes: ['DATA_MISMATCH'] },
    document: { type: 'id_card', issuingCountry: 'DEU', number: 'L1', expiry: null },
  })
  expect(fake.asked).not.toContain(`GET ${at}/t0`)
  expect(fake.asked).not.toContain(`GET ${at}/t1`)
})

test.each([
  [{ image_integrity: flagged({ image_quality: part({ blurred_photo: 'consider' }) }) }, ['IMAGE_BLURRY']],
  [
    { image_integrity: flagged({ image_quality: part({ glare_on_photo: 'consider', blurred_photo: 'clear' }) }) },
    ['IMAGE_GLARE'],
  ],
  [{ image_integrity: flagged({ image_quality: part({ cut_off_document: 'consider' }) }) }, ['DOC_UNREADABLE']],
  [{ image_integrity: flagged({ supported_document: part() }) }, ['DOC_TYPE_NOT_ALLOWED']],
  [
    {
      visual_authenticity: flagged({
        original_document_present: part({ photo_of_screen: 'consider' }),
        other: part(),
      }),
    },
    ['IMAGE_SCREEN_CAPTURE'],
  ],
  [{ visual_authenticity: flagged({ fonts: part(), template: { result: 'clear' } }) }, ['REVIEWER_DECLINED']],
  [{ visual_authenticity: flagged({ spoofing_detection: part({ score: 0.1 }) }) }, ['LIVENESS_FAILED']],
  [{ data_validation: flagged({ document_expiration: part(), mrz: part() }) }, ['DOC_EXPIRED', 'MRZ_CHECKDIGIT']],
  [
    { face_comparison: { result: 'consider' }, compromised_document: { result: 'consider' } },
    ['FACE_MISMATCH', 'DUPLICATE_DOCUMENT'],
  ],
  [{ sanction: { result: 'consider' }, adverse_media: { result: 'clear' } }, ['AML_HIT']],
])('tells the reasons of a report: %j', async (breakdown, reasonCodes) => {
  await using one = await openOnfido()
  const output = { doc: { breakdown, properties: { document_type: 'passport' } }, note: 'of the operator' }
  expect(await one.read({ ...RUN, status: 'declined', output })).toMatchObject({ state: 'declined', reasonCodes })
})

test('a run in error or of a state that is not known is neither approved nor declined', async () => {
  await using one = await openOnfido()
  for (const status of ['error', 'awaiting_client_input', 'new'])
    expect(await one.read({ ...RUN, status })).toMatchObject({ state: 'processing' })
})

test('a run that nobody needs any more ends with its applicant, and one that is gone has been erased', async () => {
  await using one = await openOnfido()
  const { fake, provider, signal } = one
  fake.answer = { ...RUN, status: 'awaiting_input' }
  await provider.cancel('run-1', signal)
  expect(fake.asked.at(-1)).toBe('DELETE /v3.6/applicants/app-1')
  fake.others['GET /v3.6/workflow_runs/run-1'] = { status: 404 }
  fake.asked.length = 0
  await provider.erase('run-1', signal)
  await provider.cancel('run-1', signal)
  expect(fake.asked).toEqual(['GET /v3.6/workflow_runs/run-1', 'GET /v3.6/workflow_runs/run-1'])
})

test('a message about a task is about its run', async () => {
  await using one = await openOnfido()
  const { fake, provider } = one
  const object = { id: 'document_check_1', workflow_run_id: 'run-1' }
  const text = JSON.stringify({ payload: { resource_type: 'workflow_task', object } })
  expect(provider.readMessage(Buffer.from(text), fake.sign(text))).toBe('run-1')
})
