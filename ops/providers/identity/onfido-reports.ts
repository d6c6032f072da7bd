import type { ReasonCode } from '../../../tasks/formats/identity/reasons.ts'
import type { ProvidedDocument } from './contract.ts'
import { collectReasons, readCountry, readDay, readSex, readText } from './values.ts'

/** What Onfido has checked, in parts that have parts. */
export interface Report extends Part {
  breakdown: Record<string, Part | null>
}

interface Part {
  /** `clear`, or what was found. */
  result?: string | null
  properties?: Record<string, unknown> | null
  breakdown?: Record<string, Part | null> | null
}

const TYPES: Record<string, ProvidedDocument['type']> = {
  ...{ passport: 'passport', driving_licence: 'driving_licence', residence_permit: 'residence_permit', visa: 'visa' },
  ...{ uk_driving_licence: 'driving_licence', non_uk_driving_licence: 'driving_licence' },
  uk_biometric_residence_permit: 'residence_permit',
}
/** By the name of a part, alone or with the part in it. A suspicion of forgery is what a reviewer declines for. */
const REASONS: Record<string, ReasonCode> = {
  ...{ 'data_validation.document_expiration': 'DOC_EXPIRED', 'data_validation.mrz': 'MRZ_CHECKDIGIT' },
  ...{ data_validation: 'DATA_MISMATCH', data_comparison: 'DATA_MISMATCH', data_consistency: 'DATA_MISMATCH' },
  ...{ 'image_integrity.supported_document': 'DOC_TYPE_NOT_ALLOWED', image_integrity: 'DOC_UNREADABLE' },
  ...{ 'image_integrity.face_detected': 'LIVENESS_FAILED', 'image_integrity.source_integrity': 'LIVENESS_FAILED' },
  ...{ 'visual_authenticity.face_detection': 'DOC_UNREADABLE', visual_authenticity: 'REVIEWER_DECLINED' },
  'visual_authenticity.spoofing_detection': 'LIVENESS_FAILED',
  'visual_authenticity.liveness_detected': 'LIVENESS_FAILED',
  ...{ police_record: 'REVIEWER_DECLINED', issuing_authority: 'REVIEWER_DECLINED', age_validation: 'UNDERAGE' },
  ...{ compromised_document: 'DUPLICATE_DOCUMENT', previously_seen_faces: 'DUPLICATE_DOCUMENT' },
  ...{ face_comparison: 'FACE_MISMATCH', sanction: 'AML_HIT', politically_exposed_person: 'AML_HIT' },
  ...{ adverse_media: 'AML_HIT', monitored_lists: 'AML_HIT' },
}
/** By what is said of an image in the properties of a part. */
const IMAGE_REASONS: Record<string, ReasonCode> = {
  ...{ blurred_photo: 'IMAGE_BLURRY', glare_on_photo: 'IMAGE_GLARE' },
  ...{ photo_of_screen: 'IMAGE_SCREEN_CAPTURE', screenshot: 'IMAGE_SCREEN_CAPTURE' },
}

/** The reports in the output of a workflow or of a task; what else is in it is the operator's. */
export function listReports(output: unknown): Report[] {
  const values = typeof output === 'object' && output !== null ? [output, ...Object.values(output)] : []
  return values.filter(isReport)
}

function isReport(value: unknown): value is Report {
  const { breakdown } = (value ?? {}) as { breakdown?: unknown }
  return typeof breakdown === 'object' && breakdown !== null
}

export function findReasons(reports: readonly Report[]): ReasonCode[] {
  const found = reports.flatMap(({ breakdown }) =>
    listFlagged(breakdown).flatMap(([name, part]) => explain(name, part)),
  )
  return [...new Set(found)]
}

function explain(name: string, { breakdown }: Part): ReasonCode[] {
  const precise = listFlagged(breakdown ?? {}).flatMap(([inner, { properties }]) => {
    const flagged = Object.entries(properties ?? {}).flatMap(([word, value]) => (isFlag(value) ? [word] : []))
    const seen = collectReasons(flagged, IMAGE_REASONS)
    return seen.length > 0 ? seen : collectReasons([`${name}.${inner}`], REASONS)
  })
  return precise.length > 0 ? precise : collectReasons([name], REASONS)
}

function listFlagged(parts: Record<string, Part | null>): [string, Part][] {
  return Object.entries(parts).flatMap(([name, part]) => (part && isFlag(part.result) ? [[name, part]] : []))
}

function isFlag(value: unknown): boolean {
  return Boolean(value) && value !== 'clear'
}

/** From 0 to 100. */
export function findSimilarity(reports: readonly Report[]): number | null {
  const scores = reports.map(({ breakdown }) => breakdown.face_comparison?.breakdown?.face_match?.properties?.score)
  const score = scores.findLast(one => typeof one === 'number')
  return score === undefined ? null : Math.round(Math.min(1, Math.max(0, score)) * 1_000) / 10
}

export function findDocument(reports: readonly Report[]): ProvidedDocument | null {
  const facts = reports.findLast(({ properties }) => properties?.document_type)?.properties
  if (!facts) return null
  return {
    type: TYPES[String(facts.document_type)] ?? 'id_card',
    issuingCountry: readCountry(facts.issuing_country),
    ...{ number: findNumber(facts), firstName: readText(facts.first_name), lastName: readText(facts.last_name) },
    ...{ dob: readDay(facts.date_of_birth), expiry: readDay(facts.date_of_expiry), sex: readSex(facts.gender) },
  }
}

function findNumber({ document_numbers: numbers, document_number: number }: Record<string, unknown>): string | null {
  const listed = Array.isArray(numbers) ? (numbers as { type?: string; value?: unknown }[]) : []
  const found = listed.find(({ type }) => type === 'document_number') ?? listed[0]
  return readText(found?.value) ?? readText(number)
}
