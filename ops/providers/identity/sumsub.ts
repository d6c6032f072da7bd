import { createHmac } from 'node:crypto'
import { Problem } from '#kit'
import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, ProvidedDocument, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireSigned } from './messages.ts'
import type { IdentityConfig } from './settings.ts'
import { collectReasons, readCountry, readDay, readSex, readText, tolerate } from './values.ts'

interface Applicant {
  id: string
  /** It was deactivated. */
  deleted?: boolean
  info?: { gender?: string; firstName?: string; lastName?: string; dob?: string; idDocs?: Record<string, unknown>[] }
  review?: {
    attemptId?: string
    attemptCnt?: number
    reviewStatus?: string
    reviewResult?: { reviewAnswer?: string; reviewRejectType?: string; rejectLabels?: string[] }
  }
}

const STATES: Record<string, ProvidedResult['state']> = {
  ...{ init: 'open', awaitingUser: 'open', pending: 'processing', prechecked: 'processing', queued: 'processing' },
  ...{ awaitingService: 'processing', onHold: 'review' },
}
const TYPES: Record<string, ProvidedDocument['type']> = {
  ...{ PASSPORT: 'passport', ID_CARD: 'id_card', DRIVERS: 'driving_licence', RESIDENCE_PERMIT: 'residence_permit' },
  VISA: 'visa',
}
/** By the labels of a rejection. Suspicions of fraud have no code of their own; they are what a reviewer declines for. */
const REASONS: Record<string, ReasonCode> = {
  ...{ EXPIRATION_DATE: 'DOC_EXPIRED', AGE_REQUIREMENT_MISMATCH: 'UNDERAGE', SCREENSHOTS: 'IMAGE_SCREEN_CAPTURE' },
  ...{ LOW_QUALITY: 'DOC_UNREADABLE', UNSATISFACTORY_PHOTOS: 'DOC_UNREADABLE', INCOMPLETE_DOCUMENT: 'DOC_UNREADABLE' },
  ...{ DOCUMENT_PAGE_MISSING: 'DOC_UNREADABLE', DOCUMENT_DAMAGED: 'DOC_UNREADABLE', NOT_READABLE: 'DOC_UNREADABLE' },
  ...{ FRONT_SIDE_MISSING: 'DOC_UNREADABLE', BACK_SIDE_MISSING: 'DOC_UNREADABLE', BLACK_AND_WHITE: 'DOC_UNREADABLE' },
  ...{ BAD_PROOF_OF_IDENTITY: 'DOC_UNREADABLE', UNFILLED_ID: 'DOC_UNREADABLE', DOCUMENT_MISSING: 'DOC_UNREADABLE' },
  ...{ NOT_DOCUMENT: 'DOC_TYPE_NOT_ALLOWED', UNSUITABLE_DOCUMENT: 'DOC_TYPE_NOT_ALLOWED' },
  ...{ DIGITAL_DOCUMENT: 'DOC_TYPE_NOT_ALLOWED', NO_SUITABLE_DOCS: 'DOC_TYPE_NOT_ALLOWED' },
  ...{ WRONG_USER_REGION: 'COUNTRY_NOT_ALLOWED', FOREIGNER: 'COUNTRY_NOT_ALLOWED' },
  ...{ PROBLEMATIC_APPLICANT_DATA: 'DATA_MISMATCH', REQUESTED_DATA_MISMATCH: 'DATA_MISMATCH' },
  ...{ INCONSISTENT_PROFILE: 'DATA_MISMATCH', DB_DATA_MISMATCH: 'DATA_MISMATCH', DB_DATA_NOT_FOUND: 'DATA_MISMATCH' },
  ...{ SELFIE_MISMATCH: 'FACE_MISMATCH', BAD_FACE_MATCHING: 'FACE_MISMATCH', PERSON_MISMATCH: 'FACE_MISMATCH' },
  ...{ BAD_SELFIE: 'LIVENESS_FAILED', BAD_VIDEO_SELFIE: 'LIVENESS_FAILED', FRAUDULENT_LIVENESS: 'LIVENESS_FAILED' },
  ...{ DEEPFAKE: 'LIVENESS_FAILED', DUPLICATE: 'DUPLICATE_DOCUMENT' },
  ...{ PEP: 'AML_HIT', SANCTIONS: 'AML_HIT', ADVERSE_MEDIA: 'AML_HIT', CRIMINAL: 'AML_HIT' },
  ...{ COMPROMISED_PERSONS: 'AML_HIT', FORGERY: 'REVIEWER_DECLINED', DOCUMENT_TEMPLATE: 'REVIEWER_DECLINED' },
  ...{ GRAPHIC_EDITOR: 'REVIEWER_DECLINED', FRAUDULENT_PATTERNS: 'REVIEWER_DECLINED', BLOCKLIST: 'REVIEWER_DECLINED' },
  ...{ BLACKLIST: 'REVIEWER_DECLINED', STOLEN_DOCS: 'REVIEWER_DECLINED', DOCUMENT_DEPRIVED: 'REVIEWER_DECLINED' },
  ...{ ID_INVALID: 'REVIEWER_DECLINED', SPAM: 'REVIEWER_DECLINED', THIRD_PARTY_INVOLVED: 'REVIEWER_DECLINED' },
  ...{ REGULATIONS_VIOLATIONS: 'REVIEWER_DECLINED', EXTERNAL_DECISION_REJECTION: 'REVIEWER_DECLINED' },
}
/** Of its ways to sign a message, the one over SHA-1 is not accepted. */
const DIGESTS = new Map([
  ['HMAC_SHA256_HEX', 'sha256'],
  ['HMAC_SHA512_HEX', 'sha512'],
] as const)
/** Of a link, which else ends after half an hour. */
const LINK_SECONDS = 86_400
const LINK_PATH = '/resources/sdkIntegrations/levels/-/websdkLink'

