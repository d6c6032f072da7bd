import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { defineTokens } from '../../../ops/tokens.ts'
import { CHECK_RESULTS, DOCUMENT_TYPES, REASON_CODES } from '../../../tasks/products/idverify/index.ts'

const Time = Type.String({ format: 'date-time' })
const NullableText = Type.Union([Type.String(), Type.Null()])

export const STATUSES = [
  ...(['created', 'started', 'processing', 'manual_review', 'completed', 'failed', 'expired', 'cancelled'] as const),
]

export const TYPES = ['document', 'liveness', 'biometric'] as const

export const LOCALES = ['en', 'de', 'fr', 'es'] as const

export type Locale = (typeof LOCALES)[number]

export const Verification = Type.Object({
  id: Type.String(),
  type: Choice(TYPES),
  status: Choice(STATUSES),
  decision: Type.Union([Choice(['approved', 'declined']), Type.Null()]),
  reasonCodes: Type.Array(Choice(REASON_CODES), {
    description: 'While it is open: why the last images were refused, or what a person must look at.',
  }),
  checks: Type.Array(Type.Object({ name: Type.String(), result: Choice(CHECK_RESULTS), detail: NullableText }), {
    description: '`review`: a person must look at it.',
  }),
  document: Type.Union([
    Type.Null(),
    Type.Object({
      type: Choice(DOCUMENT_TYPES),
      issuingCountry: Type.String({ description: 'Three letters, as ICAO 9303 has them.' }),
      number: Type.Union([Type.String(), Type.Null()], {
        description: 'Masked but for its end, unless `reveal` is asked for.',
      }),
      names: Type.Object({ first: NullableText, last: NullableText }),
      dob: NullableText,
      expiry: NullableText,
      sex: NullableText,
      mrzValid: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null: it has no machine readable zone.' }),
    }),
  ]),
  age: Type.Union([Type.Integer(), Type.Null()]),
  similarity: Type.Union([Type.Number(), Type.Null()], {
    description: 'Of the face on the document and that of the selfie, from 0 to 100, where an engine compares them.',
  }),
  aml: Type.Union([
    Type.Null(),
    Type.Object({
      status: Choice(['clear', 'review', 'match']),
      screeningId: Type.String({ description: 'For GET /v1/screening/matches/{id}.' }),
    }),
  ]),
  referenceId: NullableText,
  metadata: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
  attemptsUsed: Type.Integer(),
  maxAttempts: Type.Integer(),
  reading: Type.Boolean({ description: 'Images have arrived and are being read.' }),
  provider: Type.Union([Type.String(), Type.Null()], { description: 'Who verifies in place of this service.' }),
  polledAt: Type.Union([Time, Type.Null()], { description: 'When that provider was asked last.' }),
  reviewedBy: Type.Union([Choice(['provider', 'operator']), Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
  expiresAt: Time,
  purgeAt: Type.Union([Time, Type.Null()], { description: 'When what is personal is erased.' }),
  purgedAt: Type.Union([Time, Type.Null()]),
  hostedUrl: Type.Optional(
    Type.String({ description: 'The page for the person, until it has ended. Whoever opens it first can go on.' }),
  ),
})

export const VerificationParam = Type.Object({
  id: Type.String({ maxLength: 64, description: 'Such as `idv_019ab3c4…`.' }),
})

export const OWNER_ERRORS = ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const

/** What its person has to do, for pages and apps that are not ours. */
export const SessionReply = Type.Object({
  id: Type.String(),
  type: Choice(TYPES),
  status: Choice(STATUSES),
  decision: Type.Union([Choice(['approved', 'declined']), Type.Null()]),
  locale: Choice(LOCALES),
  documentTypes: Type.Array(Choice(DOCUMENT_TYPES)),
  challenge: Type.String({ description: 'Digits that the person shows beside the face.' }),
  reasonCodes: Type.Array(Choice(REASON_CODES), { description: 'Why the last images were refused.' }),
  attemptsLeft: Type.Integer(),
  reading: Type.Boolean({ description: 'Images have arrived and are being read.' }),
  isStarted: Type.Boolean(),
  sides: Type.Array(Type.Object({ side: Choice(['front', 'back', 'selfie']), isNeeded: Type.Boolean() }), {
    description: 'The images that are asked for.',
  }),
  provider: NullableText,
  providerUrl: Type.Optional(Type.String({ description: 'Where the person goes on, if a provider verifies.' })),
  redirectUrl: NullableText,
  retentionDays: Type.Integer(),
  expiresAt: Time,
})

export const SessionParam = Type.Object({
  token: Type.String({ maxLength: 64, description: 'The last part of `hostedUrl`.' }),
})

export const SessionHeaders = Type.Object({
  'x-verify-session': Type.Optional(
    Type.String({ maxLength: 64, description: 'What `begin` has answered, for whoever has started.' }),
  ),
})

export const SESSION_ERRORS = ['NOT_FOUND', 'INVALID_PARAM', 'RATE_LIMITED', 'GONE', 'SESSION_USED'] as const

/** The link of a verification follows from its id, so that its owner can be told again. */
export const LINK = defineTokens('vt_', 'identity-verification')

/** What the browser of a person, or the program that does its work, is known by. */
export const SESSION = defineTokens('vs_', 'identity-session')

/** The id in the database. */
export function parseVerificationId(text: string): string {
  const hex = text.slice('idv_'.length)
  if (!text.startsWith('idv_') || !/^[0-9a-f]{32}$/.test(hex)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
