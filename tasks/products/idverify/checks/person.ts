import type { Finding } from '../../../formats/identity/reasons.ts'
import { compareNames, splitName, weighWords } from '../../screening/index.ts'
import type { ReadDocument } from '../reader.ts'

/** What the caller says of the person. */
export interface Subject {
  firstName?: string
  lastName?: string
  dob?: string
  country?: string
}

const LEAST_NAME_SCORE = 0.9

/** Compares a document with what the caller says; null if he says nothing. */
export function checkSubject(document: ReadDocument, subject: Subject | null): Finding | null {
  if (!subject) return null
  const name = 'subject'
  const different = [
    ...(isOtherName(document, subject) ? ['name'] : []),
    ...(subject.dob && document.dob && subject.dob !== document.dob ? ['dob'] : []),
    ...(subject.country && subject.country !== document.issuingCountry ? ['country'] : []),
  ]
  if (different.length > 0)
    return { name, result: 'review', detail: `different: ${different.join(', ')}`, reason: 'DATA_MISMATCH' }
  return { name, result: 'pass', detail: null }
}

function isOtherName(document: ReadDocument, { firstName, lastName }: Subject): boolean {
  const given = [firstName, lastName].filter(text => text).join(' ')
  const read = [firstName && document.firstName, lastName && document.lastName].filter(text => text).join(' ')
  if (given === '') return false
  const weigh = (text: string) => weighWords(splitName(text), () => 0, 0)
  return read === '' || compareNames(weigh(given), weigh(read)).score < LEAST_NAME_SCORE
}

/** Whole years; null where the day of birth is not known. */
export function computeAge(dob: string | null, now: Date): number | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(dob ?? '') ?? []
  if (!year) return null
  const hadBirthday = now.toISOString().slice(5, 10) >= `${month}-${day}`
  return now.getUTCFullYear() - Number(year) - (hadBirthday ? 0 : 1)
}

const BANDS = [0, 13, 16, 18, 21, 25, 35, 45, 55, 65]

/** Less than the age: `18-20`, `65+`. */
export function describeAgeBand(age: number): string {
  const at = BANDS.findLastIndex(from => age >= from)
  const next = BANDS[at + 1]
  return next === undefined ? `${BANDS[at]}+` : `${BANDS[Math.max(0, at)]}-${next - 1}`
}

export function checkAge(age: number | null, minAge: number): Finding {
  if (age === null) return { name: 'age', result: 'review', detail: 'the date of birth is not known' }
  return age >= minAge
    ? { name: 'age', result: 'pass', detail: `${minAge} or older` }
    : { name: 'age', result: 'fail', detail: `younger than ${minAge}`, reason: 'UNDERAGE' }
}
