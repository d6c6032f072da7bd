import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, NewIdentitySession, ProvidedDocument, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireRecent, requireSigned } from './messages.ts'
import type { IdentityConfig } from './settings.ts'
import { collectReasons, readCountry, readDay, readSex, readText, tolerate } from './values.ts'

interface Decision {
  status: string
  id_verifications?: (Record<string, unknown> & { status?: string; warnings?: Warning[] })[] | null
  liveness_checks?: { status?: string; warnings?: Warning[] }[] | null
  face_matches?: { score?: number; status?: string; warnings?: Warning[] }[] | null
}

interface Warning {
  risk: string
}

const STATES: Record<string, ProvidedResult['state']> = {
  ...{ 'Not Started': 'open', 'In Progress': 'open', Resubmitted: 'open', 'Awaiting User': 'open' },
  ...{ 'In Review': 'review', Approved: 'approved', Declined: 'declined', Expired: 'expired', Abandoned: 'expired' },
}
const TYPES: Record<string, ProvidedDocument['type']> = {
  ...{ Passport: 'passport', 'Identity Card': 'id_card', "Driver's License": 'driving_licence' },
  'Residence Permit': 'residence_permit',
}
const REASONS: Record<string, ReasonCode> = {
  ...{ DOCUMENT_EXPIRED: 'DOC_EXPIRED', MINIMUM_AGE_NOT_MET: 'UNDERAGE', LOW_FACE_MATCH_SIMILARITY: 'FACE_MISMATCH' },
  ...{ MRZ_VALIDATION_FAILED: 'MRZ_CHECKDIGIT', DATA_INCONSISTENT: 'DATA_MISMATCH', NAME_MISMATCH: 'DATA_MISMATCH' },
  ...{ DOB_MISMATCH: 'DATA_MISMATCH', DOCUMENT_NOT_SUPPORTED_FOR_APPLICATION: 'DOC_TYPE_NOT_ALLOWED' },
  ...{ SCREEN_CAPTURE_DETECTED: 'IMAGE_SCREEN_CAPTURE', POSSIBLE_DUPLICATED_USER: 'DUPLICATE_DOCUMENT' },
  ...{
    LOW_LIVENESS_SCORE: 'LIVENESS_FAILED',
    LIVENESS_FACE_ATTACK: 'LIVENESS_FAILED',
    NO_FACE_DETECTED: 'LIVENESS_FAILED',
  },
}

/** Didit. What a session asks for follows from its workflow. */
export function openDidit(config: IdentityConfig): IdentityProvider {
  const { key, webhookSecret, workflow, url = 'https://verification.didit.me' } = config
  const call = openProviderClient({ provider: 'didit', baseUrl: url, headers: { 'x-api-key': key } })
  const at = (reference: string, verb: string) => `/v3/session/${encodeURIComponent(reference)}/${verb}/`
  return {
    name: 'didit',
    types: ['document', 'liveness', 'biometric'],
    async begin(session, signal) {
      const started = call({ path: '/v3/session/', json: writeSession(session, workflow!), signal })
      const { session_id: reference, url: link } = (await tolerate('didit', started)) as Record<string, string>
      return { reference: reference!, url: link! }
    },
    async read(reference, signal) {
      const read = call({ path: at(reference, 'decision'), signal, isRepeatable: true })
      return describe((await tolerate('didit', read)) as Decision)
    },
    async cancel(reference, signal) {
      await this.erase(reference, signal)
    },
    async erase(reference, signal) {
      await tolerate('didit', call({ method: 'DELETE', path: at(reference, 'delete'), signal }), [404])
    },
    readMessage(body, headers) {
      requireRecent(readHeader(headers, 'x-timestamp'))
      requireSigned(webhookSecret, body, [readHeader(headers, 'x-signature')])
      const { session_id: id } = parseMessage(body) as { session_id?: unknown }
      return typeof id === 'string' ? id : undefined
    },
  }
}

function writeSession({ id, returnUrl, locale, subject }: NewIdentitySession, workflow: string): object {
  const { firstName, lastName, dob } = subject ?? {}
  const expected = {
    ...(firstName && { first_name: firstName }),
    ...(lastName && { last_name: lastName }),
    ...(dob && { date_of_birth: dob }),
  }
  return {
    ...{ workflow_id: workflow, vendor_data: id, callback: returnUrl, language: locale },
    ...(subject && { expected_details: expected }),
  }
}

function describe(decision: Decision): ProvidedResult {
  const document = decision.id_verifications?.at(-1)
  const face = decision.face_matches?.at(-1)
  const parts = [document, face, decision.liveness_checks?.at(-1)]
  const risks = parts.flatMap(part => part?.warnings ?? []).map(({ risk }) => risk)
  const state = STATES[decision.status] ?? 'processing'
  return {
    ...{ state, attempt: null },
    reasonCodes: state === 'approved' ? [] : collectReasons(risks, REASONS),
    document: document?.document_type ? describeDocument(document) : null,
    similarity: typeof face?.score === 'number' ? Math.min(100, Math.max(0, face.score)) : null,
  }
}

function describeDocument(facts: Record<string, unknown>): ProvidedDocument {
  return {
    type: TYPES[String(facts.document_type)] ?? 'id_card',
    issuingCountry: readCountry(facts.issuing_state),
    ...{ number: readText(facts.document_number), firstName: readText(facts.first_name) },
    ...{ lastName: readText(facts.last_name), dob: readDay(facts.date_of_birth) },
    ...{ expiry: readDay(facts.expiration_date), sex: readSex(facts.gender) },
  }
}
