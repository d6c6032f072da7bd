import { createHmac } from 'node:crypto'
import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, NewIdentitySession, ProvidedDocument, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireSigned } from './messages.ts'
import type { IdentityConfig } from './settings.ts'
import { collectReasons, readCountry, readDay, readSex, readText, tolerate } from './values.ts'

interface Decision {
  verification: {
    attemptId?: string | null
    status: keyof typeof STATES
    reason?: string | null
    reasonCode?: number | string | null
    person?: { firstName?: string; lastName?: string; dateOfBirth?: string; gender?: string } | null
    document?: { type?: string; number?: string; country?: string; validUntil?: string } | null
  } | null
}

const STATES = {
  approved: 'approved',
  declined: 'declined',
  resubmission_requested: 'retake',
  review: 'review',
  expired: 'expired',
  abandoned: 'expired',
} as const
const TYPES = {
  ...({ PASSPORT: 'passport', ID_CARD: 'id_card', DRIVERS_LICENSE: 'driving_licence' } as const),
  ...({ RESIDENCE_PERMIT: 'residence_permit', VISA: 'visa' } as const),
}
/** By the codes of reasons that are about one thing. */
const REASONS: Record<string, ReasonCode> = {
  ...{ 102: 'DOC_UNREADABLE', 103: 'DATA_MISMATCH', 105: 'DUPLICATE_DOCUMENT', 106: 'DOC_UNREADABLE' },
  ...{
    108: 'FACE_MISMATCH',
    201: 'LIVENESS_FAILED',
    204: 'IMAGE_BLURRY',
    205: 'DOC_UNREADABLE',
    206: 'DOC_TYPE_NOT_ALLOWED',
  },
}

/** Veriff. It needs no page of its own to be told who comes, so only names are sent along. */
export function openVeriff(config: IdentityConfig): IdentityProvider {
  const { key, webhookSecret, url = 'https://stationapi.veriff.com' } = config
  const call = openProviderClient({ provider: 'veriff', baseUrl: url, headers: { 'x-auth-client': key } })
  const signed = (text: string) => ({
    'x-hmac-signature': createHmac('sha256', webhookSecret).update(text).digest('hex'),
  })
  const at = (reference: string) => `/v1/sessions/${encodeURIComponent(reference)}`
  return {
    name: 'veriff',
    types: ['biometric'],
    async begin(session, signal) {
      const started = call({ path: '/v1/sessions', json: writeSession(session), signal })
      const { verification } = (await tolerate('veriff', started)) as { verification: { id: string; url: string } }
      return { reference: verification.id, url: verification.url }
    },
    async read(reference, signal) {
      const options = { headers: signed(reference), signal, isRepeatable: true }
      const read = call({ path: `${at(reference)}/decision`, ...options })
      return describe((await tolerate('veriff', read)) as Decision)
    },
    async cancel(reference, signal) {
      await this.erase(reference, signal)
    },
    async erase(reference, signal) {
      const options = { headers: signed(reference), signal }
      await tolerate('veriff', call({ method: 'DELETE', path: at(reference), ...options }), [400, 404])
    },
    readMessage(body, headers) {
      requireSigned(webhookSecret, body, [readHeader(headers, 'x-hmac-signature')])
      const { id, verification } = parseMessage(body) as { id?: string; verification?: { id?: string } }
      return verification?.id ?? id
    },
  }
}

function writeSession({ id, returnUrl, subject }: NewIdentitySession): object {
  const { firstName, lastName, dob } = subject ?? {}
  const person = { ...(firstName && { firstName }), ...(lastName && { lastName }), ...(dob && { dateOfBirth: dob }) }
  // Only addresses with TLS are taken; without one, the person ends at the provider.
  const callback = returnUrl.startsWith('https:') ? { callback: returnUrl } : {}
  return { verification: { ...callback, vendorData: id, ...(subject && { person }) } }
}

function describe({ verification }: Decision): ProvidedResult {
  if (!verification) return { state: 'open', attempt: null, reasonCodes: [], document: null, similarity: null }
  const { status, reasonCode, attemptId = null, document, person } = verification
  return {
    state: STATES[status] ?? 'processing',
    attempt: attemptId,
    reasonCodes: status === 'approved' ? [] : collectReasons([reasonCode], REASONS),
    document: document?.type ? describeDocument(document, person ?? {}) : null,
    similarity: null,
  }
}

type Verification = NonNullable<Decision['verification']>

function describeDocument(
  document: NonNullable<Verification['document']>,
  person: NonNullable<Verification['person']>,
): ProvidedDocument {
  return {
    type: TYPES[document.type as keyof typeof TYPES] ?? 'id_card',
    issuingCountry: readCountry(document.country),
    ...{ number: readText(document.number), firstName: readText(person.firstName) },
    ...{ lastName: readText(person.lastName), dob: readDay(person.dateOfBirth) },
    ...{ expiry: readDay(document.validUntil), sex: readSex(person.gender) },
  }
}
