import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import { openIdentityProvider } from '../../../ops/providers/identity/open.ts'
import { type FakeVerifier, openFakeVerifier, signMessage } from '../../support/people/identity-verifiers.ts'

const SESSION = {
  ...({ id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071', type: 'biometric', locale: 'de' } as const),
  returnUrl: 'https://coinop.test/verify/vt_x',
  documentTypes: ['passport', 'driving_licence'],
  subject: { firstName: 'Zoë', lastName: '東', dob: '1990-01-02' },
}
const READ = { number: 'X1', firstName: 'ZOË', lastName: '東', dob: '1990-01-02', expiry: '2031-05-06' }

function openAdapter(fake: FakeVerifier) {
  const config = loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/none', ...fake.env })
  return openIdentityProvider(config.identity)!
}

const inquiry = (status: string, checks: object[] = []) => ({
  data: { id: 'inq_1', attributes: { status } },
  included: [
    {
      ...{ id: 'ver_1', type: 'verification/government-id' },
      attributes: {
        ...{ 'id-class': 'dl', 'country-code': 'US', 'identification-number': 'X1', 'name-first': 'ZOË', checks },
        ...{ 'name-last': '東', birthdate: '1990-01-02', 'expiration-date': '2031-05-06', sex: 'Female' },
      },
    },
  ],
})

const report = (error: string | null) => ({
  ...{ id: 'vr_1', selfie: { error: null } },
  document: {
    ...{ type: 'driving_license', issuing_country: 'US', first_name: 'ZOË', last_name: '東', number: 'X1' },
    ...{ dob: { day: 2, month: 1, year: 1990 }, expiration_date: { day: 6, month: 5, year: 2031 } },
    error: error && { code: error },
  },
})

const decision = (status: string, warnings: object[] = []) => ({
  status,
  id_verifications: [
    {
      ...{ document_type: "Driver's License", issuing_state: 'USA', document_number: 'X1', first_name: 'ZOË' },
      ...{ last_name: '東', date_of_birth: '1990-01-02', expiration_date: '2031-05-06', gender: 'F', warnings },
    },
  ],
  face_matches: [{ score: 97.4 }],
})

const veriff = (status: string, reasonCode: number | null = null) => ({
  verification: {
    ...{ id: 'ses-1', attemptId: 'att-1', status, reasonCode },
    person: { firstName: 'ZOË', lastName: '東', dateOfBirth: '1990-01-02', gender: 'F' },
    document: { type: 'DRIVERS_LICENSE', number: 'X1', country: 'US', validUntil: '2031-05-06' },
  },
})

const run = (status: string, parts: object = {}) => ({
  ...{ id: 'run-1', applicant_id: 'app-1', status },
  output: {
    doc: {
      ...{ result: 'clear', breakdown: parts },
      properties: {
        ...{
          document_type: 'driving_licence',
          issuing_country: 'USA',
          first_name: 'ZOË',
          last_name: '東',
          gender: 'Female',
        },
        ...{ document_numbers: [{ type: 'document_number', value: 'X1' }], date_of_birth: '1990-01-02' },
        date_of_expiry: '2031-05-06',
      },
    },
  },
})

const applicant = (reviewStatus: string, reviewResult: object = {}) => ({
  ...{ id: '5b594ade0a975a36c9349e66', externalUserId: SESSION.id },
  info: {
    ...{ firstName: 'ZOË', lastName: '東', dob: '1990-01-02', gender: 'F' },
    idDocs: [
      { idDocType: 'SELFIE', country: 'USA' },
      { idDocType: 'DRIVERS', country: 'USA', number: 'X1', validUntil: '2031-05-06' },
    ],
  },
  review: { attemptId: 'att-1', reviewStatus, reviewResult },
})

const CASES = {
  stripe: {
    reference: 'vs_1',
    link: 'https://verify.stripe.test/1',
    sent: ['options%5Bdocument%5D%5Brequire_matching_selfie%5D=true', 'driving_license', 'passport'],
    answers: [
      [{ status: 'requires_input', last_error: null, last_verification_report: null }, { state: 'open' }],
      [
        {
          status: 'requires_input',
          last_error: { code: 'selfie_face_mismatch' },
          last_verification_report: report(null),
        },
        { state: 'retake', attempt: 'vr_1', reasonCodes: ['FACE_MISMATCH'] },
      ],
      [{ status: 'verified', last_error: null, last_verification_report: report(null) }, { state: 'approved' }],
      [{ status: 'canceled', last_error: null, last_verification_report: null }, { state: 'cancelled' }],
    ],
    message: { data: { object: { object: 'identity.verification_session', id: 'vs_1' } } },
    other: { data: { object: { object: 'charge', id: 'ch_1' } } },
    left: [
      'POST /v1/identity/verification_sessions/vs_1/cancel',
      'POST /v1/identity/verification_sessions/vs_1/redact',
    ],
  },
  veriff: {
    reference: 'ses-1',
    link: 'https://alchemy.veriff.test/1',
    sent: ['"vendorData":"019ab3c4', '"lastName":"東"'],
    answers: [
      [{ verification: null }, { state: 'open', document: null }],
      [veriff('resubmission_requested', 204), { state: 'retake', attempt: 'att-1', reasonCodes: ['IMAGE_BLURRY'] }],
      [veriff('declined', 108), { state: 'declined', reasonCodes: ['FACE_MISMATCH'] }],
      [veriff('approved'), { state: 'approved' }],
    ],
    message: { verification: { id: 'ses-1' } },
    other: {},
    left: ['DELETE /v1/sessions/ses-1', 'DELETE /v1/sessions/ses-1'],
  },
  persona: {
    reference: 'inq_1',
    link: 'https://inquiry.persona.test/1',
    sent: ['"inquiry-template-id":"flow"', '"name-last":"東"'],
    answers: [
      [{ data: { id: 'inq_1', attributes: { status: 'pending' } } }, { state: 'open', document: null }],
      [inquiry('completed'), { state: 'review' }],
      [
        inquiry('declined', [{ name: 'id_expired_detection', status: 'failed' }]),
        { state: 'declined', reasonCodes: ['DOC_EXPIRED'] },
      ],
      [inquiry('approved'), { state: 'approved' }],
    ],
    message: { data: { attributes: { payload: { data: { type: 'inquiry', id: 'inq_1' } } } } },
    other: { data: { attributes: { payload: { data: { type: 'report', id: 'r' } } } } },
    left: ['POST /api/v1/inquiries/inq_1/expire', 'DELETE /api/v1/inquiries/inq_1'],
  },
  didit: {
    reference: 'dd-1',
    link: 'https://verify.didit.test/1',
    sent: ['"workflow_id":"flow"', '"last_name":"東"', '"language":"de"'],
    answers: [
      [{ status: 'In Progress' }, { state: 'open', document: null }],
      [
        decision('In Review', [{ risk: 'SCREEN_CAPTURE_DETECTED' }]),
        { state: 'review', reasonCodes: ['IMAGE_SCREEN_CAPTURE'], similarity: 97.4 },
      ],
      [decision('Declined'), { state: 'declined', reasonCodes: [] }],
      [decision('Approved'), { state: 'approved' }],
    ],
    message: { session_id: 'dd-1' },
    other: { webhook_type: 'else' },
    left: ['DELETE /v3/session/dd-1/delete/', 'DELETE /v3/session/dd-1/delete/'],
  },
  onfido: {
    reference: 'run-1',
    link: 'https://studio.onfido.test/1',
    sent: ['"workflow_id":"flow"', '"applicant_id":"app-1"', '"language":"de_DE"', '"completed_redirect_url":"https:'],
    answers: [
      [
        { id: 'run-1', applicant_id: 'app-1', status: 'awaiting_input' },
        { state: 'open', document: null },
      ],
      [
        run('declined', { age_validation: { result: 'consider' } }),
        { state: 'declined', reasonCodes: ['UNDERAGE'], similarity: null },
      ],
      [run('declined', { something_new: { result: 'consider' } }), { state: 'review', reasonCodes: [] }],
      [run('abandoned'), { state: 'expired' }],
      [run('approved'), { state: 'approved' }],
    ],
    message: { payload: { resource_type: 'workflow_run', object: { id: 'run-1' } } },
    other: { payload: { resource_type: 'check', object: { id: 'run-1' } } },
    left: [...['GET /v3.6/workflow_runs/run-1', 'GET /v3.6/workflow_runs/run-1', 'DELETE /v3.6/applicants/app-1']],
  },
  sumsub: {
    reference: SESSION.id,
    link: 'https://in.sumsub.test/1',
    sent: ['"levelName":"flow"', `"userId":"${SESSION.id}"`, '"rejectUrl":"https://coinop.test/verify/vt_x"'],
    answers: [
      [applicant('init'), { state: 'open' }],
      [applicant('queued'), { state: 'processing' }],
      [
        applicant('completed', { reviewAnswer: 'RED', reviewRejectType: 'RETRY', rejectLabels: ['SCREENSHOTS'] }),
        { state: 'retake', attempt: 'att-1', reasonCodes: ['IMAGE_SCREEN_CAPTURE'] },
      ],
      [
        applicant('completed', { reviewAnswer: 'RED', reviewRejectType: 'FINAL', rejectLabels: ['FORGERY', 'NEW'] }),
        { state: 'declined', reasonCodes: ['REVIEWER_DECLINED'] },
      ],
      [
        applicant('completed', { reviewAnswer: 'RED', reviewRejectType: 'FINAL', rejectLabels: ['NEW'] }),
        { state: 'review', reasonCodes: [] },
      ],
      [applicant('completed', { reviewAnswer: 'GREEN' }), { state: 'approved' }],
    ],
    message: { type: 'applicantReviewed', externalUserId: SESSION.id },
    other: { type: 'kytCaseCreated' },
    left: [
      `GET /resources/applicants/-;externalUserId=${SESSION.id}/one`,
      `GET /resources/applicants/-;externalUserId=${SESSION.id}/one`,
      'PATCH /resources/applicants/5b594ade0a975a36c9349e66/presence/deactivated',
    ],
  },
} as const

/** Those whose signatures do not say when. */
const UNTIMED: readonly string[] = ['veriff', 'onfido', 'sumsub']
const NAMES = Object.keys(CASES) as (keyof typeof CASES)[]

describe.each(NAMES)('%s', name => {
  const { reference, link, sent, answers, message, other, left } = CASES[name]

  test('begins a session, reads what came of it, and ends and erases it', async () => {
    await using fake = await openFakeVerifier(name)
    const provider = openAdapter(fake)
    const signal = AbortSignal.timeout(20_000)
    expect(await provider.begin(SESSION, signal)).toEqual({ reference, url: link })
    for (const text of sent) expect(fake.bodies[0]).toContain(text)
    for (const [answer, expected] of answers) {
      fake.answer = answer
      const read = await provider.read(reference, signal)
      expect(read).toMatchObject(expected)
      if (read.state === 'approved')
        expect(read).toMatchObject({
          ...{ reasonCodes: [], document: { type: 'driving_licence', issuingCountry: 'USA', ...READ } },
        })
    }
    fake.asked.length = 0
    await provider.cancel(reference, signal)
    await provider.erase(reference, signal)
    expect(fake.asked).toEqual(left)
  })

  test('believes only messages that it has signed, and lately if it says when', async () => {
    await using fake = await openFakeVerifier(name)
    const provider = openAdapter(fake)
    const text = JSON.stringify(message)
    expect(provider.readMessage(Buffer.from(text), fake.sign(text))).toBe(reference)
    const about = JSON.stringify(other)
    expect(provider.readMessage(Buffer.from(about), fake.sign(about))).toBeUndefined()
    const refused = expect.objectContaining({ code: 'INVALID_WEBHOOK_SIGNATURE' })
    expect(() => provider.readMessage(Buffer.from(`${text} `), fake.sign(text))).toThrow(refused)
    expect(() => provider.readMessage(Buffer.from(text), {})).toThrow(refused)
    expect(() => provider.readMessage(Buffer.from('{'), fake.sign('{'))).toThrow(refused)
    const old = signMessage(name, text, Math.floor(Date.now() / 1_000) - 600)
    if (!UNTIMED.includes(name)) expect(() => provider.readMessage(Buffer.from(text), old)).toThrow(refused)
  })

  test('is unavailable when it refuses, fails or answers what is no JSON', async () => {
    await using fake = await openFakeVerifier(name)
    const provider = openAdapter(fake)
    for (const status of [403, 422, 500]) {
      fake.failsWith = status
      const failed = expect.objectContaining({ code: 'PROVIDER_UNAVAILABLE' })
      await expect(provider.begin(SESSION, AbortSignal.timeout(20_000))).rejects.toEqual(failed)
    }
  })
})

test('a provider without its secrets or its workflow is refused at the start', () => {
  const load = (env: Record<string, string>) => () => loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/x', ...env })
  expect(load({ IDENTITY_PROVIDER: 'stripe', IDENTITY_KEY: 'k' })).toThrow('IDENTITY_WEBHOOK_SECRET')
  const secrets = { IDENTITY_KEY: 'k', IDENTITY_WEBHOOK_SECRET: 's' }
  for (const provider of ['persona', 'onfido', 'sumsub'])
    expect(load({ IDENTITY_PROVIDER: provider, ...secrets })).toThrow('IDENTITY_WORKFLOW')
  const sumsub = { IDENTITY_PROVIDER: 'sumsub', ...secrets, IDENTITY_WORKFLOW: 'basic-kyc-level' }
  expect(load(sumsub)).toThrow('IDENTITY_SECRET_KEY must be the secret key')
  expect(load({ ...sumsub, IDENTITY_SECRET_KEY: 'k' })().identity).toMatchObject({ secretKey: 'k' })
  expect(load({ IDENTITY_PROVIDER: 'none' })().identity).toBeUndefined()
})
