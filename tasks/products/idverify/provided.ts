import type { Finding, ReasonCode } from '../../formats/identity/reasons.ts'
import { checkAllowed, checkExpiry, type Terms } from './checks/document.ts'
import { checkAge, checkSubject, computeAge, describeAgeBand, type Subject } from './checks/person.ts'
import type { ReadDocument } from './reader.ts'

/** What a provider says of a session that is open no more. */
interface Provided {
  state: 'approved' | 'declined' | 'review'
  reasonCodes: ReasonCode[]
  document: Omit<ReadDocument, 'mrzValid' | 'hasBarcode' | 'mismatches'> | null
  similarity: number | null
}

interface ProvidedCase {
  provider: string
  terms: Terms
  subject: Subject | null
  isKnownDocument: boolean | undefined
}

/** Judges what a provider has found by what was asked for, which the provider need not know. It is never more lenient. */
export function judgeProvided(one: ProvidedCase, provided: Provided, now: Date) {
  const document = provided.document && completeDocument(provided.document)
  const findings = [describeProvider(one.provider, provided), ...listFindings(one, document, now)]
  const age = computeAge(document?.dob ?? null, now)
  const { minAge } = one.terms
  return {
    outcome: combine(provided.state, findings),
    reasonCodes: [...new Set([...provided.reasonCodes, ...findings.flatMap(({ reason }) => reason ?? [])])],
    checks: findings.map(({ name, result, detail }) => ({ name, result, detail })),
    ...{ document, age, similarity: provided.similarity },
    ageCheck: minAge && age !== null ? { minAge, passed: age >= minAge, ageBand: describeAgeBand(age) } : null,
    read: {
      documentType: document?.type ?? null,
      country: document?.issuingCountry ?? null,
      ...{ mrzValid: null, quality: null },
    },
  }
}

export function completeDocument(document: NonNullable<Provided['document']>): ReadDocument {
  return { ...document, mrzValid: null, hasBarcode: false, mismatches: [] }
}

const RESULTS = { approved: 'pass', declined: 'fail', review: 'review' } as const

function describeProvider(detail: string, { state }: Provided): Finding {
  return { name: 'provider', result: RESULTS[state], detail }
}

function listFindings(one: ProvidedCase, document: ReadDocument | null, now: Date): Finding[] {
  const { minAge } = one.terms
  const age = minAge === undefined ? [] : [checkAge(computeAge(document?.dob ?? null, now), minAge)]
  if (!document) return age
  const isKnown: Finding = {
    ...({ name: 'duplicate_document', result: 'review', reason: 'DUPLICATE_DOCUMENT' } as const),
    detail: 'also sent under another referenceId',
  }
  return [
    ...checkAllowed(document, one.terms),
    checkExpiry(document, now),
    ...age,
    ...[checkSubject(document, one.subject) ?? []].flat(),
    ...(one.isKnownDocument ? [isKnown] : []),
  ]
}

/** What is not certain is left to a person, except a date of expiry that the document need not have. */
function combine(state: Provided['state'], [, ...findings]: readonly Finding[]): Provided['state'] {
  if (state === 'declined' || findings.some(({ result }) => result === 'fail')) return 'declined'
  const isUnsure = findings.some(({ name, result }) => result === 'review' && name !== 'expiry')
  return isUnsure ? 'review' : state
}
