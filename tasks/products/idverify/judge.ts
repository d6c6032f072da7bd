import type { Check, Finding, ReasonCode } from '../../formats/identity/reasons.ts'
import type { Terms } from './checks/document.ts'
import { checkAgreement, checkAllowed, checkExpiry, checkPrinted, checkZone, isReliable } from './checks/document.ts'
import { checkFaces, checkQuality } from './checks/images.ts'
import { checkAge, checkSubject, computeAge, describeAgeBand, type Subject } from './checks/person.ts'
import type { ReadDocument, Reading } from './reader.ts'

export interface Case {
  type: 'document' | 'liveness' | 'biometric'
  terms: Terms
  subject: Subject | null
  /** By a machine readable zone that was typed. */
  typed: ReadDocument | undefined
  isLast: boolean
  /** Whether another person has sent the document; undefined if that could not be compared. */
  isKnownDocument: boolean | undefined
}

/** What follows from reading one attempt. */
interface Judgement {
  /** `retake`: other images are needed. Nothing is ever approved here. */
  outcome: 'retake' | 'review' | 'declined'
  reasonCodes: ReasonCode[]
  checks: Check[]
  document: ReadDocument | null
  age: number | null
  similarity: number | null
  ageCheck: { minAge: number; passed: boolean; ageBand: string } | null
  /** For the event, which has nothing personal. */
  read: { documentType: string | null; country: string | null; mrzValid: boolean | null; quality: string | null }
}

/** Names of checks of which a failure, reliably read, declines without a person. */
const DECIDING = ['expiry', 'age', 'specimen']

/** Judges what was read. That a document is genuine, and a face alive and the right one, is left to a person. */
export function judge(one: Case, reading: Reading, now: Date): Judgement {
  const quality = checkQuality(reading.quality)
  if (one.type === 'liveness') return conclude(one, reading, [...quality, ...checkPerson(one, reading)], now)
  const document = reading.document ?? one.typed
  if (!document) return judgeUnread(one, reading, quality, now)
  const allowed = checkAllowed(document, one.terms)
  const findings = [
    checkRead(reading),
    ...allowed,
    ...checkZone(document),
    checkExpiry(document, now),
    ...listAge(one.terms, document, now),
    checkAgreement(document),
    checkPrinted(document, reading.text),
    ...[checkSubject(document, one.subject) ?? []].flat(),
    ...quality,
    checkKnown(one.isKnownDocument),
    ...checkPerson(one, reading),
  ]
  if (allowed.some(({ result }) => result === 'fail')) return conclude(one, reading, findings, now, 'retake')
  const isDeclined =
    isReliable(document) && findings.some(({ name, result }) => result === 'fail' && DECIDING.includes(name))
  return conclude(one, reading, findings, now, isDeclined ? 'declined' : 'review')
}

/** A page that can be read but has no zone and no barcode may be a good document: a person looks at the last attempt. */
function judgeUnread(one: Case, reading: Reading, quality: Finding[], now: Date): Judgement {
  const lack = LACKS[reading.state]
  const read: Finding = lack
    ? { name: 'document_read', result: 'skipped', detail: lack }
    : { name: 'document_read', result: 'fail', detail: 'no zone and no barcode was found', reason: 'DOC_UNREADABLE' }
  const findings = [read, ...quality, ...checkPerson(one, reading)]
  const isLegible = (reading.text ?? '').replaceAll(/[^\p{L}\d]/gu, '').length >= LEGIBLE_LETTERS
  const needsPerson = lack !== undefined || (one.isLast && isLegible)
  return conclude(one, reading, findings, now, needsPerson ? 'review' : 'retake')
}

const LEGIBLE_LETTERS = 60
/** Why a document was not read that may be a good one. */
const LACKS: Partial<Record<Reading['state'], string>> = {
  missing: 'the engines that read documents are not here',
  unavailable: 'the provider that reads documents could not be asked',
}

function checkRead({ document }: Reading): Finding {
  const name = 'document_read'
  return document ? { name, result: 'pass', detail: null } : { name, result: 'review', detail: 'only the typed zone' }
}

function checkKnown(isKnown: boolean | undefined): Finding {
  const name = 'duplicate_document'
  if (isKnown === undefined)
    return { name, result: 'skipped', detail: 'it takes a referenceId and the number of the document' }
  if (!isKnown) return { name, result: 'pass', detail: null }
  return { name, result: 'review', detail: 'also sent under another referenceId', reason: 'DUPLICATE_DOCUMENT' }
}

/** What no machine decides here. */
function checkPerson({ type }: Case, { similarity, faceFault }: Reading): Finding[] {
  const person = (name: string): Finding => ({ name, result: 'review', detail: 'a person decides' })
  return [
    ...(type === 'liveness' ? [] : [person('authenticity')]),
    ...(type === 'document' ? [] : [person('liveness')]),
    ...(type === 'biometric' ? [checkFaces(similarity, faceFault)] : []),
  ]
}

function listAge({ minAge }: Terms, { dob }: ReadDocument, now: Date): Finding[] {
  return minAge === undefined ? [] : [checkAge(computeAge(dob, now), minAge)]
}

function conclude(
  one: Case,
  reading: Reading,
  findings: readonly Finding[],
  now: Date,
  outcome: Judgement['outcome'] = 'review',
): Judgement {
  const document = (one.type !== 'liveness' && (reading.document ?? one.typed)) || null
  const age = computeAge(document?.dob ?? null, now)
  return {
    outcome,
    reasonCodes: [...new Set(findings.flatMap(({ reason }) => reason ?? []))],
    checks: findings.map(({ name, result, detail }) => ({ name, result, detail })),
    ...{ document, age, similarity: reading.similarity ?? null, ageCheck: describeAge(age, one.terms) },
    read: { ...describeForEvent(document), quality: describeQuality(findings) },
  }
}

function describeAge(age: number | null, { minAge }: Terms): Judgement['ageCheck'] {
  if (minAge === undefined || age === null) return null
  return { minAge, passed: age >= minAge, ageBand: describeAgeBand(age) }
}

function describeForEvent(document: ReadDocument | null) {
  if (!document) return { documentType: null, country: null, mrzValid: null }
  const { type: documentType, issuingCountry: country, mrzValid } = document
  return { documentType, country, mrzValid }
}

function describeQuality(findings: readonly Finding[]): 'good' | 'poor' | null {
  const results = findings.filter(({ name }) => name === 'image_quality').map(({ result }) => result)
  if (results.includes('review')) return 'poor'
  return results.includes('pass') ? 'good' : null
}
