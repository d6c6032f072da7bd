import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import type { Identifier } from './entity.ts'
import { splitName } from './names/words.ts'
import type { MatchOptions, Subject } from './subject.ts'

/** A subject as a caller sends it. */
export interface SentSubject {
  name: string
  type: Subject['type']
  aliases: string[]
  dob?: string
  nationality: string[]
  country: string[]
  gender?: Subject['gender']
  placeOfBirth?: string
  identifiers: Identifier[]
  address?: string
  excludeIds: string[]
  topics: string[]
  referenceId?: string
}

interface SentOptions {
  threshold: number
  limit: number
  weakAliases: boolean
  explain: boolean
}

/** Checks all of a subject that no schema can, before it is paid for. */
export function readSubject(sent: SentSubject, field = ''): Subject {
  if (splitName(sent.name).length === 0) throw new Problem('NAME_EMPTY', { field: `${field}name` })
  if (sent.dob !== undefined && !isDate(sent.dob))
    throw new Problem('DOB_INVALID', { field: `${field}dob`, dob: sent.dob })
  const { name, type, aliases, dob, nationality, country, gender, placeOfBirth, identifiers, address } = sent
  return { name, type, aliases, dob, nationality, country, gender, placeOfBirth, identifiers, address }
}

export function readMatchOptions(sent: SentSubject, options: SentOptions, families: readonly string[]): MatchOptions {
  const { threshold, limit, weakAliases, explain } = options
  return { threshold, limit, weakAliases, explain, excludeIds: sent.excludeIds, topics: sent.topics, families }
}

/** A year, a month or a day that there is, and that is not to come. */
function isDate(text: string): boolean {
  const [year, month = '01', day = '01'] = text.split('-')
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  if (!/^\d{4}(-\d\d(-\d\d)?)?$/.test(text) || Number.isNaN(date.getTime())) return false
  return (
    date.toISOString().startsWith(`${year}-${month}-${day}`) && Number(year) >= 1000 && date.getTime() <= Date.now()
  )
}

/** Tells one subject of an account from others, so that what was dismissed for it stays dismissed. */
export function keySubject(subject: Subject, referenceId?: string): string {
  if (referenceId !== undefined) return `ref:${referenceId}`
  const facts = [splitName(subject.name).toSorted(), subject.type, subject.dob ?? null]
  return `name:${hashJson(facts)}`
}

/** Of everything that was asked, so that a record of a search proves what was searched for. */
export function hashQuery(subject: Subject, options: MatchOptions, versions: readonly (number | null)[]): string {
  return hashJson([subject, options, versions])
}

function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Of the content of an entry. */
export function hashEntity(entity: object): string {
  return hashJson(entity)
}
