import { type TProperties, Type } from 'typebox'
import { Choice, event, flagSetting, numberSetting, product, transitions } from '#kit'
import { DOCUMENT_TYPES, REASON_CODES } from '../../formats/identity/reasons.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])
const Reasons = Type.Array(Choice(REASON_CODES))
const ABOUT = {
  verificationId: 'idv_019ab3c45d6e7f809a1b2c3d4e5f6071',
  referenceId: 'customer-7',
  occurredAt: '2026-11-24T10:00:00.000Z',
}

/** No event has the number of a document, a name or an image. */
function verificationEvent<Payload extends TProperties>(
  summary: string,
  status: string,
  payload: Payload,
  example: object = {},
) {
  return event({
    of: 'account',
    summary,
    payload: {
      verificationId: Type.String(),
      referenceId: NullableText,
      status: Type.Literal(status),
      occurredAt: Type.String({ format: 'date-time' }),
      ...payload,
    },
    example: { ...ABOUT, status, ...example },
  })
}

const idverify = product({
  title: 'Identity',
  summary: 'Identity documents and faces, checked by machine and decided by people.',
  dashboard: { path: '/dashboard/identity', position: 47 },
  scopes: {
    'idverify:read': 'Read your verifications of identity.',
    'idverify:write': 'Begin, cancel and erase verifications of identity, which spends from your balance.',
  },
  states: transitions(
    'svc.idverify',
    {
      created: ['started', 'expired', 'cancelled'],
      started: ['processing', 'failed', 'expired', 'cancelled'],
      processing: ['manual_review', 'completed', 'failed', 'cancelled'],
      manual_review: ['completed', 'cancelled'],
      completed: [],
      failed: [],
      expired: [],
      cancelled: [],
    },
    {
      started: 'verification.started',
      processing: 'verification.document_processed',
      manual_review: 'verification.manual_review',
      completed: 'verification.completed',
      failed: 'verification.failed',
      expired: 'verification.expired',
    },
  ),
  events: {
    'verification.started': verificationEvent('The person has begun, or images were supplied.', 'started', {}),
    'verification.document_processed': verificationEvent(
      'Images were read. The fields are null where no document is asked for or none was read.',
      'processing',
      {
        documentType: Type.Union([Choice(DOCUMENT_TYPES), Type.Null()]),
        country: NullableText,
        mrzValid: Type.Union([Type.Boolean(), Type.Null()]),
        quality: Type.Union([Choice(['good', 'poor']), Type.Null()]),
      },
      { documentType: 'passport', country: 'UTO', mrzValid: true, quality: 'good' },
    ),
    'verification.age_check': verificationEvent(
      'A minimum age was asked for, and the document has the date of birth.',
      'processing',
      { minAge: Type.Integer(), passed: Type.Boolean(), ageBand: Type.String() },
      { minAge: 18, passed: true, ageBand: '25-34' },
    ),
    'verification.manual_review': verificationEvent(
      'A person must decide, as always about whether a document is genuine and a face is the right one.',
      'manual_review',
      { reasonCodes: Reasons },
      { reasonCodes: [] },
    ),
    'verification.completed': verificationEvent(
      'It is decided.',
      'completed',
      { decision: Choice(['approved', 'declined']), reasonCodes: Reasons, aml: NullableText },
      { decision: 'approved', reasonCodes: [], aml: null },
    ),
    'verification.failed': verificationEvent(
      'All attempts are used, and none could be read.',
      'failed',
      { reasonCodes: Reasons },
      { reasonCodes: ['DOC_UNREADABLE'] },
    ),
    'verification.expired': verificationEvent('It was not used in time.', 'expired', {}),
  },
  problems: {
    VERIFICATION_TERMINAL: [409, 'The verification has ended, as status says; begin another one.'],
    IMAGES_NOT_EXPECTED: [409, 'No images are expected now; read the status and try again.'],
    SESSION_USED: [410, 'This link is in use in another browser, or has been used; ask for a new one.'],
    DOCUMENTS_REQUIRED: [422, 'An image that the type of verification needs is missing; `needed` names it.'],
    MRZ_PARSE_FAILED: [
      422,
      'documents.mrz is no machine readable zone; send its two or three lines as they are printed.',
    ],
    TOO_MANY_VERIFICATIONS: [409, 'The account has as many open verifications as it can have; cancel one first.'],
  },
  settings: {
    'idverify.manual_review_enabled': flagSetting(
      false,
      'Whether somebody reviews identities here (cli idverify link). Without that and without a provider none is sold.',
    ),
    'idverify.provider_document_micros': numberSetting(
      500_000,
      1_000,
      1_000_000,
      'What verifying a document costs where a provider does it, in millionths of a dollar.',
    ),
    'idverify.provider_face_micros': numberSetting(
      900_000,
      1_000,
      1_000_000,
      'What verifying a face, alone or with a document, costs where a provider does it.',
    ),
    'idverify.max_open': numberSetting(1_000, 1, 1_000_000, 'How many open verifications one account may have.'),
    'idverify.max_image_bytes': numberSetting(
      10_485_760,
      65_536,
      33_554_432,
      'The largest image of a document or face.',
    ),
    'rate.verifications_per_minute': numberSetting(
      60,
      1,
      1_000_000,
      'Calls per minute with one link of a verification or a review, and with links from one address.',
    ),
  },
  retention: [
    {
      of: 'images, names and numbers of verified persons',
      after: 'retentionDays after the end of the verification',
      removedBy: 'step idverify.purge',
    },
    { of: 'decisions', after: 'the account is erased', removedBy: 'idverify.erase_account' },
  ],
  erase: 'idverify.erase_account',
  lastingSteps: ['idverify.leave-provider'],
  exported: 'idverify.export_account',
})

export default idverify

declare module '../../kit/product.ts' {
  interface Products {
    idverify: typeof idverify
  }
}
