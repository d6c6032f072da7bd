import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, NewIdentitySession, ProvidedDocument, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireTimedSignature } from './messages.ts'
import type { IdentityConfig } from './settings.ts'
import { collectReasons, readCountry, readDay, readText, tolerate } from './values.ts'

interface Session {
  id: string
  status: 'requires_input' | 'processing' | 'verified' | 'canceled'
  url: string | null
  last_error: { code: string | null } | null
  last_verification_report: Report | null
}

interface Report {
  id: string
  document?: {
    type: string | null
    issuing_country: string | null
    first_name: string | null
    last_name: string | null
    number?: string | null
    dob?: object | null
    expiration_date?: object | null
    error: { code: string } | null
  }
  selfie?: { error: { code: string } | null }
}

const TYPES = { passport: 'passport', id_card: 'id_card', driving_license: 'driving_licence' } as const
const REASONS: Record<string, ReasonCode> = {
  ...{ document_expired: 'DOC_EXPIRED', document_type_not_supported: 'DOC_TYPE_NOT_ALLOWED' },
  ...{ document_unverified_other: 'DOC_UNREADABLE', selfie_document_missing_photo: 'DOC_UNREADABLE' },
  ...{ selfie_face_mismatch: 'FACE_MISMATCH', selfie_manipulated: 'LIVENESS_FAILED' },
  ...{ selfie_unverified_other: 'LIVENESS_FAILED', country_not_supported: 'COUNTRY_NOT_ALLOWED' },
  under_supported_age: 'UNDERAGE',
}
/** What a key must be allowed to read is asked for by name. */
const FIELDS = ['last_verification_report', ...['number', 'dob', 'expiration_date'].map(readOf)]

function readOf(field: string): string {
  return `last_verification_report.document.${field}`
}

/** Stripe Identity. It tells numbers and dates of birth to restricted keys only, so it needs one. */
export function openStripe({ key, webhookSecret, url = 'https://api.stripe.com' }: IdentityConfig): IdentityProvider {
  const headers = { authorization: `Bearer ${key}` }
  const call = openProviderClient({ provider: 'stripe', baseUrl: url, headers })
  const at = (reference: string, verb = '') =>
    `/v1/identity/verification_sessions/${encodeURIComponent(reference)}${verb}`
  return {
    name: 'stripe',
    types: ['document', 'biometric'],
    async begin(session, signal) {
      const options = { headers: { 'idempotency-key': `idverify-${session.id}` }, signal }
      const body = writeSession(session)
      const started = call({ path: '/v1/identity/verification_sessions', body, ...options })
      const { id, url: link } = (await tolerate('stripe', started)) as Session
      return { reference: id, url: link! }
    },
    async read(reference, signal) {
      const query = new URLSearchParams(FIELDS.map(field => ['expand[]', field]))
      const read = call({ path: `${at(reference)}?${query}`, signal, isRepeatable: true })
      return describe((await tolerate('stripe', read)) as Session)
    },
    async cancel(reference, signal) {
      await tolerate(
        'stripe',
        call({ path: at(reference, '/cancel'), body: new URLSearchParams(), signal }),
        [400, 404],
      )
    },
    async erase(reference, signal) {
      await tolerate(
        'stripe',
        call({ path: at(reference, '/redact'), body: new URLSearchParams(), signal }),
        [400, 404],
      )
    },
    readMessage(body, given) {
      requireTimedSignature(webhookSecret, body, readHeader(given, 'stripe-signature'))
      const { data } = parseMessage(body) as { data?: { object?: { object?: string; id?: string } } }
      const { object, id } = data?.object ?? {}
      return object === 'identity.verification_session' ? id : undefined
    },
  }
}

function writeSession({ id, type, returnUrl, documentTypes }: NewIdentitySession): URLSearchParams {
  const allowed = Object.entries(TYPES).flatMap(([theirs, ours]) => (documentTypes.includes(ours) ? [theirs] : []))
  return new URLSearchParams([
    ['type', 'document'],
    ['return_url', returnUrl],
    ['client_reference_id', id],
    ['options[document][require_live_capture]', 'true'],
    ...(type === 'biometric' ? [['options[document][require_matching_selfie]', 'true']] : []),
    ...allowed.map(name => ['options[document][allowed_types][]', name]),
  ])
}

function describe({ status, last_error: error, last_verification_report: report }: Session): ProvidedResult {
  const codes = [error?.code, report?.document?.error?.code, report?.selfie?.error?.code]
  return {
    state: readState(status, error?.code ?? undefined),
    attempt: report?.id ?? null,
    reasonCodes: status === 'verified' ? [] : collectReasons(codes, REASONS),
    document: report?.document?.type ? describeDocument(report.document) : null,
    similarity: null,
  }
}

function readState(status: Session['status'], error: string | undefined): ProvidedResult['state'] {
  if (status === 'verified') return 'approved'
  if (status === 'canceled') return 'cancelled'
  if (status === 'processing') return 'processing'
  return error === undefined || error === 'abandoned' ? 'open' : 'retake'
}

function describeDocument(document: NonNullable<Report['document']>): ProvidedDocument {
  return {
    type: TYPES[document.type as keyof typeof TYPES] ?? 'id_card',
    issuingCountry: readCountry(document.issuing_country),
    ...{ number: readText(document.number), firstName: readText(document.first_name) },
    ...{ lastName: readText(document.last_name), dob: readDay(document.dob) },
    ...{ expiry: readDay(document.expiration_date), sex: null },
  }
}