interface SignedCall {
  method?: 'PATCH'
  path: string
  json?: object
  signal: AbortSignal
}

/**
 * Sumsub. What a session asks for follows from its level, and who it should be is compared here. Sessions are known there by
 * the id that they have here, because their persons exist only after they have opened the link.
 */
export function openSumsub(config: IdentityConfig): IdentityProvider {
  const { key, secretKey, webhookSecret, workflow, url = 'https://api.sumsub.com' } = config
  const client = openProviderClient({ provider: 'sumsub', baseUrl: url, headers: { 'x-app-token': key } })

  async function call({ method, path, json, signal }: SignedCall, expected: readonly number[] = []): Promise<unknown> {
    const body = json && JSON.stringify(json)
    const verb = method ?? (body ? 'POST' : 'GET')
    const headers = { ...sign(secretKey!, `${verb}${path}${body ?? ''}`), 'content-type': 'application/json' }
    return tolerate('sumsub', client({ method, path, body, headers, signal, isRepeatable: verb === 'GET' }), expected)
  }

  async function find(reference: string, signal: AbortSignal): Promise<Applicant | undefined> {
    const path = `/resources/applicants/-;externalUserId=${encodeURIComponent(reference)}/one`
    return (await call({ path, signal }, [404])) as Applicant | undefined
  }

  async function deactivate({ id, deleted }: Applicant, signal: AbortSignal): Promise<void> {
    const path = `/resources/applicants/${encodeURIComponent(id)}/presence/deactivated`
    if (!deleted) await call({ method: 'PATCH', path, signal }, [404])
  }

  return {
    name: 'sumsub',
    types: ['document', 'liveness', 'biometric'],
    async begin({ id, locale, returnUrl }, signal) {
      const redirect = { successUrl: returnUrl, rejectUrl: returnUrl }
      const json = { levelName: workflow, userId: id, ttlInSecs: LINK_SECONDS, redirect }
      const started = await call({ path: `${LINK_PATH}?lang=${encodeURIComponent(locale)}`, json, signal })
      return { reference: id, url: (started as { url: string }).url }
    },
    async read(reference, signal) {
      const applicant = await find(reference, signal)
      return describe(applicant ?? { id: '' })
    },
    async cancel(reference, signal) {
      const applicant = await find(reference, signal)
      const { state } = describe(applicant ?? { id: '' })
      // While it is checked it cannot be deactivated, and comes to its end by itself.
      if (applicant && (state === 'open' || state === 'retake')) await deactivate(applicant, signal)
    },
    // There is no call that erases: what is deactivated can be used no more, and goes with the retention set at Sumsub.
    async erase(reference, signal) {
      const applicant = await find(reference, signal)
      if (applicant) await deactivate(applicant, signal)
    },
    readMessage(body, headers) {
      const digest = readHeader(headers, 'x-payload-digest-alg') || 'HMAC_SHA256_HEX'
      const algorithm = DIGESTS.get(digest as 'HMAC_SHA256_HEX')
      if (!algorithm) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
      requireSigned(webhookSecret, body, [readHeader(headers, 'x-payload-digest')], algorithm)
      const { externalUserId: id } = parseMessage(body) as { externalUserId?: unknown }
      return typeof id === 'string' ? id : undefined
    },
  }
}

function sign(secretKey: string, text: string) {
  const time = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', secretKey).update(`${time}${text}`).digest('hex')
  return { 'x-app-access-ts': time, 'x-app-access-sig': signature }
}

function describe(applicant: Applicant): ProvidedResult {
  const { attemptId, attemptCnt, reviewResult } = applicant.review ?? {}
  const reasons = collectReasons(reviewResult?.rejectLabels ?? [], REASONS)
  const state = readState(applicant, reasons)
  return {
    state,
    attempt: attemptId ?? (attemptCnt === undefined ? null : String(attemptCnt)),
    reasonCodes: state === 'approved' ? [] : reasons,
    ...{ document: findDocument(applicant), similarity: null },
  }
}

/** What is rejected for no reason that is known here is left to a person. */
function readState({ deleted, review }: Applicant, reasons: readonly ReasonCode[]): ProvidedResult['state'] {
  if (deleted) return 'cancelled'
  const { reviewStatus = 'init', reviewResult } = review ?? {}
  if (reviewStatus !== 'completed') return STATES[reviewStatus] ?? 'processing'
  const { reviewAnswer, reviewRejectType } = reviewResult ?? {}
  if (reviewAnswer === 'GREEN') return 'approved'
  if (reviewAnswer === 'RED' && reviewRejectType === 'RETRY') return 'retake'
  return reviewAnswer === 'RED' && reasons.length > 0 ? 'declined' : 'review'
}

function findDocument({ info = {} }: Applicant): ProvidedDocument | null {
  const facts = info.idDocs?.find(({ idDocType }) => TYPES[String(idDocType)])
  if (!facts) return null
  return {
    type: TYPES[String(facts.idDocType)]!,
    issuingCountry: readCountry(facts.country),
    ...{ number: readText(facts.number), firstName: readText(facts.firstName ?? info.firstName) },
    ...{ lastName: readText(facts.lastName ?? info.lastName), dob: readDay(facts.dob ?? info.dob) },
    ...{ expiry: readDay(facts.validUntil), sex: readSex(facts.gender ?? info.gender) },
  }
}
