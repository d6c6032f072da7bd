import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, NewIdentitySession, ProvidedDocument, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireTimedSignature } from './messages.ts'
import type { IdentityConfig } from './settings.ts'
import { collectReasons, readCountry, readDay, readSex, readText, tolerate } from './values.ts'

interface Inquiry {
  data: { id: string; attributes: { status: keyof typeof STATES } }
  included?: { id: string; type: string; attributes: Record<string, unknown> }[]
  meta?: { 'one-time-link'?: string }
}

/** `completed` means that all was sent and passed, and that nobody has decided yet. */
const STATES = {
  ...({ created: 'open', pending: 'open', completed: 'review', needs_review: 'review' } as const),
  ...({ approved: 'approved', declined: 'declined', failed: 'declined', expired: 'expired' } as const),
}
const CLASSES = {
  ...({ pp: 'passport', id: 'id_card', dl: 'driving_licence', rp: 'residence_permit', visa: 'visa' } as const),
}
/** By the names of checks that have failed. */
const REASONS: Record<string, ReasonCode> = {
  ...{ id_expired_detection: 'DOC_EXPIRED', id_disallowed_country_detection: 'COUNTRY_NOT_ALLOWED' },
  ...{ id_disallowed_type_detection: 'DOC_TYPE_NOT_ALLOWED', id_selfie_comparison: 'FACE_MISMATCH' },
  ...{ selfie_id_comparison: 'FACE_MISMATCH', selfie_liveness_detection: 'LIVENESS_FAILED' },
  ...{ selfie_suspicious_entity_detection: 'LIVENESS_FAILED', id_mrz_detection: 'MRZ_CHECKDIGIT' },
  ...{ id_compromised_detection: 'DUPLICATE_DOCUMENT', id_repeat_detection: 'DUPLICATE_DOCUMENT' },
  ...{ id_extracted_properties_detection: 'DOC_UNREADABLE', id_inquiry_comparison: 'DATA_MISMATCH' },
  id_age_comparison: 'UNDERAGE',
}

/** Persona. What an inquiry asks for follows from its template. */
export function openPersona(config: IdentityConfig): IdentityProvider {
  const { key, webhookSecret, workflow, url = 'https://api.withpersona.com' } = config
  const headers = { authorization: `Bearer ${key}`, 'persona-version': '2023-01-05', 'key-inflection': 'kebab' }
  const call = openProviderClient({ provider: 'persona', baseUrl: url, headers })
  const at = (reference: string, verb = '') => `/api/v1/inquiries/${encodeURIComponent(reference)}${verb}`
  return {
    name: 'persona',
    types: ['document', 'liveness', 'biometric'],
    async begin(session, signal) {
      const once = { 'idempotency-key': `idverify-${session.id}` }
      const json = writeInquiry(session, workflow!)
      const started = call({ path: '/api/v1/inquiries', json, headers: once, signal })
      const { data } = (await tolerate('persona', started)) as Inquiry
      const linked = call({ path: at(data.id, '/generate-one-time-link'), json: {}, signal })
      const { meta } = (await tolerate('persona', linked)) as Inquiry
      return { reference: data.id, url: meta!['one-time-link']! }
    },
    async read(reference, signal) {
      const read = call({ path: at(reference), query: { include: 'verifications' }, signal, isRepeatable: true })
      return describe((await tolerate('persona', read)) as Inquiry)
    },
    async cancel(reference, signal) {
      await tolerate('persona', call({ path: at(reference, '/expire'), json: {}, signal }), [400, 404, 409, 422])
    },
    async erase(reference, signal) {
      await tolerate('persona', call({ method: 'DELETE', path: at(reference), signal }), [404, 410])
    },
    readMessage(body, given) {
      requireTimedSignature(webhookSecret, body, readHeader(given, 'persona-signature'))
      const { data } = parseMessage(body) as { data?: { attributes?: { payload?: { data?: Named } } } }
      const { type, id } = data?.attributes?.payload?.data ?? {}
      return type === 'inquiry' ? id : undefined
    },
  }
}

interface Named {
  type?: string
  id?: string
}

function writeInquiry({ id, returnUrl, subject }: NewIdentitySession, template: string): object {
  const { firstName, lastName, dob } = subject ?? {}
  const fields = {
    ...(firstName && { 'name-first': firstName }),
    ...(lastName && { 'name-last': lastName }),
    ...(dob && { birthdate: dob }),
  }
  const attributes = { 'inquiry-template-id': template, 'reference-id': id, 'redirect-uri': returnUrl, fields }
  return { data: { attributes } }
}

function describe({ data: { attributes }, included = [] }: Inquiry): ProvidedResult {
  const tried = included.filter(({ type }) => type.startsWith('verification/'))
  const document = tried.findLast(({ type }) => type === 'verification/government-id')
  const failed = tried.flatMap(({ attributes: { checks = [] } }) =>
    (checks as { name: string; status: string }[]).flatMap(({ name, status }) => (status === 'failed' ? [name] : [])),
  )
  const state = STATES[attributes.status] ?? 'processing'
  return {
    state,
    attempt: document?.id ?? null,
    reasonCodes: state === 'approved' ? [] : collectReasons(failed, REASONS),
    document: document?.attributes['id-class'] ? describeDocument(document.attributes) : null,
    similarity: null,
  }
}

function describeDocument(facts: Record<string, unknown>): ProvidedDocument {
  return {
    type: CLASSES[String(facts['id-class']) as keyof typeof CLASSES] ?? 'id_card',
    issuingCountry: readCountry(facts['country-code']),
    ...{ number: readText(facts['identification-number']), firstName: readText(facts['name-first']) },
    ...{ lastName: readText(facts['name-last']), dob: readDay(facts.birthdate) },
    ...{ expiry: readDay(facts['expiration-date']), sex: readSex(facts.sex) },
  }
}
